/*
 * otf2_defs: strings, clock, attributes, system tree, processes, threads, regions.
 *
 * They are written once, at close, from the arrays of the trace; the ids of each kind are 0, 1, 2 and so on.
 */
#include "otf2_defs.h"
#include "otf2_define.h"

#include <iotrace/mem.h>
#include <stdlib.h>

struct otf2_span otf2_span(const struct sink *sink)
{
	const struct trace_host *host = trace_host(sink->trace);
	uint64_t first = sink->first_time, last = sink->last_time;

	if (host->first_time && host->first_time < first)
		first = host->first_time;
	if (host->last_time > last)
		last = host->last_time;
	for (uint32_t i = 0; i < sink->lost_count; i++) {
		first = sink->lost[i].first < first ? sink->lost[i].first : first;
		last = sink->lost[i].last > last ? sink->lost[i].last : last;
	}
	for (uint32_t i = 0; i < sink->marks; i++) {
		first = sink->mark[i].time < first ? sink->mark[i].time : first;
		last = sink->mark[i].time > last ? sink->mark[i].time : last;
	}
	/* Without events, all times are 0. */
	return (struct otf2_span){first > last ? last : first, last};
}

static bool write_clock(struct sink *sink)
{
	const struct trace_host *host = trace_host(sink->trace);
	struct otf2_span span = otf2_span(sink);
	uint64_t real = host->realtime_offset ? span.first + (uint64_t)host->realtime_offset
					      : OTF2_UNDEFINED_TIMESTAMP;

	return is_good(OTF2_GlobalDefWriter_WriteClockProperties(sink->definitions, 1000000000,
								 span.first, span.last - span.first,
								 real));
}

static bool write_attributes(struct sink *sink)
{
	static const struct {
		const char *name, *description;
		OTF2_Type type;
	} row[ATTRIBUTES] = {
#define OTF2_ATTRIBUTE(id, type, name, description) {name, description, OTF2_TYPE_##type},
#include <iotrace/otf2.def>
	};
	bool good = true;

	for (uint32_t i = 0; i < ATTRIBUTES; i++)
		good &= is_good(OTF2_GlobalDefWriter_WriteAttribute(
			sink->definitions, i, define_text(sink, row[i].name),
			define_text(sink, row[i].description), row[i].type));
	return good;
}

/* The root of the tree is the job, if there is one. */
static bool write_root(struct sink *sink)
{
	const struct trace_job *job = &trace_host(sink->trace)->job;
	const struct property property[] = {
		property_text(sink, "Batch system", job->system),
		property_text(sink, "Job id", job->id),
		property_text(sink, "Job name", job->name),
		property_text(sink, "Job user", job->user),
		{"Job nodes", job->nodes, OTF2_TYPE_UINT32, {.uint32 = job->nodes}},
		{"Job ranks", job->ranks, OTF2_TYPE_UINT32, {.uint32 = job->ranks}},
	};
	OTF2_StringRef name = job->id ? define_format(sink, "job %s",
						      trace_text(sink->trace, job->id))
				      : define_text(sink, "Linux");

	return is_good(OTF2_GlobalDefWriter_WriteSystemTreeNode(
		       sink->definitions, NODE_MACHINE, name,
		       define_text(sink, job->id ? "job" : "machine"),
		       OTF2_UNDEFINED_SYSTEM_TREE_NODE)) &&
	       is_good(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
		       sink->definitions, NODE_MACHINE, OTF2_SYSTEM_TREE_DOMAIN_MACHINE)) &&
	       define_properties(sink, OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty,
				 NODE_MACHINE, property, sizeof(property) / sizeof(*property));
}

static bool write_tree(struct sink *sink)
{
	const struct trace_host *host = trace_host(sink->trace);
	const struct property property[] = {
		{"Kernel release",
		 true,
		 OTF2_TYPE_STRING,
		 {.stringRef = define_str(sink, host->release)}},
		{"Machine", true, OTF2_TYPE_STRING, {.stringRef = define_str(sink, host->machine)}},
		{"CPUs", true, OTF2_TYPE_UINT32, {.uint32 = host->cpus}},
	};

	return write_root(sink) &&
	       is_good(OTF2_GlobalDefWriter_WriteSystemTreeNode(sink->definitions, NODE_HOST,
								define_str(sink, host->hostname),
								define_text(sink, "node"),
								NODE_MACHINE)) &&
	       is_good(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
		       sink->definitions, NODE_HOST, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY)) &&
	       define_properties(sink, OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty, NODE_HOST,
				 property, sizeof(property) / sizeof(*property));
}

/* Returns a name such as "1234 name". */
static OTF2_StringRef define_numbered(struct sink *sink, const struct trace_process *process)
{
	return define_format(sink, "%u %s", process->pid, trace_text(sink->trace, process->name));
}

/* Users of the archive look for ranks, and the process id distinguishes processes of a rank. */
static OTF2_StringRef define_ranked(struct sink *sink, const struct trace_process *process)
{
	return define_format(sink, "rank %u: %s (%u)", process->rank.number,
			     trace_text(sink->trace, process->name), process->pid);
}

static OTF2_StringRef define_group(struct sink *sink, const struct trace_process *process)
{
	if (process->kind == TRACE_PROCESS && process->rank.is_known)
		return define_ranked(sink, process);
	if (process->kind == TRACE_PROCESS)
		return define_numbered(sink, process);
	if (process->kind == TRACE_SHARED_GROUP)
		return define_str(sink, process->name);
	return define_device_group(sink, process);
}

static void number_groups(struct sink *sink)
{
	OTF2_LocationGroupRef next = 0;

	sink->group_of_process = mem_array(trace_processes(sink->trace),
					   sizeof(*sink->group_of_process));
	for (process_id p = 0; p < trace_processes(sink->trace); p++)
		sink->group_of_process[p] = trace_process(sink->trace, p)->is_excluded
						    ? OTF2_UNDEFINED_LOCATION_GROUP
						    : next++;
}

static bool write_process_properties(struct sink *sink, process_id p)
{
	const struct trace_process *process = trace_process(sink->trace, p);
	const struct property property[] = {
		/* Tells the verifier that many processes create and destroy handles in this group. */
		{"Sharing processes",
		 process->kind == TRACE_SHARED_GROUP,
		 OTF2_TYPE_UINT64,
		 {.uint64 = process->sharing}},
		{"Command line",
		 process->argv,
		 OTF2_TYPE_STRING,
		 {.stringRef = process->argv
				       ? define_words(sink, process->argv, process->is_argv_cut)
				       : 0}},
		{"Rank",
		 process->rank.is_known,
		 OTF2_TYPE_UINT64,
		 {.uint64 = process->rank.number}},
		property_number("Ranks", process->rank.of),
		property_text(sink, "Root directory", process->root),
		property_number("Mount namespace", process->mount_namespace),
	};

	return define_properties(sink, OTF2_GlobalDefWriter_WriteLocationGroupProperty,
				 sink->group_of_process[p], property,
				 sizeof(property) / sizeof(*property));
}

static bool write_processes(struct sink *sink)
{
	OTF2_SystemTreeNodeRef next_device = NODE_DEVICES;
	bool good = true;

	for (process_id p = 0; p < trace_processes(sink->trace); p++) {
		const struct trace_process *process = trace_process(sink->trace, p);
		bool is_device = process->kind == TRACE_DEVICE;
		bool has_parent = process->kind == TRACE_PROCESS && process->parent != ID_NONE;

		if (process->is_excluded)
			continue;
		good &= is_good(OTF2_GlobalDefWriter_WriteLocationGroup(
			sink->definitions, sink->group_of_process[p], define_group(sink, process),
			OTF2_LOCATION_GROUP_TYPE_PROCESS,
			is_device ? next_device++ : otf2_node_of(sink, process),
			has_parent ? sink->group_of_process[process->parent]
				   : OTF2_UNDEFINED_LOCATION_GROUP));
	}
	for (process_id p = 0; p < trace_processes(sink->trace); p++)
		if (!trace_process(sink->trace, p)->is_excluded)
			good &= write_process_properties(sink, p);
	return good;
}

/* Some readers (ViTE) take group and location for the same thing if they have the same name. */
static OTF2_StringRef define_location(struct sink *sink, const struct trace_thread *thread)
{
	if (thread->kind != LOCATION_THREAD)
		return define_device_location(sink, thread);
	const char *name = trace_text(sink->trace, thread->name);
	const struct trace_rank *rank = &trace_process(sink->trace, thread->process)->rank;

	if (thread->sharing)
		return define_format(sink, "%s (shared)", name);
	if (rank->is_known)
		return define_format(sink, "rank %u: thread %u %s", rank->number, thread->tid,
				     name);
	return define_format(sink, "thread %u %s", thread->tid, name);
}

static bool write_number(struct sink *sink, thread_id t, const char *name, uint64_t number)
{
	OTF2_AttributeValue value = {.uint64 = number};

	return is_good(OTF2_GlobalDefWriter_WriteLocationProperty(sink->definitions,
								  sink->location[t].ref,
								  define_text(sink, name),
								  OTF2_TYPE_UINT64, value));
}

static bool write_threads(struct sink *sink)
{
	bool good = true;

	for (thread_id t = 0; t < trace_threads(sink->trace); t++) {
		const struct trace_thread *thread = trace_thread(sink->trace, t);

		if (thread->is_excluded)
			continue;
		/* Requests are I/O, which only locations of this type may contain. */
		good &= is_good(OTF2_GlobalDefWriter_WriteLocation(
			sink->definitions, sink->location[t].ref, define_location(sink, thread),
			thread->kind == LOCATION_METRIC ? OTF2_LOCATION_TYPE_METRIC
							: OTF2_LOCATION_TYPE_CPU_THREAD,
			sink->location[t].events, sink->group_of_process[thread->process]));
	}
	for (thread_id t = 0; t < trace_threads(sink->trace); t++) {
		const struct trace_thread *thread = trace_thread(sink->trace, t);

		if (thread->is_excluded)
			continue;
		if (thread->sharing)
			good &= write_number(sink, t, "Sharing threads", thread->sharing) &&
				write_number(sink, t, "Lifetime of sharing threads", thread->lived);
		else if (thread->end)
			good &= write_number(sink, t, "End of thread", thread->end);
	}
	return good;
}

static OTF2_RegionRole role_of(enum call_kind kind)
{
	switch (kind) {
	case CALL_READ:
	case CALL_WRITE:
	case CALL_COPY:
	case CALL_SYNC:
	case CALL_SYNC_ALL:
		return OTF2_REGION_ROLE_FILE_IO;
	case CALL_EXEC:
	case CALL_CLONE:
	case CALL_UNSHARE:
		return OTF2_REGION_ROLE_FUNCTION;
	default:
		return OTF2_REGION_ROLE_FILE_IO_METADATA;
	}
}

/*
 * OTF2 has no paradigm for I/O; Score-P uses this one for its I/O regions. Readers that sort regions by paradigm find its name
 * here.
 */
static bool write_io_paradigm(struct sink *sink)
{
	return is_good(OTF2_GlobalDefWriter_WriteParadigm(sink->definitions, OTF2_PARADIGM_NONE,
							  define_text(sink, "I/O"),
							  OTF2_PARADIGM_CLASS_PROCESS));
}

static bool write_regions(struct sink *sink)
{
	bool good = write_io_paradigm(sink);

	for (uint32_t r = 0; r < sink->regions; r++) {
		const struct trace_region *region = trace_region(sink->trace,
								 sink->region_of_ref[r]);
		OTF2_StringRef name = define_str(sink, region->name);
		OTF2_RegionRole role = region->source == REGION_SPAN ? OTF2_REGION_ROLE_FUNCTION
								     : role_of(region->kind);
		bool is_span = region->source == REGION_SPAN;

		good &= is_good(OTF2_GlobalDefWriter_WriteRegion(
			sink->definitions, r, name, name,
			define_text(sink, is_span ? "span" : "system call"), role,
			role != OTF2_REGION_ROLE_FUNCTION ? OTF2_PARADIGM_NONE
							  : OTF2_PARADIGM_UNKNOWN,
			OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0));
	}
	return good;
}

/* The members of group 0, by rank. */
struct ranked {
	uint64_t *location;
	process_id *process;
	uint32_t count;
};

/*
 * Threads that begin and end belong to a "thread contingent": a comm for each process with such threads. Group 0 lists the
 * locations of all of them; the group of a comm lists indices in group 0.
 */
static bool write_comm(struct sink *sink, OTF2_CommRef comm, const struct ranked *all,
		       uint64_t *member)
{
	OTF2_GlobalDefWriter *w = sink->definitions;
	process_id process = sink->process_of_comm[comm];
	OTF2_StringRef name = define_numbered(sink, trace_process(sink->trace, process));
	uint32_t members = 0;

	for (uint32_t rank = 0; rank < all->count; rank++)
		if (all->process[rank] == process)
			member[members++] = rank;
	return is_good(OTF2_GlobalDefWriter_WriteGroup(w, 1 + comm, name,
						       OTF2_GROUP_TYPE_COMM_GROUP,
						       OTF2_PARADIGM_PTHREAD, OTF2_GROUP_FLAG_NONE,
						       members, member)) &&
	       is_good(OTF2_GlobalDefWriter_WriteComm(w, comm, name, 1 + comm, OTF2_UNDEFINED_COMM,
						      OTF2_COMM_FLAG_NONE));
}

static void rank_threads(const struct sink *sink, struct ranked *all)
{
	for (thread_id t = 0; t < trace_threads(sink->trace); t++) {
		process_id process = trace_thread(sink->trace, t)->process;

		if (!otf2_is_defined(sink, t) || process >= sink->comm_capacity ||
		    !sink->comm_of_process[process])
			continue;
		all->location[all->count] = sink->location[t].ref;
		all->process[all->count++] = process;
	}
}

static bool write_comms(struct sink *sink)
{
	OTF2_GlobalDefWriter *w = sink->definitions;
	uint32_t threads = trace_threads(sink->trace);

	if (sink->comms == 0)
		return true;
	struct ranked all = {.location = mem_array(threads, sizeof(*all.location)),
			     .process = mem_array(threads, sizeof(*all.process))};
	uint64_t *member = mem_array(threads, sizeof(*member));

	rank_threads(sink, &all);
	bool good = is_good(OTF2_GlobalDefWriter_WriteParadigm(
			    w, OTF2_PARADIGM_PTHREAD, define_text(sink, "pthread"),
			    OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT)) &&
		    is_good(OTF2_GlobalDefWriter_WriteGroup(
			    w, 0, define_text(sink, "threads"), OTF2_GROUP_TYPE_COMM_LOCATIONS,
			    OTF2_PARADIGM_PTHREAD, OTF2_GROUP_FLAG_NONE, all.count, all.location));

	for (OTF2_CommRef comm = 0; good && comm < sink->comms; comm++)
		good = write_comm(sink, comm, &all, member);
	free(all.location);
	free(all.process);
	free(member);
	return good;
}

/* Without I/O, the archive gets one location without events. */
static bool write_nothing(struct sink *sink)
{
	OTF2_StringRef name = define_text(sink, "no I/O was recorded");

	return is_good(OTF2_GlobalDefWriter_WriteLocationGroup(sink->definitions, 0, name,
							       OTF2_LOCATION_GROUP_TYPE_PROCESS,
							       NODE_HOST,
							       OTF2_UNDEFINED_LOCATION_GROUP)) &&
	       is_good(OTF2_GlobalDefWriter_WriteLocation(sink->definitions, 0,
							  define_text(sink, "no thread"),
							  OTF2_LOCATION_TYPE_CPU_THREAD, 0, 0));
}

static bool write_locations(struct sink *sink)
{
	if (sink->is_empty)
		return write_nothing(sink);
	number_groups(sink);
	return otf2_write_ranks(sink) && write_processes(sink) && write_threads(sink);
}

bool otf2_write_definitions(struct sink *sink)
{
	define_new_strings(sink);
	return write_clock(sink) && write_attributes(sink) && write_tree(sink) &&
	       otf2_write_devices(sink) && write_locations(sink) && write_regions(sink) &&
	       otf2_write_metrics(sink) && write_comms(sink);
}
