/* ways: see <iotrace/span_ways.h>. */
#include "number_name.h"

#include <iotrace/span_ways.h>
#include <iotrace/syscall.h>
#include <stddef.h>
#include <string.h>

/* Opcodes and structures of <linux/fuse.h>. */
enum {
	FUSE_OPCODE_READ = 15,
	FUSE_OPCODE_WRITE = 16,
	FUSE_ANSWER = 16,       /* struct fuse_out_header */
	FUSE_WRITE_HEADER = 80, /* struct fuse_in_header and struct fuse_write_in */
};

static uint32_t of_call(uint64_t number, const struct arch *arch)
{
	call_id id = arch ? arch_call(arch, (long)number) : CALL_ID_NONE;
	const struct call_row *row = id == CALL_ID_NONE ? NULL : call_row(id);

	if (!row || row->result != RESULT_BYTES || row->group == GROUP_DIR)
		return 0;
	switch (row->kind) {
	case CALL_READ:
		return SPAN_READS;
	case CALL_WRITE:
		return SPAN_WRITES;
	case CALL_COPY:
		return SPAN_READS | SPAN_WRITES;
	default:
		return 0;
	}
}

static uint32_t of_fuse(uint64_t opcode, const struct arch *arch)
{
	(void)arch;
	return opcode == FUSE_OPCODE_READ    ? SPAN_READS
	       : opcode == FUSE_OPCODE_WRITE ? SPAN_WRITES
					     : 0;
}

const struct span_ways *span_ways_of_row(const char *name)
{
	static const struct {
		const char *name;
		struct span_ways ways;
	} row[] = {
		{"syscall", {of_call, {true, 0}, {true, 0}, true}},
		{"fuse", {of_fuse, {true, FUSE_ANSWER}, {false, FUSE_WRITE_HEADER}, false}},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		if (!strcmp(row[i].name, name))
			return &row[i].ways;
	return NULL;
}

const char *span_fuse_opcode(uint64_t opcode)
{
	return number_name_fuse(opcode);
}
