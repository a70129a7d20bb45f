/* http_address: an address to listen at. */
#pragma once

#include <sys/socket.h>

struct error;

/* Parses an address of <iotrace/http.h>. Returns 0, or -EINVAL with a message. */
int http_address_parse(struct sockaddr_storage *address, const char *text, struct error *err);
