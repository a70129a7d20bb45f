/* notify: writes a message to a descriptor whose reader may have gone. */
#pragma once

#include <stddef.h>

struct error;

/* Writes all of it. Returns 0 or -errno: -EPIPE if nobody reads any more, which raises no SIGPIPE. */
int notify(int fd, const char *bytes, size_t size);
/*
 * Checks an inherited descriptor for a notification, and closes it for the command at exec. Returns 0, or -EINVAL or -EBADF
 * with a sentence if it is not writable, or is a standard stream of the command.
 */
int notify_keep(int fd, struct error *err);
