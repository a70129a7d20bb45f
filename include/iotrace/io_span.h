/* io_span: what an archive says of a span that is neither a call nor an operation: see <iotrace/span.h>. */
#pragma once

#include <iotrace/strtab.h>
#include <stdint.h>

enum { IO_SPAN_KEYS = 4 };

struct io_span {
	uint32_t keys;
	uint64_t key[IO_SPAN_KEYS]; /* the fields of its key that are numbers; with its begin */
	str_id text;                /* the field that is a text; 0: none */
	str_id group;               /* with its begin or its end, whichever knows it; 0: none */
	uint64_t begun;             /* LEAVE: time of its begin */
};
