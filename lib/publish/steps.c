/* steps: see <iotrace/steps.h>. */
#include <iotrace/mem.h>
#include <iotrace/publisher.h>
#include <iotrace/steps.h>
#include <iotrace/totals.h>
#include <stdlib.h>
#include <string.h>

/* The state of a row of the totals at the begin of the step, and what it did since. */
struct past {
	struct publication_row row;
	uint64_t max; /* since the begin of the step */
	bool is_hung;
};

struct steps {
	struct past *past; /* PUBLICATION_ROWS, in the order of the totals */
	uint32_t intervals;
	uint64_t from; /* begin of the step; 0: not begun */
	struct publication_slot slot;
	struct history_row step[PUBLICATION_ROWS];
	uint32_t rows;
};

struct steps *steps_new(void)
{
	struct steps *steps = mem_zero(sizeof(*steps));

	steps->past = mem_array(PUBLICATION_ROWS, sizeof(*steps->past));
	return steps;
}

void steps_free(struct steps *steps)
{
	if (!steps)
		return;
	free(steps->past);
	free(steps);
}

/* A row of the totals that was used again begins with nothing. */
static struct past *past_of(struct steps *steps, const struct totals *totals, uint32_t index)
{
	const struct publication_row *row = totals_row(totals, index);
	struct past *past = &steps->past[index];

	if (past->row.id != row->id)
		*past = (struct past){.row = {.id = row->id}};
	return past;
}

static void fill(struct history_row *to, const struct publication_row *row, const struct past *past)
{
	uint64_t bucket[PUBLICATION_BUCKETS];

	for (uint32_t i = 0; i < PUBLICATION_BUCKETS; i++)
		bucket[i] = row->bucket[i] - past->row.bucket[i];
	*to = (struct history_row){
		.view = row->view,
		.owner = row->owner,
		.ops = row->ops - past->row.ops,
		.read = row->read - past->row.read,
		.written = row->written - past->row.written,
		.errors = row->errors - past->row.errors,
		.sum = row->sum - past->row.sum,
		.busy = row->busy - past->row.busy,
		.max = past->max,
		.p50 = publication_quantile(bucket, 500, past->max),
		.p99 = publication_quantile(bucket, 990, past->max),
		.in_flight = row->in_flight,
		.is_hung = past->is_hung,
	};
	memcpy(to->name, row->name, sizeof(to->name));
}

static bool is_active(const struct history_row *row)
{
	return row->ops || row->busy || row->in_flight || row->read || row->written || row->errors;
}

static int by_use(const void *a, const void *b)
{
	const struct history_row *x = a, *y = b;

	if (x->is_hung != y->is_hung)
		return x->is_hung ? -1 : 1;
	if (x->busy != y->busy)
		return x->busy > y->busy ? -1 : 1;
	return x->ops > y->ops ? -1 : x->ops < y->ops;
}

static void add_to_rest(struct history_row *rest, const struct history_row *row)
{
	rest->view = row->view;
	rest->owner = PUBLICATION_REST;
	rest->ops += row->ops;
	rest->read += row->read;
	rest->written += row->written;
	rest->errors += row->errors;
	rest->sum += row->sum;
	rest->in_flight += row->in_flight;
	rest->busy = row->busy > rest->busy ? row->busy : rest->busy;
	rest->max = row->max > rest->max ? row->max : rest->max;
	rest->p50 = row->p50 > rest->p50 ? row->p50 : rest->p50;
	rest->p99 = row->p99 > rest->p99 ? row->p99 : rest->p99;
	rest->is_hung |= row->is_hung;
}

/* The last rows of a slot are for what has no row of its own. */
static void fold(struct steps *steps)
{
	struct history_row rest[PUBLICATION_VIEWS] = {{0}};
	uint32_t room = HISTORY_ROWS - PUBLICATION_VIEWS;

	if (steps->rows <= HISTORY_ROWS)
		return;
	for (uint32_t i = room; i < steps->rows; i++)
		add_to_rest(&rest[steps->step[i].view], &steps->step[i]);
	steps->rows = room;
	for (int i = 0; i < PUBLICATION_VIEWS; i++) {
		memcpy(rest[i].name, "(others)", sizeof("(others)"));
		if (is_active(&rest[i]))
			steps->step[steps->rows++] = rest[i];
	}
}

static void complete(struct steps *steps, const struct totals *totals)
{
	steps->rows = 0;
	for (uint32_t i = 0; i < totals_rows(totals); i++) {
		const struct publication_row *row = totals_row(totals, i);
		struct past *past = past_of(steps, totals, i);

		if (row->kind == PUBLICATION_ALL) {
			fill(&steps->step[steps->rows], row, past);
			steps->rows += is_active(&steps->step[steps->rows]);
		}
		*past = (struct past){.row = *row};
	}
	qsort(steps->step, steps->rows, sizeof(*steps->step), by_use);
	fold(steps);
	steps->slot = *totals_slot(totals);
	steps->slot.from = steps->from;
	steps->slot.rows = steps->rows;
	steps->from = steps->slot.monotonic;
}

bool steps_add(struct steps *steps, const struct totals *totals)
{
	if (!steps->from)
		steps->from = totals_slot(totals)->from;
	for (uint32_t i = 0; i < totals_rows(totals); i++) {
		const struct publication_row *row = totals_row(totals, i);
		struct past *past = past_of(steps, totals, i);

		past->is_hung |= row->is_hung;
		past->max = row->max > past->max ? row->max : past->max;
	}
	if (++steps->intervals < HISTORY_STEP)
		return false;
	steps->intervals = 0;
	complete(steps, totals);
	return true;
}

void steps_publish(const struct steps *steps, struct publisher *publisher)
{
	const size_t from = offsetof(struct publication_slot, realtime);
	struct publication_slot *slot = publisher_next(publisher);

	memcpy(&slot->realtime, &steps->slot.realtime, sizeof(*slot) - from);
	for (uint32_t i = 0; i < steps->rows; i++)
		memcpy(publisher_row(publisher, i), &steps->step[i], sizeof(steps->step[i]));
	publisher_put(publisher);
}
