/*
 * users: names of users and groups, from /etc/passwd and /etc/group.
 *
 * Only these files are read. The name service may ask a server, which may be what hangs. So a user of LDAP has a number.
 */
#pragma once

#include <stdint.h>

/* Calls back with each user or group of the file. Without the file there is none. Names are lent. */
void users_each(void (*call)(void *context, uint32_t id, const char *name), void *context);
void user_groups_each(void (*call)(void *context, uint32_t id, const char *name), void *context);
