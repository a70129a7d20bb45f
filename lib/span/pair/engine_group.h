/* engine_group: what the number of a group is. */
#pragma once

#include <iotrace/io_event.h>

/* In place of a mount: the call has a path and no descriptor. */
#define GROUP_BY_PATH (ID_NONE - 1)
/* The call is of no file system: of a device, a pipe or a socket, or of no file. */
#define GROUP_NO_FILE_SYSTEM (ID_NONE - 2)

/* The type of a span's groups. */
enum group_kind {
	GROUP_IS_NOTHING,
	GROUP_IS_NUMBER,
	GROUP_IS_SIGNED,
	GROUP_IS_HEX,
	GROUP_IS_TEXT,       /* an id in engine->strings */
	GROUP_IS_TRACE_TEXT, /* an id in the trace's strings */
	GROUP_IS_PROCESS,    /* a process_id */
	GROUP_IS_THREAD,     /* a thread_id */
	GROUP_IS_PID,
	GROUP_IS_TID,
	GROUP_IS_MODE,    /* enum io_mode, and IO_MODES + enum request_kind */
	GROUP_IS_REQUEST, /* a device, and enum request_kind: map_key() */
	GROUP_IS_DEVICE,
	/* As the kernel counts requests: the number of a device, enum request_kind, or map_key() of both. */
	GROUP_IS_DEVICE_NUMBER,
	GROUP_IS_KIND,
	GROUP_IS_REQUEST_NUMBER,
	GROUP_IS_USER,
	GROUP_IS_CGROUP,
	GROUP_IS_MOUNT,      /* ID_NONE: unknown; or GROUP_BY_PATH, GROUP_NO_FILE_SYSTEM */
	GROUP_IS_CONNECTION, /* and a number: map_key() */
	GROUP_IS_OWNER, /* pid and name (of the trace's strings) of a request's task: map_key() */
};
