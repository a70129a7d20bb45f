/* supervisor: see <iotrace/supervisor.h>. */
#include <iotrace/supervisor.h>

#include <stdlib.h>

bool supervisor_is_there(void)
{
	return getenv("NOTIFY_SOCKET");
}

#ifdef IOTRACE_SYSTEMD_LIBRARY
#include "library.h"

#include <stdio.h>
#include <systemd/sd-daemon.h>

enum { STATE_MOST = 256 };

/* Without systemd, there is nobody to tell. */
static void notify(const char *state)
{
	struct {
		LIBRARY_FUNCTION(sd_notify);
	} functions;
	static const struct library_function row[] = {{"sd_notify", 0}};
	void *library = supervisor_is_there()
				? library_open(IOTRACE_SYSTEMD_LIBRARY, row, 1, &functions, NULL)
				: NULL;

	if (library)
		functions.sd_notify(0, state);
	library_close(library);
}

void supervisor_ready(const char *status)
{
	char state[STATE_MOST];

	snprintf(state, sizeof(state), "READY=1\nSTATUS=%s", status);
	notify(state);
}

void supervisor_status(const char *status)
{
	char state[STATE_MOST];

	snprintf(state, sizeof(state), "STATUS=%s", status);
	notify(state);
}

void supervisor_stopping(void)
{
	notify("STOPPING=1");
}
#else
void supervisor_ready(const char *status)
{
	(void)status;
}

void supervisor_status(const char *status)
{
	(void)status;
}

void supervisor_stopping(void)
{
}
#endif
