/* notify: a word through a descriptor to somebody who waits for it, and who may be gone. */
#pragma once

#include <stddef.h>

struct error;

/* Writes all of it. Returns 0 or -errno: -EPIPE if nobody reads any more, which raises no SIGPIPE. */
int notify(int fd, const char *bytes, size_t size);
/*
 * Keeps an inherited descriptor for a notification, and from the command. Returns 0, or -EINVAL or -EBADF with a
 * sentence if nothing can be written to it, or if it is one of the command's own streams.
 */
int notify_keep(int fd, struct error *err);
