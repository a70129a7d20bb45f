/* http: a page that others fetch by HTTP, without a thread: the caller waits for the descriptor. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct error;
struct http;

/* Returns the page, which is freed after it was sent. accept: the header "Accept" of the request, or "". */
typedef char *(*http_page)(void *context, const char *accept, size_t *size, const char **type);

/*
 * Serves the page as /metrics. address: "PORT" or ":PORT" at 127.0.0.1, "ADDRESS:PORT", or "[ADDRESS]:PORT" for IPv6. Returns NULL with a
 * message; a build without libmicrohttpd has only that.
 */
struct http *http_open(const char *address, http_page page, void *context, struct error *err);
/* Returns a descriptor that can be read when http_run() has something to do. */
int http_fd(const struct http *http);
/* Answers requests, without waiting. Call it now and then, too, so that connections that do nothing are closed. */
void http_run(struct http *http);
void http_close(struct http *http);
/* In a process that was forked: closes what it has got, without an effect on the server. */
void http_leave(const struct http *http);
