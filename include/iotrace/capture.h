/*
 * capture: a perf.data file, read and written.
 *
 * The format is perf's own (tools/perf/Documentation/perf.data-file-format.txt). A recording is
 * spooled as one, `--capture` keeps it, `iotrace convert` reads it, and a live run converts by
 * following the file while it grows: so live and replay cannot differ. A file whose writer was
 * killed has data.size 0 and no feature sections behind its records; it is read to its end, and a
 * torn last record is reported, not an error.
 */
#pragma once

#include <iotrace/sample.h>

struct error;

enum {
	CAPTURE_EVENTS_MAX = 4096,
	/* A round larger than this is cut: what then comes late is counted. */
	CAPTURE_ROUND_MAX = 256 << 20,
};

/* Names of events in a capture of ours: a counter of -E, and an event of -e (SYSTEM:EVENT[=FIELD,...]). */
#define CAPTURE_COUNTER_PREFIX "iotrace:counter:"
#define CAPTURE_CHOSEN_PREFIX  "iotrace:event:"

/* User record types of perf.data that matter here (tools/perf/util/event.h). */
enum {
	CAPTURE_RECORD_FINISHED_ROUND = 68,
	CAPTURE_RECORD_COMPRESSED = 81,
	CAPTURE_RECORD_COMPRESSED2 = 83,
};

struct capture_event {
	struct perf_event_attr attr;
	struct sample_layout layout;
	char *name;   /* "raw_syscalls:sys_enter", "iotrace:fact"; may be "" in a foreign file */
	uint64_t *id; /* kernel ids of its instances, one for each CPU */
	uint32_t ids;
};

struct capture_format {
	char *system;
	char *text;    /* a tracepoint's format file */
	uint64_t hash; /* of the text */
	uint64_t id;   /* of the tracepoint, or UINT64_MAX: what attr.config says */
};

/*
 * What a stream says of itself. Owned by the one who made it; capture_info_release() frees the
 * contents.
 */
struct capture_info {
	struct capture_event *event;
	uint32_t events, events_cap;
	struct capture_format *format;
	uint32_t formats, formats_cap;
	char *hostname, *release, *machine, *version, *cmdline; /* NULL: not said */
	uint32_t cpus;
	uint32_t page_size;
	char *header_page, *header_event; /* tracefs events/header_*: perf wants them in the file */
};

void capture_info_init(struct capture_info *info);
void capture_info_release(struct capture_info *info);
/*
 * Returns the new event, name copied, its layout worked out; NULL with a sentence if not supported.
 */
struct capture_event *capture_info_add_event(struct capture_info *info,
					     const struct perf_event_attr *attr, const char *name,
					     const uint64_t *id, uint32_t ids, struct error *err);
/* Copies system and text, unless the same text is there already. */
void capture_info_add_format(struct capture_info *info, const char *system, const char *text);

/*
 * Writer. Header and feature sections first, then whole records, then (in finish) the table that
 * perf looks for behind the records. So a reader that follows the file, or finds one whose writer was
 * killed, has names and formats from the start. The file is created new: -EEXIST if it is there.
 * Each capture_write() appends the bytes with as few write() calls as possible; what it could not
 * write as a whole is taken back.
 */
struct capture_writer;

struct capture_writer *capture_create(const char *path, const struct capture_info *info,
				      struct error *err);
/* The same in an empty file that is open (fd is taken); `path` names it in sentences. */
struct capture_writer *capture_create_in(int fd, const char *path, const struct capture_info *info,
					 struct error *err);
int capture_write(struct capture_writer *writer, const void *records, size_t size,
		  struct error *err);
/* Returns how many bytes of records have reached the file. */
uint64_t capture_written(const struct capture_writer *writer);
/* Returns 0 or -errno. Writes the table and data.size; frees. NULL is fine. */
int capture_finish(struct capture_writer *writer, struct error *err);

/*
 * Reader. A round is a piece of the stream up to a FINISHED_ROUND record: all that was in all rings
 * at one moment. capture_next_round() gives the bytes of the next one, lent until
 * capture_round_free().
 */
struct capture;

struct capture_round {
	uint8_t *bytes; /* owned by the round */
	size_t size;    /* whole records only; the FINISHED_ROUND record is not among them */
	void *chunk;    /* memory that rounds of a capture share; NULL: bytes are from malloc() */
};

/*
 * `available` (NULL: the file is complete) is asked for how many bytes of records can be read: it
 * blocks until there are more than `have`, and returns `have` when the stream has ended.
 */
typedef uint64_t (*capture_available)(void *context, uint64_t have);

struct capture *capture_open(const char *path, capture_available available, void *context,
			     struct error *err);
/* The same of a file that is open (fd is taken); `path` names it in sentences. */
struct capture *capture_open_in(int fd, const char *path, capture_available available,
				void *context, struct error *err);
/* Lent until capture_close(). */
const struct capture_info *capture_info(const struct capture *capture);
/* Returns 1 with a round, 0 at the end, or -errno with a sentence. */
int capture_next_round(struct capture *capture, struct capture_round *round, struct error *err);
void capture_round_free(struct capture_round *round);
/* Returns bytes consumed and, if known (else 0), bytes in all: for a progress line. */
uint64_t capture_position(const struct capture *capture, uint64_t *total);
/* Returns how many bytes at the end were no whole record. */
uint64_t capture_torn(const struct capture *capture);
/* Returns how many bytes a recorder cut out of its spool so far (see trim.h), and how many records they were. */
uint64_t capture_gone(const struct capture *capture, uint64_t *records);
/* Returns index of the event with this kernel id, or UINT32_MAX; with one event, that. */
uint32_t capture_find_event(const struct capture *capture, uint64_t id);
/*
 * Finds the event and its layout and parses: returns 0 or -EBADMSG. User records (type >= 64) have
 * no time.
 */
int capture_parse(const struct capture *capture, const void *record, struct sample *sample);
void capture_close(struct capture *capture);
