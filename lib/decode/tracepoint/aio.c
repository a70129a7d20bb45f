/*
 * aio: steps of io_uring requests from tracepoints, and the effects of opcodes.
 *
 * No tracepoint has the offset or the length of a request. Its descriptor is known when it gets its file: for most requests at
 * once, and never for a fixed file.
 */
#include <iotrace/aio.h>

#include "tracepoint.h"

/* Bits of a request's flags that equal the program's IOSQE_* flags in all versions. */
enum { FLAG_FIXED_FILE = 1 << 0, FLAG_CQE_SKIP = 1 << 6 };

enum { CQE_MORE = 1 << 1 }; /* IORING_CQE_F_MORE */

struct opcode {
	enum aio_action action;
	uint32_t flags;
};

/* By IORING_OP_*; opcodes that are not listed have AIO_MANAGE. */
static const struct opcode uring[] = {
	[1] = {AIO_READ, 0},              /* READV */
	[2] = {AIO_WRITE, 0},             /* WRITEV */
	[3] = {AIO_FLUSH, 0},             /* FSYNC */
	[4] = {AIO_READ, 0},              /* READ_FIXED */
	[5] = {AIO_WRITE, 0},             /* WRITE_FIXED */
	[6] = {AIO_MANAGE, AIO_REPEATS},  /* POLL_ADD */
	[8] = {AIO_FLUSH, 0},             /* SYNC_FILE_RANGE */
	[9] = {AIO_WRITE, AIO_PASSES},    /* SENDMSG */
	[10] = {AIO_READ, AIO_REPEATS},   /* RECVMSG */
	[11] = {AIO_MANAGE, AIO_REPEATS}, /* TIMEOUT */
	[13] = {AIO_OPEN, AIO_REPEATS},   /* ACCEPT */
	[18] = {AIO_OPEN, 0},             /* OPENAT */
	[19] = {AIO_CLOSE, 0},            /* CLOSE */
	[20] = {AIO_FIX, 0},              /* FILES_UPDATE */
	[22] = {AIO_READ, 0},             /* READ */
	[23] = {AIO_WRITE, 0},            /* WRITE */
	[26] = {AIO_WRITE, 0},            /* SEND */
	[27] = {AIO_READ, AIO_REPEATS},   /* RECV */
	[28] = {AIO_OPEN, 0},             /* OPENAT2 */
	[30] = {AIO_WRITE, 0},            /* SPLICE: the end that it writes to */
	[33] = {AIO_WRITE, 0},            /* TEE: the same */
	[40] = {AIO_PASS, 0},             /* MSG_RING */
	[45] = {AIO_OPEN, 0},             /* SOCKET */
	[47] = {AIO_WRITE, AIO_REPEATS},  /* SEND_ZC: a second end, when the memory is free */
	[48] = {AIO_WRITE, AIO_REPEATS | AIO_PASSES}, /* SENDMSG_ZC */
	[49] = {AIO_READ, AIO_REPEATS},               /* READ_MULTISHOT */
	[54] = {AIO_OPEN, 0},                         /* FIXED_FD_INSTALL */
	[58] = {AIO_READ, AIO_REPEATS},               /* RECV_ZC */
	[60] = {AIO_READ, 0},                         /* READV_FIXED */
	[61] = {AIO_WRITE, 0},                        /* WRITEV_FIXED */
	[62] = {AIO_PASS, 0},                         /* PIPE: two of them */
};

/* By IOCB_CMD_*. */
static const struct opcode libaio[] = {
	[0] = {AIO_READ, 0},  /* PREAD */
	[1] = {AIO_WRITE, 0}, /* PWRITE */
	[2] = {AIO_FLUSH, 0}, /* FSYNC */
	[3] = {AIO_FLUSH, 0}, /* FDSYNC */
	[7] = {AIO_READ, 0},  /* PREADV */
	[8] = {AIO_WRITE, 0}, /* PWRITEV */
};

enum aio_action aio_action(enum aio_api api, uint32_t opcode, uint32_t *flags)
{
	static const struct {
		const struct opcode *row;
		uint32_t rows;
	} table[AIO_APIS] = {
		[AIO_URING] = {uring, sizeof(uring) / sizeof(uring[0])},
		[AIO_LIBAIO] = {libaio, sizeof(libaio) / sizeof(libaio[0])},
	};

	if (opcode >= table[api].rows)
		return AIO_MANAGE;
	*flags |= table[api].row[opcode].flags;
	return table[api].row[opcode].action;
}

static uint64_t number_at(const struct tracepoint *tp, uint32_t index, const struct sample *sample)
{
	return (uint64_t)field_value(&tp->field[index], sample->raw);
}

/* Fields that all have. Before Linux 5.13, some do not contain the request; it is found by `user_data` then. */
enum { AIO_CTX, AIO_REQ, AIO_DATA, AIO_MORE_FIELDS };

static struct aio *fill(const struct tracepoint *tp, const struct sample *sample,
			struct event *event, enum aio_step step)
{
	struct aio *aio = &event->aio.step;

	event->kind = EVENT_AIO;
	event->aio.file = (struct event_file){.fd = -1, .position = EVENT_POSITION_UNKNOWN};
	*aio = (struct aio){.step = step,
			    .action = AIO_MANAGE,
			    .api = AIO_URING,
			    .fd = AIO_FD_NONE,
			    .index = -1,
			    .queue = number_at(tp, AIO_CTX, sample),
			    .key = number_at(tp, AIO_REQ, sample),
			    .user_data = number_at(tp, AIO_DATA, sample),
			    .offset = AIO_UNKNOWN,
			    .bytes = AIO_UNKNOWN};
	return aio;
}

enum decoded decode_uring_create(const struct tracepoint *tp, const struct sample *sample,
				 struct event *event)
{
	struct aio *aio = fill(tp, sample, event, AIO_QUEUE);

	aio->fd = (int32_t)number_at(tp, AIO_MORE_FIELDS, sample);
	return DECODED_EVENT;
}

enum decoded decode_uring_submit(const struct tracepoint *tp, const struct sample *sample,
				 struct event *event)
{
	struct aio *aio = fill(tp, sample, event, AIO_SUBMIT);
	uint64_t flags = number_at(tp, AIO_MORE_FIELDS + 1, sample);

	aio->opcode = (uint32_t)number_at(tp, AIO_MORE_FIELDS, sample);
	aio->action = aio_action(AIO_URING, aio->opcode, &aio->flags);
	if (flags & FLAG_FIXED_FILE)
		aio->flags |= AIO_FIXED;
	else
		aio->fd = AIO_FD_UNKNOWN;
	if (flags & FLAG_CQE_SKIP)
		aio->flags |= AIO_SILENT;
	if (number_at(tp, AIO_MORE_FIELDS + 2, sample))
		aio->flags |= AIO_BY_THREAD;
	/* Before Linux 6.4; before 5.18, the completions do not contain the request. */
	if (tp->field[AIO_MORE_FIELDS + 3].size)
		aio->flags |= AIO_REPEATS;
	return DECODED_EVENT;
}

enum decoded decode_uring_file_get(const struct tracepoint *tp, const struct sample *sample,
				   struct event *event)
{
	struct aio *aio = fill(tp, sample, event, AIO_START);

	aio->fd = (int32_t)number_at(tp, AIO_MORE_FIELDS, sample);
	return aio->fd < 0 ? DECODED_IGNORED : DECODED_EVENT;
}

enum decoded decode_uring_complete(const struct tracepoint *tp, const struct sample *sample,
				   struct event *event)
{
	struct aio *aio = fill(tp, sample, event, AIO_COMPLETE);

	aio->result = (int64_t)number_at(tp, AIO_MORE_FIELDS, sample);
	if (number_at(tp, AIO_MORE_FIELDS + 1, sample) & CQE_MORE)
		aio->flags |= AIO_MORE;
	return DECODED_EVENT;
}
