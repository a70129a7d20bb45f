/* io_span: key and group of a span that --span has recorded. See <iotrace/span.h>. */
#pragma once

#include <iotrace/strtab.h>
#include <stdint.h>

enum { IO_SPAN_KEYS = 4 };

struct io_span {
	uint32_t keys;
	uint64_t key
		[IO_SPAN_KEYS]; /* the numbers among the fields of its key; given with the begin */
	str_id text;            /* the text among them; 0: none */
	str_id group;           /* given with the begin or with the end; 0: none */
	uint64_t begun;         /* LEAVE: time of its begin */
};
