/* daemon_line: the numbers of a view since the last time, as the lines of <iotrace/totals.h>. */
#pragma once

#include <iotrace/counted_owner.h>
#include <iotrace/counted_read.h>
#include <iotrace/frame.h>
#include <stdio.h>

struct daemon_hangs;
struct stat_before;
struct live;

struct daemon_view {
	uint32_t view;  /* enum publication_view */
	uint32_t index; /* of the counted span */
	bool is_counted;
	uint64_t hang;              /* ns; 0: not wanted */
	struct daemon_hangs *hangs; /* NULL: not wanted */
	uint64_t from;
	struct frames *groups, *owners;
	struct stat_before *before; /* FUSE requests; NULL: of another view */
	struct counted_books books; /* at the last time */
	uint64_t failed[COUNTED_ERRNOS];
};

/* Returns "block requests", ... */
const char *daemon_view_title(uint32_t view);
void daemon_view_begin(struct daemon_view *view, struct live *live);
void daemon_view_release(struct daemon_view *view);
void daemon_line_begin(FILE *out, uint64_t from, uint64_t to, uint64_t realtime);
void daemon_view_write(struct daemon_view *view, struct live *live, uint64_t now, FILE *out);
void daemon_line_end(FILE *out);
