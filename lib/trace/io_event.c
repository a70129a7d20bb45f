/*
 * io_event: see io_event.h.
 */
#include <iotrace/io_event.h>

const char *io_event_name(enum io_event_kind kind)
{
	static const char *const name[IO_EVENT_KINDS] = {
		[IO_PROGRAM_BEGIN] = "PROGRAM_BEGIN",
		[IO_PROGRAM_END] = "PROGRAM_END",
		[IO_THREAD_BEGIN] = "THREAD_BEGIN",
		[IO_THREAD_END] = "THREAD_END",
		[IO_ENTER] = "ENTER",
		[IO_LEAVE] = "LEAVE",
		[IO_CREATE_HANDLE] = "CREATE_HANDLE",
		[IO_DESTROY_HANDLE] = "DESTROY_HANDLE",
		[IO_DUPLICATE_HANDLE] = "DUPLICATE_HANDLE",
		[IO_SEEK] = "SEEK",
		[IO_CHANGE_STATUS_FLAGS] = "CHANGE_STATUS_FLAGS",
		[IO_DELETE_FILE] = "DELETE_FILE",
		[IO_OP_BEGIN] = "OP_BEGIN",
		[IO_OP_ISSUED] = "OP_ISSUED",
		[IO_OP_COMPLETE] = "OP_COMPLETE",
		[IO_OP_CANCELLED] = "OP_CANCELLED",
		[IO_ACQUIRE_LOCK] = "ACQUIRE_LOCK",
		[IO_RELEASE_LOCK] = "RELEASE_LOCK",
		[IO_TRY_LOCK] = "TRY_LOCK",
		[IO_METRIC] = "METRIC",
		[IO_PARAMETER] = "PARAMETER",
		[IO_LOST] = "LOST",
		[IO_MARK] = "MARK",
	};

	return name[kind];
}
