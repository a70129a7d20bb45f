/* uprobes: see uprobes.h. */
#include "uprobes.h"

#include "tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <iotrace/error.h>
#include <iotrace/log.h>
#include <iotrace/mem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char file[] = "uprobe_events";

void uprobes_init(struct uprobes *uprobes)
{
	*uprobes = (struct uprobes){.fd = -1};
}

/* Opens the file without O_TRUNC, which would remove the probes of others. Returns a descriptor, or -errno with a message. */
static int open_file(const struct tracefs *tracefs, struct error *err)
{
	int fd = openat(tracefs->dir, file, O_WRONLY | O_APPEND | O_CLOEXEC);
	int code = errno;

	if (fd >= 0)
		return fd;
	if (code == ENOENT)
		return error_say(err, code,
				 "this kernel has no probes of programs (CONFIG_UPROBE_EVENTS)");
	error_set(err, code, "probes of programs: cannot open %s in tracefs", file);
	if (code == EACCES || code == EPERM)
		error_hint(err, "Run iotrace as root: only root may make them");
	return -code;
}

static int put(int fd, const char *line)
{
	return write(fd, line, strlen(line)) < 0 ? -errno : 0;
}

/* Removes the line "p:iotrace_4711/NAME FILE:..." of a process that has ended. The kernel keeps probes that somebody uses. */
static void remove_stale(int fd, const char *line)
{
	int pid = 0, length = 0;
	char *text;

	if (sscanf(line, "%*[pr]:iotrace_%d/%*[A-Za-z0-9_]%n", &pid, &length) != 1 || !length ||
	    (pid != getpid() && (kill(pid, 0) == 0 || errno != ESRCH)))
		return;
	text = mem_format("-:%.*s\n", length - 2, line + 2);
	if (!put(fd, text))
		log_debug("removed the probe of a recorder that was killed: %s", line);
	free(text);
}

static void clean(int fd, const struct tracefs *tracefs)
{
	char *text = tracefs_text(tracefs, file, NULL), *rest = text, *line;

	while ((line = strsep(&rest, "\n")))
		remove_stale(fd, line);
	free(text);
}

/* The line names the file by its descriptor, because its path may have blanks, or be exchanged. */
static char *line_of(const struct recording_probe *probe)
{
	size_t colon = strcspn(probe->event, ":");
	char *line = mem_format("%c:%.*s/%s /proc/self/fd/%d:0x%" PRIx64,
				probe->is_return ? 'r' : 'p', (int)colon, probe->event,
				probe->event + colon + 1, probe->fd, probe->offset);

	if (probe->semaphore)
		mem_append(&line, "(0x%" PRIx64 ")", probe->semaphore);
	mem_append(&line, "%s%s\n", *probe->fields ? " " : "", probe->fields);
	return line;
}

static int make(struct uprobes *uprobes, const struct recording_probe *probe, struct error *err)
{
	char *line = line_of(probe);
	int code = put(uprobes->fd, line);

	log_debug("probe: %.*s", (int)strcspn(line, "\n"), line);
	if (code)
		error_set(err, -code, "the kernel refuses the probe %s (%.*s)", probe->text,
			  (int)strcspn(line, "\n"), line);
	else
		uprobes->made++;
	free(line);
	return code;
}

int uprobes_open(struct uprobes *uprobes, const struct tracefs *tracefs,
		 const struct recording_probes *probes, struct error *err)
{
	int code = 0;

	uprobes->probes = probes;
	if (!probes->count)
		return 0;
	uprobes->fd = open_file(tracefs, err);
	if (uprobes->fd < 0)
		return uprobes->fd;
	clean(uprobes->fd, tracefs);
	for (uint32_t i = 0; i < probes->count && !code; i++)
		code = make(uprobes, &probes->item[i], err);
	return code;
}

/* Several probes may belong to one event, which is removed once. */
static void remove_event(const struct uprobes *uprobes, uint32_t index)
{
	const struct recording_probe *probe = &uprobes->probes->item[index];
	size_t colon = strcspn(probe->event, ":");
	char *line;
	int code;

	if (index && !strcmp(probe[-1].event, probe->event))
		return;
	line = mem_format("-:%.*s/%s\n", (int)colon, probe->event, probe->event + colon + 1);
	code = put(uprobes->fd, line);
	if (code)
		log_info("the probe %s stays: %s", probe->text, strerror(-code));
	free(line);
}

void uprobes_close(struct uprobes *uprobes)
{
	if (uprobes->fd < 0)
		return;
	while (uprobes->made)
		remove_event(uprobes, --uprobes->made);
	close(uprobes->fd);
	uprobes_init(uprobes);
}

int uprobes_check(const struct tracefs *tracefs, struct error *err)
{
	int fd = open_file(tracefs, err);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}
