/*
 * message: what goes over the opener's socket. One request, then one reply.
 */
#ifndef KERNEL_OPENER_MESSAGE_H
#define KERNEL_OPENER_MESSAGE_H

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct opener_request {
	uint32_t event; /* index into the table */
	int32_t tid;    /* of a control group: its index */
	uint32_t cpu;
};

struct opener_reply {
	int32_t code; /* 0: a descriptor comes along; else -errno */
};

/* Sends bytes, and a descriptor (-1: none). Returns 0 or -errno. */
int message_send(int socket, const void *bytes, size_t size, int fd);
/*
 * Receives a message of exactly this size. *fd is the descriptor that came along, or -1. Returns 0, -EPIPE: the other end is
 * closed, or another -errno.
 */
int message_receive(int socket, void *bytes, size_t size, int *fd);

#ifdef __cplusplus
}
#endif
#endif
