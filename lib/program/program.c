/*
 * program: reads an ELF file through elfutils. Converts addresses to file offsets and back, using the program headers as the
 * kernel does.
 */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#elif defined(__powerpc64__)
enum { MACHINE = EM_PPC64 };
#elif defined(__riscv)
enum { MACHINE = EM_RISCV };
#elif defined(__s390x__)
enum { MACHINE = EM_S390 };
#else
enum { MACHINE = EM_NONE };
#endif

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static int refuse(const char *name, int code, const char *why, struct error *err)
{
	return error_say(err, code, "%s: %s", name, why);
}

static int check_header(Elf *elf, const char *name, struct error *err)
{
	GElf_Ehdr header;

	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) ||
	    (header.e_type != ET_EXEC && header.e_type != ET_DYN))
		return refuse(name, ENOEXEC, "it is no program and no library (an ELF file)", err);
	if (gelf_getclass(elf) != ELFCLASS64)
		return refuse(name, ENOTSUP,
			      "it is a 32-bit program; only 64-bit programs can be probed", err);
	if (MACHINE != EM_NONE && header.e_machine != MACHINE)
		return refuse(name, ENOTSUP, "it is for another architecture", err);
	return 0;
}

static int check(int fd, const char *name, struct error *err)
{
	Elf *elf;
	int code;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	code = check_header(elf, name, err);
	elf_end(elf);
	return code;
}

/* The module takes over a duplicate of the descriptor. */
static void report(struct program *program, int fd)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	program->dwfl = dwfl_begin(&callbacks);
	if (!program->dwfl || own < 0)
		return;
	dwfl_report_begin(program->dwfl);
	program->module = dwfl_report_offline(program->dwfl, program->name, program->name, own);
	if (!program->module)
		close(own);
	dwfl_report_end(program->dwfl, NULL, NULL);
}

struct program *program_open(int fd, const char *name, struct error *err)
{
	struct program *program;

	if (check(fd, name, err))
		return NULL;
	program = mem_zero(sizeof(*program));
	program->name = mem_strdup(name);
	report(program, fd);
	if (program->module)
		program->elf = dwfl_module_getelf(program->module, &program->bias);
	if (program->elf)
		return program;
	error_say(err, EBADMSG, "%s: it cannot be read: %s", name, dwfl_errmsg(-1));
	program_close(program);
	return NULL;
}

void program_close(struct program *program)
{
	if (!program)
		return;
	program_forget_units(program);
	dwfl_end(program->dwfl);
	free(program->name);
	free(program);
}

static bool convert(const struct program *program, uint64_t from, bool is_address, uint64_t *to)
{
	size_t headers;
	GElf_Phdr header;

	if (elf_getphdrnum(program->elf, &headers))
		return false;
	for (size_t i = 0; i < headers; i++) {
		uint64_t begin, other;

		if (!gelf_getphdr(program->elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		begin = is_address ? header.p_vaddr : header.p_offset;
		other = is_address ? header.p_offset : header.p_vaddr;
		if (from < begin || from - begin >= header.p_filesz)
			continue;
		*to = from - begin + other;
		return true;
	}
	return false;
}

bool program_offset(const struct program *program, uint64_t address, uint64_t *offset)
{
	return convert(program, address, true, offset);
}

bool program_address(const struct program *program, uint64_t offset, uint64_t *address)
{
	return convert(program, offset, false, address);
}
