/*
 * io_event: the meaning of an event, in the terms of OTF2's I/O records. A value that contains only ids (except the
 * values of a metric).
 *
 * The ids are indices into the arrays of struct trace and stay valid for the whole run: thread_id (a location),
 * process_id (a location group), handle_id, file_id, str_id, region_id. On each location, time never decreases, and
 * ENTER and LEAVE are properly nested.
 */
#pragma once

#include <iotrace/event.h>
#include <iotrace/io_span.h>
#include <iotrace/strtab.h>

typedef uint32_t thread_id;
typedef uint32_t process_id;
typedef uint32_t handle_id;
typedef uint32_t file_id;
typedef uint32_t region_id;

#define ID_NONE            UINT32_MAX
#define IO_BYTES_UNDEFINED UINT64_MAX /* OTF2_UNDEFINED_UINT64 */
#define IO_OFFSET_UNKNOWN  UINT64_MAX

enum io_event_kind {
	IO_PROGRAM_BEGIN, /* a process begins to run a program */
	IO_PROGRAM_END,
	IO_THREAD_BEGIN,
	IO_THREAD_END,
	IO_ENTER,
	IO_LEAVE,
	IO_CREATE_HANDLE,
	IO_DESTROY_HANDLE,
	IO_DUPLICATE_HANDLE,
	IO_SEEK,
	IO_CHANGE_STATUS_FLAGS,
	IO_DELETE_FILE,
	IO_OP_BEGIN,
	IO_OP_ISSUED,
	IO_OP_COMPLETE,
	IO_OP_CANCELLED,
	IO_ACQUIRE_LOCK,
	IO_RELEASE_LOCK,
	IO_TRY_LOCK,
	IO_METRIC,
	IO_PARAMETER, /* a string field of an event of -e */
	IO_LOST,      /* on no location: data was lost around this time */
	IO_MARK,      /* on no location: a mark that a user or a program set */
	IO_EVENT_KINDS
};

enum io_mode { IO_MODE_READ, IO_MODE_WRITE, IO_MODE_FLUSH };
enum io_lock { IO_LOCK_EXCLUSIVE, IO_LOCK_SHARED };
enum io_end {
	IO_END_EXIT,
	IO_END_LOST,
	IO_END_RECORDING,
	IO_END_DEATH,
	IO_END_MERGED,  /* the block request became part of another one */
	IO_END_ABORTED, /* an asynchronous request: cancelled by the program, with a linked request, or by the end of its thread */
	IO_END_UNREPORTED /* an asynchronous request: the kernel reported no end, so nobody knows when it was */
};                        /* why an operation was cancelled, or a call was cut */

struct io_event {
	enum io_event_kind kind;
	thread_id thread; /* ID_NONE for IO_LOST and IO_MARK */
	uint64_t time;
	handle_id handle; /* kinds from IO_CREATE_HANDLE to IO_TRY_LOCK, ENTER (or ID_NONE) */
	union {
		struct {
			int32_t exit_status; /* PROGRAM_END: wait status, or -1 if unknown */
		} program;
		struct {
			region_id id;
			int32_t error; /* LEAVE: errno, 0: succeeded */
			file_id file;  /* ENTER: of path calls without a handle, or ID_NONE */
			str_id path; /* LEAVE: path that a failed call named; 0: none, or unknown */
			/* LEAVE: the end was not seen, for this reason; of archives only of a span */
			bool is_cut;
			enum io_end end;
			const struct io_span *span; /* of a region that is a span; lent */
		} region;
		struct {
			uint32_t
				flags; /* O_*: access mode, creation and status flags of the call */
		} create;              /* CREATE_HANDLE, CHANGE_STATUS_FLAGS */
		struct {
			handle_id new_handle;
			uint32_t flags; /* O_CLOEXEC or 0 */
		} duplicate;
		struct {
			bool is_shared; /* other processes have the same descriptors; of archives false */
		} destroy;
		struct {
			int64_t request;
			uint64_t result;
			uint32_t whence; /* SEEK_* */
		} seek;
		struct {
			file_id file;
		} delete_file;
		struct {
			uint64_t id; /* matchingId, unique in the whole archive */
			uint64_t
				bytes; /* BEGIN: requested; COMPLETE: returned; or IO_BYTES_UNDEFINED */
			uint64_t offset; /* BEGIN: in the file, or IO_OFFSET_UNKNOWN */
			enum io_mode mode;
			bool is_non_blocking;
			bool is_collective_proxy; /* sync(): stands for all files */
			enum io_end end;          /* CANCELLED */
			enum request_kind type;   /* on a device's location */
			/* BEGIN on a device: process and thread that caused it; 0: unknown */
			uint32_t pid, tid;
			/* BEGIN on a device: command name of that process, or "writeback". BEGIN on a thread: command
			   name of the task that did it; 0: the thread itself */
			str_id name;
			str_id rwbs; /* BEGIN on a device: the letters of the request; 0: no block request */
			file_id file; /* BEGIN on a device: the file whose pages it moves, or ID_NONE */
			uint32_t
				cgroup; /* BEGIN, COMPLETE on a device: control group that is charged, or ID_NONE */
			int32_t error; /* COMPLETE: errno, 0: succeeded */
			/* On a device. COMPLETE, CANCELLED: time of its begin. COMPLETE: time of its last issue (a driver
			   can return a request, which is issued again); 0: unknown */
			uint64_t begun, issued;
			const struct io_span *span; /* of a handle that is of spans; lent */
		} op;
		struct {
			enum io_lock lock;
		} lock;
		struct {
			uint32_t series;         /* model_series() */
			uint32_t counters;       /* as many as the series has */
			const uint64_t *counter; /* lent; int64_t where the metric is signed */
		} metric;
		struct {
			uint32_t parameter; /* model_parameter() */
			str_id value;
		} parameter;
		struct {
			uint64_t count;
		} lost;
		struct {
			uint32_t pid; /* process that set it; 0: unknown */
			str_id text;
		} mark;
	};
};

/* Returns "ENTER", "OP_BEGIN" ... as the text sink prints it. */
const char *io_event_name(enum io_event_kind kind);
