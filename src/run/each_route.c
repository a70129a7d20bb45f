/* each_route: a process id may be reused. Then the fork of the new process shows which command it belongs to. */
#include "each_route.h"

/* Which commands get a kind of fact. */
enum whom { FOR_ALL, FOR_LATER_TOO, FOR_PROCESS, FOR_PROCESS_OR_ALL, FOR_NOBODY };

static const struct {
	enum whom whom;
	int pid; /* index of the number with the process id */
} facts[FACT_KINDS] = {
	[FACT_HOST] = {FOR_LATER_TOO, 0},
	[FACT_FORMAT] = {FOR_NOBODY, 0},
	[FACT_COMMAND] = {FOR_PROCESS, FACT_COMMAND_pid},
	[FACT_TASK] = {FOR_PROCESS, FACT_TASK_pid},
	[FACT_CWD] = {FOR_PROCESS, FACT_CWD_pid},
	[FACT_ROOT] = {FOR_PROCESS, FACT_ROOT_pid},
	[FACT_FD] = {FOR_PROCESS, FACT_FD_pid},
	[FACT_MOUNT] = {FOR_LATER_TOO, 0},
	[FACT_EXE] = {FOR_PROCESS, FACT_EXE_pid},
	[FACT_EXIT] = {FOR_PROCESS, FACT_EXIT_pid},
	[FACT_PATH] = {FOR_PROCESS, FACT_PATH_pid},
	[FACT_DEVICE] = {FOR_LATER_TOO, 0},
	[FACT_SOURCE] = {FOR_LATER_TOO, 0},
	[FACT_BEGIN] = {FOR_LATER_TOO, 0},
	[FACT_FILTER] = {FOR_LATER_TOO, 0},
	[FACT_CGROUP] = {FOR_LATER_TOO, 0},
	[FACT_GAP] = {FOR_PROCESS_OR_ALL, FACT_GAP_pid},
	[FACT_REFUSED] = {FOR_LATER_TOO, 0},
	[FACT_OPTION] = {FOR_LATER_TOO, 0},
	[FACT_JOB] = {FOR_LATER_TOO, 0},
	[FACT_PAUSE] = {FOR_LATER_TOO, 0},
	[FACT_MARK] = {FOR_PROCESS_OR_ALL, FACT_MARK_pid},
};

void each_route_add(struct each_route *route, uint32_t pid, uint32_t part)
{
	map_set(&route->part_of_process, pid, part);
}

static uint32_t part_of(const struct each_route *route, uint32_t pid)
{
	uint32_t part = map_get(&route->part_of_process, pid);

	return part == MAP_NONE ? ROUTE_NONE : part;
}

/* The child of a process without a command belongs to no command, even if its process id was used by one before. */
static uint32_t fork_of(struct each_route *route, const struct event *event)
{
	uint32_t part = part_of(route, event->pid), child = event->fork.child_pid;

	if (child != event->pid && part != ROUTE_NONE)
		each_route_add(route, child, part);
	else if (child != event->pid)
		map_remove(&route->part_of_process, child);
	return part;
}

static uint32_t fact_of(const struct each_route *route, const struct event *event)
{
	enum whom whom = facts[event->fact.kind].whom;
	uint32_t part;

	if (whom == FOR_ALL || whom == FOR_LATER_TOO)
		return ROUTE_ALL;
	if (whom == FOR_NOBODY)
		return ROUTE_NONE;
	part = part_of(route, (uint32_t)event->fact.number[facts[event->fact.kind].pid]);
	return part == ROUTE_NONE && whom == FOR_PROCESS_OR_ALL ? ROUTE_ALL : part;
}

static bool is_call(const struct event *event)
{
	return event->kind == EVENT_CALL || event->kind == EVENT_SYSCALL_EXIT;
}

uint32_t each_route_of(struct each_route *route, const struct event *event)
{
	uint32_t part;

	switch (event->kind) {
	case EVENT_NONE:
		return ROUTE_NONE;
	case EVENT_LOST:
		route->has_loss = true;
		return ROUTE_ALL;
	case EVENT_REQUEST: /* each model finds the requests of its own tasks */
	case EVENT_WRITEBACK:
		return ROUTE_ALL;
	case EVENT_FACT:
		return fact_of(route, event);
	case EVENT_FORK:
		return fork_of(route, event);
	default:
		part = part_of(route, event->pid);
		route->unknown += part == ROUTE_NONE && route->has_loss && is_call(event);
		return part;
	}
}

bool each_route_is_lasting(const struct event *event)
{
	return event->kind == EVENT_FACT && facts[event->fact.kind].whom == FOR_LATER_TOO;
}

void each_route_release(struct each_route *route)
{
	map_release(&route->part_of_process);
}
