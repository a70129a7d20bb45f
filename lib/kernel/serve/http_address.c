/* http_address: see http_address.h. Names are not looked up: that might ask a server, and take long. */
#include "http_address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <iotrace/error.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_MOST = 64, PORT_MOST = 65535, DIGITS_MOST = 5 };

static int refuse(const char *text, struct error *err)
{
	return error_say(
		err, EINVAL,
		"invalid address '%s': expected a port such as 9464, 127.0.0.1:9464 or [::1]:9464",
		text);
}

/* Returns 0 if the text is no port. */
static unsigned port_of(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	unsigned long port = strtoul(text, NULL, 10);

	return !digits || text[digits] || digits > DIGITS_MOST || port > PORT_MOST ? 0
										   : (unsigned)port;
}

/* Copies the part before the port, without brackets. Returns false if it is too long, or has one bracket. */
static bool host_of(const char *text, const char *colon, char host[HOST_MOST])
{
	size_t length = (size_t)(colon - text);
	bool has_brackets = length >= 2 && *text == '[' && colon[-1] == ']';

	if (has_brackets) {
		text++;
		length -= 2;
	}
	if (length >= HOST_MOST || (!has_brackets && memchr(text, ':', length)))
		return false;
	memcpy(host, text, length);
	host[length] = '\0';
	return true;
}

int http_address_parse(struct sockaddr_storage *address, const char *text, struct error *err)
{
	struct sockaddr_in *four = (struct sockaddr_in *)address;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)address;
	const char *colon = strrchr(text, ':');
	unsigned port = port_of(colon ? colon + 1 : text);
	char host[HOST_MOST] = "";

	*address = (struct sockaddr_storage){0};
	if (!port || (colon && !host_of(text, colon, host)))
		return refuse(text, err);
	if (inet_pton(AF_INET6, host, &six->sin6_addr) == 1) {
		six->sin6_family = AF_INET6;
		six->sin6_port = htons((uint16_t)port);
		return 0;
	}
	if (inet_pton(AF_INET, *host ? host : "127.0.0.1", &four->sin_addr) != 1)
		return refuse(text, err);
	four->sin_family = AF_INET;
	four->sin_port = htons((uint16_t)port);
	return 0;
}
