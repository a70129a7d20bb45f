/* notify: writes a message to a descriptor whose reader may have gone. */
#pragma once

#include <stddef.h>

struct error;

/* Writes all bytes. Returns 0 or -errno. If the reader has gone, it returns -EPIPE, and no SIGPIPE is raised. */
int notify(int fd, const char *bytes, size_t size);
/*
 * Checks an inherited descriptor for a notification, and sets close-on-exec. Returns 0, or -EINVAL or -EBADF with a message if it
 * is not writable, or is a standard stream of the command.
 */
int notify_keep(int fd, struct error *err);
