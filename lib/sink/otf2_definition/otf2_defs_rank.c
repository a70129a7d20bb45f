/* otf2_defs_rank: the nodes of the ranks of a parallel program, between the host and their processes. */
#include "otf2_define.h"

#include <iotrace/mem.h>
#include <stdlib.h>

/* Returns whether the process is defined and has a rank. */
static bool has_rank(const struct trace_process *process)
{
	return process->kind == TRACE_PROCESS && process->rank.is_known && !process->is_excluded;
}

static int by_number(const void *a, const void *b)
{
	const struct trace_rank *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* Returns the number of different ranks; rank[] contains them by number. */
static uint32_t find_ranks(const struct sink *sink, struct trace_rank *rank)
{
	uint32_t processes = 0, ranks = 0;

	for (process_id p = 0; p < trace_processes(sink->trace); p++)
		if (has_rank(trace_process(sink->trace, p)))
			rank[processes++] = trace_process(sink->trace, p)->rank;
	qsort(rank, processes, sizeof(*rank), by_number);
	for (uint32_t i = 0; i < processes; i++)
		if (!ranks || rank[ranks - 1].number != rank[i].number)
			rank[ranks++] = rank[i];
	return ranks;
}

static uint32_t first_node(const struct sink *sink)
{
	uint32_t node = NODE_DEVICES;

	for (process_id p = 0; p < trace_processes(sink->trace); p++)
		node += trace_process(sink->trace, p)->kind == TRACE_DEVICE;
	return node;
}

static bool write_rank(struct sink *sink, OTF2_SystemTreeNodeRef node,
		       const struct trace_rank *rank)
{
	const struct property ranks = property_number("Ranks", rank->of);

	return is_good(OTF2_GlobalDefWriter_WriteSystemTreeNode(
		       sink->definitions, node, define_format(sink, "rank %u", rank->number),
		       define_text(sink, "rank"), NODE_HOST)) &&
	       define_properties(sink, OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty, node,
				 &ranks, 1);
}

bool otf2_write_ranks(struct sink *sink)
{
	struct trace_rank *rank = mem_array(trace_processes(sink->trace) + 1, sizeof(*rank));
	uint32_t ranks = find_ranks(sink, rank);
	OTF2_SystemTreeNodeRef node = first_node(sink);
	bool good = true;

	for (uint32_t i = 0; i < ranks; i++) {
		map_set(&sink->node_of_rank, rank[i].number, node);
		good &= write_rank(sink, node++, &rank[i]);
	}
	free(rank);
	return good;
}

OTF2_SystemTreeNodeRef otf2_node_of(const struct sink *sink, const struct trace_process *process)
{
	return has_rank(process) ? map_get(&sink->node_of_rank, process->rank.number) : NODE_HOST;
}
