/* message: whole messages over a socket of AF_UNIX, each with one descriptor at most. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* Sends bytes, and a descriptor (-1: none). Returns 0 or -errno. */
int message_send(int socket, const void *bytes, size_t size, int fd);
/*
 * Receives a message of exactly this size. *fd is the descriptor that came along, or -1. Returns 0, -EPIPE: the other end is
 * closed, or another -errno.
 */
int message_receive(int socket, void *bytes, size_t size, int *fd);
