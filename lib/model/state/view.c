/*
 * view: what sinks may read of the model, by id.
 */
#include "state.h"

#define ACCESSOR(type, plural, singular, array)                                                    \
	uint32_t model_##plural(const struct model *m)                                             \
	{                                                                                          \
		return m->array##s;                                                                \
	}                                                                                          \
	const struct type *model_##singular(const struct model *m, uint32_t id)                    \
	{                                                                                          \
		return &m->array[id];                                                              \
	}

ACCESSOR(model_thread, threads, thread, thread)
ACCESSOR(model_process, processes, process, group)
ACCESSOR(model_file, files, file, file)
ACCESSOR(model_handle, handles, handle, handle)
ACCESSOR(model_mount, mounts, mount, mount)
ACCESSOR(model_count, counts, count, count)
ACCESSOR(model_device, devices, device, device)
ACCESSOR(model_cgroup, cgroups, cgroup, cgroup)

const struct model_host *model_host(const struct model *m)
{
	return &m->host;
}

const struct strtab *model_strings(const struct model *m)
{
	return m->strings;
}

const char *model_text(const struct model *m, str_id id)
{
	return strtab_text(m->strings, id);
}

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
	};

	return name[kind];
}
