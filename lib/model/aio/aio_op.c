/*
 * aio_op: asynchronous requests. See aio_op.h and aio_state.h.
 *
 * Two maps lead from a hash to the first request that has it, and `next` to the others. MAP_NONE is ID_NONE.
 */
#include "aio_op.h"

#include "out/outbox.h"
#include "task/task.h"

/* Kernel addresses are unique; addresses of a program mean something only in its process. */
static bool is_of_process(const struct aio_op *op, uint32_t process)
{
	return op->request.api == AIO_URING || op->process == process;
}

static uint64_t hash_of(const struct aio *request, enum aio_chain chain)
{
	return chain == AIO_BY_KEY ? request->key : request->queue * 31 + request->user_data;
}

static bool has_chain(const struct aio *request, enum aio_chain chain)
{
	return chain == AIO_BY_KEY ? request->key != 0
				   : (request->flags & AIO_REPEATS) || !request->key;
}

static bool is_same(const struct aio *a, const struct aio *b, enum aio_chain chain)
{
	if (a->api != b->api)
		return false;
	return chain == AIO_BY_KEY ? a->key == b->key
				   : a->queue == b->queue && a->user_data == b->user_data;
}

uint32_t aio_op_table(const struct model *m, uint32_t op)
{
	const struct aio_op *o = &m->aio.op[op];
	uint32_t task = o->location == ID_NONE ? MAP_NONE
					       : task_find(m, m->trace.thread[o->location].tid);

	return task != MAP_NONE && m->task[task].location == o->location
		       ? task_table(m, task)
		       : m->process[o->process].table;
}

/* Whether the request closes a descriptor, and its end is reported. */
static bool closes(const struct aio *request)
{
	return request->action == AIO_CLOSE && !(request->flags & (AIO_DIRECT | AIO_SILENT));
}

uint32_t aio_op_add(struct model *m, uint32_t process, const struct aio *request)
{
	struct aio_state *a = &m->aio;
	uint32_t id = pool_take(&a->ops, &a->op, sizeof(*a->op));

	a->op[id] = (struct aio_op){.request = *request,
				    .holders = 1,
				    .process = process,
				    .location = ID_NONE,
				    .open = ID_NONE,
				    .closed = ID_NONE,
				    .is_in_flight = true};
	for (enum aio_chain chain = 0; chain < AIO_CHAINS; chain++) {
		if (!has_chain(request, chain))
			continue;
		uint64_t hash = hash_of(request, chain);

		a->op[id].next[chain] = map_get(&a->chain[chain], hash);
		map_set(&a->chain[chain], hash, id);
	}
	a->in_flight++;
	m->process[process].closing += closes(request);
	return id;
}

static uint32_t find_in(const struct model *m, uint32_t process, const struct aio *step,
			enum aio_chain chain)
{
	uint32_t id = map_get(&m->aio.chain[chain], hash_of(step, chain));

	while (id != ID_NONE && !(is_same(&m->aio.op[id].request, step, chain) &&
				  is_of_process(&m->aio.op[id], process)))
		id = m->aio.op[id].next[chain];
	return id;
}

uint32_t aio_op_find(const struct model *m, uint32_t process, const struct aio *step)
{
	uint32_t id = step->key ? find_in(m, process, step, AIO_BY_KEY) : ID_NONE;

	return id != ID_NONE ? id : find_in(m, process, step, AIO_BY_DATA);
}

static void unchain(struct aio_state *a, uint32_t op, enum aio_chain chain)
{
	uint64_t hash = hash_of(&a->op[op].request, chain);
	uint32_t next = a->op[op].next[chain];
	uint32_t before = map_get(&a->chain[chain], hash);

	if (before == op) {
		if (next == ID_NONE)
			map_remove(&a->chain[chain], hash);
		else
			map_set(&a->chain[chain], hash, next);
		return;
	}
	while (a->op[before].next[chain] != op)
		before = a->op[before].next[chain];
	a->op[before].next[chain] = next;
}

void aio_op_remove(struct model *m, uint32_t op)
{
	for (enum aio_chain chain = 0; chain < AIO_CHAINS; chain++)
		if (has_chain(&m->aio.op[op].request, chain))
			unchain(&m->aio, op, chain);
	m->process[m->aio.op[op].process].closing -= closes(&m->aio.op[op].request);
	m->aio.op[op].is_in_flight = false;
	m->aio.in_flight--;
	out_drop_request(m, op);
}
