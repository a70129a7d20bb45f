/* run_follow: a run in steps, that follows only files and processes, and another one that continues it: see flight/flight_state.h. */
#include "run_state.h"

/* What is gone may take this many bytes, and as many as what was left when the run was renewed. */
enum { GONE_MOST = 4 << 20 };

static void give_lasting(void *context, const struct event *event)
{
	model_event(context, event);
}

/* The definitions of a model only grow. */
void run_renew(struct run *run)
{
	struct model *model = run_new_model(run);

	lasting_each(run->lasting, give_lasting, model);
	model_continue(model, run->model, false);
	model_free(run->model);
	run->model = model;
	run->trace = model_trace(model);
	run->renewed = trace_bytes(run->trace);
}

int run_step(struct run *run, struct error *err)
{
	struct capture_round round;
	uint64_t total, at = capture_position(run->capture, &total);
	int rc = capture_next_round(run->capture, &round, err);

	if (rc != 1)
		return rc;
	run->round = at;
	run_take_round(run, &round);
	if (run->lasting && trace_bytes(run->trace) > GONE_MOST + 2 * run->renewed)
		run_renew(run);
	return 1;
}

void run_follow(struct run *run)
{
	run->lasting = lasting_new();
}

/* The records of the last round may be held until the next one has come. */
uint64_t run_continue(struct run *run, const struct run *from)
{
	run->begin = from->round;
	run->since = from->last;
	if (!from->last)
		return 0;
	lasting_each(from->lasting, give_lasting, run->model);
	model_begin_at(run->model, from->last);
	model_continue(run->model, from->model, false);
	return from->last;
}

uint64_t run_followed(const struct run *run)
{
	return run->round;
}

uint64_t run_position(const struct run *run)
{
	uint64_t total;

	return run->capture ? capture_position(run->capture, &total) : 0;
}

uint64_t run_time(const struct run *run)
{
	return run->last;
}

void run_add_fact(struct run *run, const struct fact *fact, uint64_t time)
{
	const struct event event = {.kind = EVENT_FACT, .time = time, .fact = *fact};

	model_event(run->model, &event);
}
