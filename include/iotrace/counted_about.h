/* counted_about: what is known of a value of a counted span's group, such as a system call: struct counted_span. */
#pragma once

/* Bits; and between them its class, a number below 16. */
enum {
	COUNTED_READS = 1,
	COUNTED_WRITES = 2,
	COUNTED_UNWANTED = 4,
	COUNTED_CLASS_SHIFT = 3,
	COUNTED_CLASSES = 16,
	COUNTED_REAPS = 128, /* the call returns events of iocbs */
};

/* The class of a call if operations are counted. The first ones are those of enum io_mode. */
enum counted_operation {
	COUNTED_OP_READ,
	COUNTED_OP_WRITE,
	COUNTED_OP_FLUSH,
	COUNTED_OP_COPY,      /* it reads one file, and writes another one */
	COUNTED_OP_FLUSH_ALL, /* it has no descriptor */
	COUNTED_OP_SUBMIT,    /* of iocbs, which are operations themselves */
	COUNTED_OP_END_QUEUE, /* of iocbs */
};
