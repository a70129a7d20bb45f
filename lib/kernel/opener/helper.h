/* helper: the main function of the opener's process. */
#pragma once

#include "opener.h"

enum { OPENER_NEW_ROOT = INT32_MAX };

struct opener_request {
	uint32_t event; /* index into the table, or OPENER_NEW_ROOT */
	int32_t tid;    /* of a control group: its index */
	uint32_t cpu;
};

struct opener_reply {
	int32_t code; /* 0: a descriptor is attached; otherwise -errno */
};

/* Answers requests until the other end of the socket is closed. Then the process ends. */
void __attribute__((noreturn)) helper_main(int socket, const struct opener_table *table);
