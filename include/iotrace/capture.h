/*
 * capture: reads and writes perf.data files.
 *
 * The format is perf's own (tools/perf/Documentation/perf.data-file-format.txt). A recording writes its spool in
 * this format, `--capture` keeps it, and `iotrace convert` reads it. A live run converts the spool while it grows,
 * so a recording and its replay cannot differ. If the writer was killed, data.size is 0 and no feature sections
 * follow the records. Such a file is read to its end, and a truncated last record is counted and not an error.
 */
#pragma once

#include <iotrace/sample.h>
#include <string.h>

struct error;

enum {
	CAPTURE_EVENTS_MAX = 4096,
	/* A larger round is split; records that then come late are counted. */
	CAPTURE_ROUND_MAX = 256 << 20,
};

/*
 * Names of events in captures of iotrace: a counter of -E, an event of -e (SYSTEM:EVENT[=FIELD,...]), and the same of an event that only
 * spans need.
 */
#define CAPTURE_COUNTER_PREFIX "iotrace:counter:"
#define CAPTURE_CHOSEN_PREFIX  "iotrace:event:"
#define CAPTURE_SPAN_PREFIX    "iotrace:span:"

/* Returns SYSTEM:EVENT[=FIELD,...] of an event of -e or of spans, or NULL. */
static inline const char *capture_chosen(const char *name)
{
	static const char *const prefix[] = {CAPTURE_CHOSEN_PREFIX, CAPTURE_SPAN_PREFIX};

	for (int i = 0; name && i < 2; i++)
		if (!strncmp(name, prefix[i], strlen(prefix[i])))
			return name + strlen(prefix[i]);
	return NULL;
}

/* User record types of perf.data that iotrace uses (tools/perf/util/event.h). */
enum {
	CAPTURE_RECORD_FINISHED_ROUND = 68,
	CAPTURE_RECORD_COMPRESSED = 81,
	CAPTURE_RECORD_COMPRESSED2 = 83,
};

struct capture_event {
	struct perf_event_attr attr;
	struct sample_layout layout;
	char *name;   /* "raw_syscalls:sys_enter", "iotrace:fact"; may be "" in a file of perf */
	uint64_t *id; /* kernel ids of its instances, one for each CPU */
	uint32_t ids;
};

struct capture_format {
	char *system;
	char *text;    /* a tracepoint's format file */
	uint64_t hash; /* of the text */
	uint64_t id;   /* of the tracepoint, or UINT64_MAX: what attr.config says */
};

/* The description of a stream. Its creator owns it; capture_info_release() frees the contents. */
struct capture_info {
	struct capture_event *event;
	uint32_t events, events_cap;
	struct capture_format *format;
	uint32_t formats, formats_cap;
	char *hostname, *release, *machine, *version, *cmdline; /* NULL: not in the file */
	uint32_t cpus;
	uint32_t page_size;
	char *header_page, *header_event; /* tracefs events/header_*: perf wants them in the file */
};

void capture_info_init(struct capture_info *info);
void capture_info_release(struct capture_info *info);
/* Adds an event; copies the name and computes the layout. Returns it, or NULL with a message if it is not supported. */
struct capture_event *capture_info_add_event(struct capture_info *info,
					     const struct perf_event_attr *attr, const char *name,
					     const uint64_t *id, uint32_t ids, struct error *err);
/* Copies system and text, unless the same text was added before. */
void capture_info_add_format(struct capture_info *info, const char *system, const char *text);

/*
 * Writer. It writes the header and feature sections first, then whole records, and at the end the table that perf expects
 * after the records. So a reader that follows the file, or reads it after its writer was killed, has names and formats
 * from the start. The file must not exist (-EEXIST). capture_write() appends with as few write() calls as possible; if it
 * cannot write everything, it removes what it wrote.
 */
struct capture_writer;

struct capture_writer *capture_create(const char *path, const struct capture_info *info,
				      struct error *err);
/* The same for an open empty file; takes over fd. `path` is used in messages. */
struct capture_writer *capture_create_in(int fd, const char *path, const struct capture_info *info,
					 struct error *err);
int capture_write(struct capture_writer *writer, const void *records, size_t size,
		  struct error *err);
/* Returns how many bytes of records have reached the file. */
uint64_t capture_written(const struct capture_writer *writer);
/* Returns 0 or -errno. Writes the table and data.size; frees. NULL is fine. */
int capture_finish(struct capture_writer *writer, struct error *err);

/*
 * Reader. A round is the part of the stream up to a FINISHED_ROUND record: everything that was in all ring buffers at one
 * moment. capture_next_round() returns the bytes of the next one, which are valid until capture_round_free().
 */
struct capture;

struct capture_round {
	uint8_t *bytes; /* owned by the round */
	size_t size;    /* whole records only; the FINISHED_ROUND record is not among them */
	void *chunk;    /* memory that rounds of a capture share; NULL: bytes are from malloc() */
};

/*
 * `available` returns how many bytes of records can be read. It blocks until there are more than `have`, and returns `have`
 * when the stream has ended. NULL: the file is complete.
 */
typedef uint64_t (*capture_available)(void *context, uint64_t have);

struct capture *capture_open(const char *path, capture_available available, void *context,
			     struct error *err);
/* The same for an open file; takes over fd. `path` is used in messages. */
struct capture *capture_open_in(int fd, const char *path, capture_available available,
				void *context, struct error *err);
/*
 * Begins with the record at this offset, which capture_position() has returned for the same file. Call it before the first round. The
 * capture must grow: only its header is read from the file then.
 */
void capture_begin_at(struct capture *capture, uint64_t offset);
/* Returns facts about the whole capture. Lent until capture_close(). */
const struct capture_info *capture_info(const struct capture *capture);
/* Returns 1 with a round, 0 at the end, or -errno with a message. */
int capture_next_round(struct capture *capture, struct capture_round *round, struct error *err);
void capture_round_free(struct capture_round *round);
/* Returns the consumed bytes and the total (0: unknown), for a progress line. */
uint64_t capture_position(const struct capture *capture, uint64_t *total);
/* Returns how many bytes at the end were not a complete record. */
uint64_t capture_torn(const struct capture *capture);
/* Returns how many bytes, and records, the recorder has removed from its spool so far (see trim.h). */
uint64_t capture_gone(const struct capture *capture, uint64_t *records);
/* Returns the index of the event with this kernel id, or UINT32_MAX. If there is one event only, returns it. */
uint32_t capture_find_event(const struct capture *capture, uint64_t id);
/* Finds the event of a record and parses it. Returns 0 or -EBADMSG. User records (type >= 64) have no time. */
int capture_parse(const struct capture *capture, const void *record, struct sample *sample);
void capture_close(struct capture *capture);
