#include "request_index.h"

enum {
	/* After this time, the kernel itself gives a request up (default timeout). */
	STALE_SECONDS = 30
};

#define STALE_NS (STALE_SECONDS * UINT64_C(1000000000))

/* How well a request matches. */
enum { FITS = 1, FITS_FRESH = 2, FITS_STATE = 4, FITS_EXACT = 8, FITS_BEST = 15 };

static void link_in(struct model *m, uint32_t op)
{
	struct block *b = &m->block;
	struct block_op *o = &b->op[op];
	uint64_t key = request_index_key(o->device, o->sector);
	uint32_t head = map_get(&b->op_by_sector, key);

	if (head == MAP_NONE) {
		o->next = o->previous = op;
		map_set(&b->op_by_sector, key, op);
		return;
	}
	o->next = head;
	o->previous = b->op[head].previous;
	b->op[o->previous].next = op;
	b->op[head].previous = op;
}

static void link_out(struct model *m, uint32_t op)
{
	struct block *b = &m->block;
	struct block_op *o = &b->op[op];
	uint64_t key = request_index_key(o->device, o->sector);

	if (o->next == op) {
		map_remove(&b->op_by_sector, key);
		return;
	}
	if (map_get(&b->op_by_sector, key) == op)
		map_set(&b->op_by_sector, key, o->next);
	b->op[o->previous].next = o->next;
	b->op[o->next].previous = o->previous;
}

uint32_t request_index_add(struct model *m, uint32_t device, const struct request *request)
{
	uint32_t op = pool_take(&m->block.ops, &m->block.op, sizeof(*m->block.op));

	m->block.op[op] = (struct block_op){.device = device,
					    .type = request->type,
					    .key = request->key,
					    .sector = request->sector,
					    .sectors = request->sectors,
					    .whole = ID_NONE};
	if (request->key)
		map_set(&m->block.op_by_key, request->key, op);
	else
		link_in(m, op);
	return op;
}

/* Returns whether the request is in the usual state for the step. A request that was given back may be inserted again. */
static bool is_usual(const struct block_op *o, const struct wanted *wanted)
{
	return wanted->is_completion ? o->state == BLOCK_ISSUED : o->state != BLOCK_REQUEUED;
}

/* Returns how well the request matches; 0: not at all. */
static int fit(const struct model *m, const struct block_op *o, const struct request *request,
	       const struct wanted *wanted)
{
	bool is_exact = o->sectors == request->sectors;
	bool is_doubtful = wanted->is_completion &&
			   (o->is_doubtful || o->issued + STALE_NS <= m->now);

	if (o->type != request->type || !(o->state & wanted->states) ||
	    (wanted->is_exact && !is_exact))
		return 0;
	if (wanted->is_completion && !is_exact && !request->sectors)
		return 0;
	return FITS | (is_doubtful ? 0 : FITS_FRESH) | (is_usual(o, wanted) ? FITS_STATE : 0) |
	       (is_exact ? FITS_EXACT : 0);
}

static uint32_t find_in_ring(const struct model *m, uint32_t device, const struct request *request,
			     const struct wanted *wanted)
{
	const struct block *b = &m->block;
	uint32_t head = map_get(&b->op_by_sector, request_index_key(device, request->sector));
	uint32_t op = head, best = ID_NONE;
	int best_fit = 0;

	if (head == MAP_NONE)
		return ID_NONE;
	do {
		const struct block_op *o = &b->op[op];
		bool is_here = o->device == device && o->sector == request->sector;
		int fits = is_here ? fit(m, o, request, wanted) : 0;

		if (fits && (fits > best_fit || (wanted->is_last && fits == best_fit))) {
			best = op;
			best_fit = fits;
		}
		op = o->next;
	} while (op != head && (wanted->is_last || best_fit != FITS_BEST));
	return best;
}

/* The address identifies a request, but it may be reused, so the step is compared with the current request. */
uint32_t request_index_find(const struct model *m, uint32_t device, const struct request *request,
			    const struct wanted *wanted)
{
	if (!request->key)
		return find_in_ring(m, device, request, wanted);
	uint32_t op = map_get(&m->block.op_by_key, request->key);

	if (op == MAP_NONE)
		return ID_NONE;
	const struct block_op *o = &m->block.op[op];

	return o->device == device && fit(m, o, request, wanted) ? op : ID_NONE;
}

void request_index_move(struct model *m, uint32_t op, uint64_t sector)
{
	bool has_place = !m->block.op[op].key;

	if (has_place)
		link_out(m, op);
	m->block.op[op].sector = sector;
	if (has_place)
		link_in(m, op);
}

void request_index_remove(struct model *m, uint32_t op)
{
	struct block_op *o = &m->block.op[op];

	if (o->key)
		map_remove(&m->block.op_by_key, o->key);
	else
		link_out(m, op);
	o->device = ID_NONE;
	pool_give(&m->block.ops, op);
}
