/* guest: another process records the command, so this one only runs it. */
#include "guest.h"

#include "cannot_run.h"
#include "command.h"
#include "record/node.h"
#include "record/record_places.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/live.h>
#include <iotrace/place.h>
#include <signal.h>

/* Passes the command to the host. Returns a recording that contains only the command, or NULL with a message. */
static struct live *join(const struct guest *guest, struct record_places *places, int *log,
			 struct error *err)
{
	const struct live_options options = {
		.recording = &guest->options->recording,
		.quiet = guest->quiet,
		.host_socket = guest->socket,
		.join_options = guest->join_options,
		.own_place = places->place,
		.host_log = log,
	};
	struct live *live = live_open(&options, err);

	/* The place belongs to the host now. */
	if (live && places->place && live_is_recorded(live)) {
		place_forget(places->place);
		places->place = NULL;
	}
	return live;
}

int guest_run(const struct guest *guest, struct record_places *places)
{
	int log = -1, exec_errno = 0, status, code;
	struct error err = {0};
	struct live *live = join(guest, places, &log, &err);

	if (!live || live_start(live, &err)) {
		if (!node_print_log(log))
			command_complain(&err);
		if (live)
			live_close(live, NULL);
		return err.code == EINTR ? STATUS_SIGNAL + SIGINT : STATUS_FAILED;
	}
	status = command_exit_status(live_wait(live, &exec_errno));
	if (exec_errno)
		status = cannot_run(guest->options, guest->name, exec_errno);
	code = live_leave_host(live, &log);
	node_print_log(log);
	live_close(live, NULL);
	return code ? STATUS_FAILED : status;
}
