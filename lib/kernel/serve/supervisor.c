/* supervisor: see <iotrace/supervisor.h>. */
#include <iotrace/supervisor.h>

#ifdef IOTRACE_HAS_SYSTEMD
#include <systemd/sd-daemon.h>

void supervisor_ready(const char *status)
{
	sd_notifyf(0, "READY=1\nSTATUS=%s", status);
}

void supervisor_status(const char *status)
{
	sd_notifyf(0, "STATUS=%s", status);
}

void supervisor_stopping(void)
{
	sd_notify(0, "STOPPING=1");
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
