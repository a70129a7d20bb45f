/*
 * counter: libpfm4 translates a name into a perf_event_attr; the kernel then reads the group with each sample of its leader.
 * For an unknown name, similar ones are suggested.
 */
#include "counter.h"

#include <errno.h>
#include <iotrace/capture.h>
#include <iotrace/error.h>
#include <iotrace/event.h>
#include <iotrace/mem.h>
#include <iotrace/nearest.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NEAR = 3, NAME_MAX_LENGTH = 64 };

struct near {
	uint32_t distance;
	char name[NAME_MAX_LENGTH];
};

static void consider(struct near *near, const char *wanted, const char *name)
{
	uint32_t distance = nearest_distance_any_case(wanted, name);
	int at = NEAR;

	/* Some systems list tracepoints as events, but -e records those. If half of a word differs, it is another word. */
	if (strchr(name, ':') || distance > (strlen(wanted) + 1) / 3)
		return;

	for (int i = 0; i < NEAR; i++) /* some names exist in both cases */
		if (near[i].distance != UINT32_MAX && !strcasecmp(near[i].name, name))
			return;
	while (at > 0 && distance < near[at - 1].distance)
		at--;
	if (at == NEAR)
		return;
	memmove(&near[at + 1], &near[at], (size_t)(NEAR - 1 - at) * sizeof(*near));
	near[at].distance = distance;
	snprintf(near[at].name, sizeof(near[at].name), "%s", name);
}

/* Considers the events of one PMU, the generic ones of perf among them. */
static void consider_pmu(struct near *near, const char *wanted, pfm_pmu_t pmu)
{
	pfm_pmu_info_t info = {.size = sizeof(info)};

	if (pfm_get_pmu_info(pmu, &info) != PFM_SUCCESS || !info.is_present)
		return;
	for (int i = info.first_event; i >= 0; i = pfm_get_event_next(i)) {
		pfm_event_info_t event = {.size = sizeof(event)};

		if (pfm_get_event_info(i, PFM_OS_PERF_EVENT, &event) == PFM_SUCCESS)
			consider(near, wanted, event.name);
	}
}

static void hint_near(const struct near *near, struct error *err)
{
	if (near[0].distance == UINT32_MAX)
		error_hint(
			err,
			"'perf list' shows all, for example page-faults, context-switches and cycles");
	else
		error_hint(err, "did you mean %s%s%s%s%s?", near[0].name,
			   near[1].distance == UINT32_MAX ? "" : " or ",
			   near[1].distance == UINT32_MAX ? "" : near[1].name,
			   near[2].distance == UINT32_MAX ? "" : " or ",
			   near[2].distance == UINT32_MAX ? "" : near[2].name);
}

static int unknown(const char *name, struct error *err)
{
	static const char *const common[] = {"page-faults",  "context-switches", "cpu-migrations",
					     "task-clock",   "cpu-clock",        "minor-faults",
					     "major-faults", "instructions",     "cycles"};
	struct near near[NEAR + 1];
	pfm_pmu_t pmu;

	for (int i = 0; i <= NEAR; i++)
		near[i] = (struct near){.distance = UINT32_MAX};
	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		consider(near, name, common[i]);
	pfm_for_all_pmus(pmu) consider_pmu(near, name, pmu);
	error_say(err, EINVAL, "-E %s: there is no counter with that name", name);
	hint_near(near, err);
	return -EINVAL;
}

static int refuse(const char *name, const char *why, struct error *err)
{
	error_say(err, EINVAL, "-E %s: %s", name, why);
	if (strchr(name, ','))
		error_hint(err, "Use a separate option for each event: -E %.*s -E %s",
			   (int)strcspn(name, ","), name, strchr(name, ',') + 1);
	return -EINVAL;
}

int counter_find(const char *name, struct perf_event_attr *attr, struct error *err)
{
	pfm_perf_encode_arg_t arg = {.attr = attr, .size = sizeof(arg)};
	int code = pfm_initialize();

	if (code != PFM_SUCCESS)
		return error_say(err, ENOTSUP, "counter %s: libpfm4: %s", name, pfm_strerror(code));
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	code = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg);
	if (code == PFM_ERR_NOTFOUND)
		return unknown(name, err);
	if (code != PFM_SUCCESS)
		return refuse(name, pfm_strerror(code), err);
	return 0;
}

static void join(struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	attr->sample_period = 0;
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID;
	attr->read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	attr->inherit = 1;
	attr->disabled = 0;
	attr->sample_id_all = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
}

int counter_add(struct perf_set *set, int leader, const char *const *name, uint32_t count,
		struct error *err)
{
	if (count > EVENT_COUNTERS)
		return error_say(err, E2BIG, "%u counters: at most %d can be read together", count,
				 EVENT_COUNTERS);
	if (!count)
		return 0;
	set->spec[leader].attr.sample_type |= PERF_SAMPLE_READ;
	set->spec[leader].attr.read_format |= PERF_FORMAT_GROUP;
	for (uint32_t i = 0; i < count; i++) {
		struct perf_event_attr attr;
		int code = counter_find(name[i], &attr, err);
		char *full;

		if (code)
			return code;
		join(&attr);
		full = mem_format(CAPTURE_COUNTER_PREFIX "%s", name[i]);
		code = perf_set_add(set, ROLE_COUNTER, &attr, full, NULL, leader);
		free(full);
		if (code < 0)
			return error_say(err, -code, "counter %s: too many events", name[i]);
	}
	return 0;
}

int counter_pmu(char *name, size_t size)
{
	int events = 0;
	pfm_pmu_t pmu;

	name[0] = '\0';
	if (pfm_initialize() != PFM_SUCCESS)
		return 0;
	pfm_for_all_pmus(pmu)
	{
		pfm_pmu_info_t info = {.size = sizeof(info)};

		if (pfm_get_pmu_info(pmu, &info) != PFM_SUCCESS || !info.is_present ||
		    info.type != PFM_PMU_TYPE_CORE)
			continue;
		snprintf(name, size, "%s", info.desc);
		events += info.nevents;
	}
	return events;
}
