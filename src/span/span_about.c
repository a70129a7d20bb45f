/* span_about: see span_about.h. */
#include "span_about.h"

#include <iotrace/call_class.h>
#include <iotrace/counted_about.h>
#include <iotrace/counted_owner.h>
#include <iotrace/io_event.h>
#include <iotrace/span_ways.h>
#include <iotrace/syscall.h>
#include <string.h>

static bool is_of_groups(uint64_t number, uint32_t groups)
{
	call_id id = call_by_number((long)number);

	return id != CALL_ID_NONE && groups >> call_row(id)->group & 1;
}

bool span_about_has_async(const struct span_options *options)
{
	uint32_t groups = options->record.recording.raw_groups;

	return options->is_of_owners || !groups || groups >> GROUP_AIO & 1;
}

bool span_about_has_group(const struct span_options *options, enum call_group group)
{
	return options->record.recording.selection.groups >> group & 1;
}

/* io_getevents and io_pgetevents. */
static bool reaps(uint64_t number)
{
	call_id id = call_by_number((long)number);
	const char *name = id == CALL_ID_NONE ? "" : call_row(id)->name;

	return !strcmp(name, "io_getevents") || !strcmp(name, "io_pgetevents");
}

void span_about_values(const struct span_options *options, const struct span *span, uint8_t *about)
{
	const struct recording *recording = &options->record.recording;
	bool chooses = span_is_of_raw_calls(span) && recording->raw_groups;

	_Static_assert((int)COUNTED_READS == (int)SPAN_READS &&
			       (int)COUNTED_WRITES == (int)SPAN_WRITES,
		       "they are the same");
	for (uint32_t i = 0; i < COUNTED_VALUES; i++) {
		about[i] = (uint8_t)(span->ways ? span->ways->of(i, arch_here()) : 0);
		if (chooses && !is_of_groups(i, recording->raw_groups))
			about[i] |= COUNTED_UNWANTED;
		if (span_is_of_raw_calls(span) && span_about_has_async(options) && reaps(i))
			about[i] |= COUNTED_REAPS;
	}
}

void span_about_file_systems(const struct span_options *options, uint8_t *about, uint8_t *fd)
{
	_Static_assert((int)CALL_CLASSES <= (int)COUNTED_CLASSES &&
			       (int)CALL_FD_NONE == (int)COUNTED_FD_NONE &&
			       (int)CALL_FD_RESULT == (int)COUNTED_FD_RESULT,
		       "they are the same, and have room");
	for (uint32_t i = 0; i < COUNTED_VALUES; i++) {
		call_id id = call_by_number((long)i);
		enum call_class class = id == CALL_ID_NONE ? CALL_CLASS_NONE
							   : call_class_of(call_row(id));
		uint32_t kept = COUNTED_READS | COUNTED_WRITES | COUNTED_REAPS |
				(options->is_of_owners ? 0U : COUNTED_UNWANTED);

		about[i] = (uint8_t)((about[i] & kept) | class << COUNTED_CLASS_SHIFT |
				     (class == CALL_CLASS_NONE ? COUNTED_UNWANTED : 0));
		fd[i] = class == CALL_CLASS_NONE ? COUNTED_FD_NONE : call_class_fd(call_row(id));
	}
}

/* Whether the model makes an operation of the call. */
static bool call_operates(const struct call_row *row, enum counted_operation *operation)
{
	switch ((int)row->kind) {
	case CALL_READ:
		*operation = COUNTED_OP_READ;
		return true;
	case CALL_WRITE:
		*operation = COUNTED_OP_WRITE;
		return true;
	case CALL_COPY:
		*operation = COUNTED_OP_COPY;
		return true;
	case CALL_SYNC:
	case CALL_SYNC_ALL:
		*operation = row->fd < 0 ? COUNTED_OP_FLUSH_ALL : COUNTED_OP_FLUSH;
		return true;
	default:
		return false;
	}
}

/* What the call does to asynchronous requests, which are operations themselves; COUNTED_OP_READ: nothing. */
static enum counted_operation on_iocbs(const struct call_row *row)
{
	return !strcmp(row->name, "io_submit")    ? COUNTED_OP_SUBMIT
	       : !strcmp(row->name, "io_destroy") ? COUNTED_OP_END_QUEUE
						  : COUNTED_OP_READ;
}

static const uint8_t ways[] = {
	[CALL_READ] = COUNTED_READS,
	[CALL_WRITE] = COUNTED_WRITES,
	[CALL_COPY] = COUNTED_READS | COUNTED_WRITES,
};

static uint8_t ways_of(const struct call_row *row)
{
	return row->result == RESULT_BYTES && row->kind < sizeof(ways) ? ways[row->kind] : 0;
}

/* What is known of a call without a row, or one that is no operation. */
static void leave_out(struct span_options *options, uint32_t number, uint8_t *about)
{
	call_id id = call_by_number((long)number);

	options->fd[number] = options->fd2[number] = COUNTED_FD_NONE;
	*about = (*about & COUNTED_REAPS) | COUNTED_UNWANTED;
	if (id != CALL_ID_NONE)
		*about |= (uint8_t)(on_iocbs(call_row(id)) << COUNTED_CLASS_SHIFT);
}

void span_about_operations(struct span_options *options, uint8_t *about)
{
	_Static_assert((int)COUNTED_OP_READ == (int)IO_MODE_READ &&
			       (int)COUNTED_OP_WRITE == (int)IO_MODE_WRITE &&
			       (int)COUNTED_OP_FLUSH == (int)IO_MODE_FLUSH,
		       "they are the same");
	for (uint32_t i = 0; i < COUNTED_VALUES; i++) {
		call_id id = call_by_number((long)i);
		const struct call_row *row = id == CALL_ID_NONE ? NULL : call_row(id);
		enum counted_operation operation;

		if (!row || !call_operates(row, &operation)) {
			leave_out(options, i, &about[i]);
			continue;
		}
		options->fd[i] = row->fd < 0 ? COUNTED_FD_NONE : (uint8_t)row->fd;
		options->fd2[i] = row->kind == CALL_COPY ? (uint8_t)row->fd2 : COUNTED_FD_NONE;
		about[i] = (uint8_t)((about[i] & COUNTED_UNWANTED) | ways_of(row) |
				     operation << COUNTED_CLASS_SHIFT);
	}
}

/* The groups that are followed are recorded, too: see op_is_excluded(). */
void span_about_recorded(const struct span_options *options, uint8_t *about)
{
	uint32_t groups = options->record.recording.selection.groups | CALL_GROUPS_ALWAYS;

	for (uint32_t i = 0; i < COUNTED_VALUES; i++) {
		call_id id = call_by_number((long)i);
		uint8_t kept = about[i] & COUNTED_REAPS;

		about[i] = kept |
			   (is_of_groups(i, groups) ? ways_of(call_row(id)) : COUNTED_UNWANTED);
	}
}
