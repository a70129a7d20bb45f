#include "out_send.h"

#include "pause_filter.h"

void out_count(struct model *m, const struct io_event *event)
{
	static const enum tally_counter end[] = {
		[IO_END_EXIT] = TALLY_cancelled,        [IO_END_LOST] = TALLY_cancelled,
		[IO_END_RECORDING] = TALLY_in_flight,   [IO_END_DEATH] = TALLY_cancelled,
		[IO_END_MERGED] = TALLY_cancelled,      [IO_END_ABORTED] = TALLY_aborted,
		[IO_END_UNREPORTED] = TALLY_unreported,
	};

	if (event->kind == IO_OP_BEGIN)
		tally_add(m->tally, begun, 1);
	else if (event->kind == IO_OP_COMPLETE)
		tally_add(m->tally, completed, 1);
	else if (event->kind == IO_OP_CANCELLED)
		m->tally->n[end[event->op.end]]++;
}

void out_send(struct model *m, const struct io_event *event)
{
	if (!pause_filter_passes(m, event))
		return;
	out_count(m, event);
	m->output(m->context, event);
}
