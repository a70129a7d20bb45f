/*
 * aio_steps: steps of asynchronous requests, for the tests of the model.
 */
#ifndef AIO_STEPS_H
#define AIO_STEPS_H

#include "model_driver.h"

#include <ostream>

/* How GoogleTest prints a parameter. */
inline void PrintTo(const struct aio &a, std::ostream *out)
{
	*out << "step " << a.step << ", action " << a.action << ", fd " << a.fd << ", index "
	     << a.index << ", flags " << a.flags;
}

/* A step of a request of one ring. The program's number for it equals the key. */
inline struct aio aio_step_of(enum aio_step step, uint64_t key)
{
	struct aio a = {};

	a.step = step;
	a.fd = AIO_FD_NONE;
	a.index = -1;
	a.queue = 0x1000;
	a.key = a.user_data = key;
	a.offset = a.bytes = AIO_UNKNOWN;
	return a;
}

/* A submission as tracepoints report it: the file comes later. */
inline struct aio aio_submit(uint64_t key, enum aio_action action, uint32_t flags = 0)
{
	struct aio a = aio_step_of(AIO_SUBMIT, key);

	a.action = action;
	a.flags = flags;
	a.fd = flags & AIO_FIXED ? AIO_FD_NONE : AIO_FD_UNKNOWN;
	return a;
}

/* A submission as BPF reports it. */
inline struct aio aio_submit_all(uint64_t key, enum aio_action action, int32_t fd, uint64_t bytes,
				 uint64_t offset)
{
	struct aio a = aio_submit(key, action);

	a.fd = fd;
	a.bytes = bytes;
	a.offset = offset;
	return a;
}

inline struct aio aio_start(uint64_t key, int32_t fd)
{
	struct aio a = aio_step_of(AIO_START, key);

	a.fd = fd;
	return a;
}

inline struct aio aio_complete(uint64_t key, int64_t result, uint32_t flags = 0)
{
	struct aio a = aio_step_of(AIO_COMPLETE, key);

	a.result = result;
	a.flags = flags;
	return a;
}

inline void aio_do(ModelDriver &d, uint32_t pid, uint32_t tid, const struct aio &step)
{
	struct event e = d.base(EVENT_AIO, pid, tid);

	e.aio.step = step;
	e.aio.file.fd = -1;
	model_event(d.model, &e);
}

#endif
