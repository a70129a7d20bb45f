/* message: whole messages over an AF_UNIX socket, each with at most one descriptor. */
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
