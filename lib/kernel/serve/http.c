/* http: see <iotrace/http.h>. Uses libmicrohttpd. */
#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/http.h>

#ifdef IOTRACE_HTTP_LIBRARY
#include "http_address.h"
#include "library.h"

#include <iotrace/mem.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Any user of the machine may connect and say nothing: that must not keep others waiting for long. */
enum { CONNECTIONS_MOST = 256, CONNECTION_MEMORY = 16384, IDLE_S = 3 };

/* The functions of libmicrohttpd, which is loaded by http_open(). */
struct functions {
	LIBRARY_FUNCTION(MHD_add_response_header);
	LIBRARY_FUNCTION(MHD_create_response_from_buffer);
	LIBRARY_FUNCTION(MHD_destroy_response);
	LIBRARY_FUNCTION(MHD_get_daemon_info);
	LIBRARY_FUNCTION(MHD_lookup_connection_value);
	LIBRARY_FUNCTION(MHD_queue_response);
	LIBRARY_FUNCTION(MHD_run);
	LIBRARY_FUNCTION(MHD_start_daemon);
	LIBRARY_FUNCTION(MHD_stop_daemon);
};

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, offsetof(struct functions, name)                                            \
	}
static const struct library_function function_row[] = {
	ROW(MHD_add_response_header),
	ROW(MHD_create_response_from_buffer),
	ROW(MHD_destroy_response),
	ROW(MHD_get_daemon_info),
	ROW(MHD_lookup_connection_value),
	ROW(MHD_queue_response),
	ROW(MHD_run),
	ROW(MHD_start_daemon),
	ROW(MHD_stop_daemon),
};
#undef ROW

struct http {
	void *library;
	struct functions mhd;
	struct MHD_Daemon *daemon;
	http_page page;
	void *context;
};

static enum MHD_Result answer(const struct http *http, struct MHD_Connection *connection,
			      unsigned status, char *text, size_t size, const char *type)
{
	struct MHD_Response *response =
		http->mhd.MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE);
	enum MHD_Result result;

	if (!response) {
		free(text);
		return MHD_NO;
	}
	http->mhd.MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	result = http->mhd.MHD_queue_response(connection, status, response);
	http->mhd.MHD_destroy_response(response);
	return result;
}

static enum MHD_Result refuse(const struct http *http, struct MHD_Connection *connection,
			      unsigned status, const char *text)
{
	return answer(http, connection, status, mem_strdup(text), strlen(text), "text/plain");
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_size, void **state)
{
	const struct http *http = context;
	const char *accept, *type;
	size_t size = 0;
	char *text;

	(void)version;
	(void)upload;
	(void)state;
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
		*upload_size = 0;
		return refuse(http, connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
	}
	if (strcmp(url, "/metrics") != 0)
		return refuse(http, connection, MHD_HTTP_NOT_FOUND, "see /metrics\n");
	accept = http->mhd.MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
						       MHD_HTTP_HEADER_ACCEPT);
	text = http->page(http->context, accept ? accept : "", &size, &type);
	return answer(http, connection, MHD_HTTP_OK, text, size, type);
}

struct http *http_open(const char *address, http_page page, void *context, struct error *err)
{
	struct http *http;
	struct sockaddr_storage at;
	unsigned flags = MHD_USE_EPOLL;

	if (http_address_parse(&at, address, err))
		return NULL;
	if (at.ss_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	http = mem_zero(sizeof(*http));
	http->page = page;
	http->context = context;
	http->library = library_open(IOTRACE_HTTP_LIBRARY, function_row,
				     sizeof(function_row) / sizeof(*function_row), &http->mhd, err);
	if (!http->library) {
		free(http);
		return NULL;
	}
	errno = 0;
	http->daemon = http->mhd.MHD_start_daemon(
		flags, 0, NULL, NULL, handle, http, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&at,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MOST,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S, MHD_OPTION_END);
	if (http->daemon)
		return http;
	error_set(err, errno ? errno : EIO, "cannot serve metrics at %s", address);
	library_close(http->library);
	free(http);
	return NULL;
}

int http_fd(const struct http *http)
{
	return http->mhd.MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

void http_run(struct http *http)
{
	http->mhd.MHD_run(http->daemon);
}

void http_close(struct http *http)
{
	if (!http)
		return;
	http->mhd.MHD_stop_daemon(http->daemon);
	library_close(http->library);
	free(http);
}

void http_leave(const struct http *http)
{
	if (!http)
		return;
	close(http->mhd.MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_LISTEN_FD)->listen_fd);
	close(http_fd(http));
}
#else
struct http *http_open(const char *address, http_page page, void *context, struct error *err)
{
	(void)address;
	(void)page;
	(void)context;
	error_say(err, ENOTSUP, "--metrics: this build of iotrace has no libmicrohttpd");
	error_hint(err, "Use --metrics-file, or build iotrace with libmicrohttpd.");
	return NULL;
}

int http_fd(const struct http *http)
{
	(void)http;
	return -1;
}

void http_run(struct http *http)
{
	(void)http;
}

void http_close(struct http *http)
{
	(void)http;
}

void http_leave(const struct http *http)
{
	(void)http;
}
#endif
