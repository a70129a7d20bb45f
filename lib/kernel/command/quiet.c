#include <iotrace/quiet.h>

static const int quieted[QUIET_SIGNALS] = {SIGPIPE, SIGXFSZ};

void quiet_begin(struct quiet *quiet)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	for (int i = 0; i < QUIET_SIGNALS; i++)
		sigaction(quieted[i], &ignore, &quiet->before[i]);
}

void quiet_end(const struct quiet *quiet)
{
	for (int i = 0; i < QUIET_SIGNALS; i++)
		sigaction(quieted[i], &quiet->before[i], NULL);
}
