/*
 * The plain BPF programs call only what Linux 5.15 has. Every call of all objects is looked at, so nothing that the verifier
 * of a later kernel lets pass gets in unseen.
 */
#ifdef IOTRACE_HAS_BPF

#include "count/bpf_span_cell.h"
#include "count/bpf_span_probe.h"
#include "count/bpf_span_shared.h"
#include "load/bpf_shared.h"

#include <block_plain.skel.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <iotrace_plain.skel.h>
#include <linux/bpf.h>
#include <span_plain.skel.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

namespace
{

/* The first that is later than bpf_task_pt_regs() of Linux 5.15. */
enum { LAST_OF_5_15 = 175, FIRST_LATER };

template <typename Type> std::vector<Type> table(const char *elf, const Elf64_Shdr &section)
{
	std::vector<Type> rows(section.sh_size / sizeof(Type));

	memcpy(rows.data(), elf + section.sh_offset, rows.size() * sizeof(Type));
	return rows;
}

struct Object {
	std::set<int> helpers;
	std::set<std::string> undefined; /* symbols: what is called by its name */
	size_t instructions = 0;

	Object(const void *bytes, size_t size)
	{
		const char *elf = static_cast<const char *>(bytes);
		Elf64_Ehdr header;

		memcpy(&header, elf, sizeof(header));
		EXPECT_EQ(header.e_machine, EM_BPF);
		Elf64_Shdr all = {};
		all.sh_offset = header.e_shoff;
		all.sh_size = header.e_shnum * sizeof(Elf64_Shdr);
		auto sections = table<Elf64_Shdr>(elf, all);
		for (auto &section : sections) {
			EXPECT_LE(section.sh_type == SHT_NOBITS
					  ? 0
					  : section.sh_offset + section.sh_size,
				  size);
			if (section.sh_type == SHT_PROGBITS && section.sh_flags & SHF_EXECINSTR)
				look_at(table<struct bpf_insn>(elf, section));
			if (section.sh_type == SHT_SYMTAB)
				for (auto &symbol : table<Elf64_Sym>(elf, section))
					if (symbol.st_shndx == SHN_UNDEF && symbol.st_name)
						undefined.insert(
							elf + sections[section.sh_link].sh_offset +
							symbol.st_name);
		}
	}

	void look_at(const std::vector<struct bpf_insn> &code)
	{
		instructions += code.size();
		for (size_t i = 0; i < code.size(); i++) {
			if (code[i].code == (BPF_LD | BPF_DW | BPF_IMM)) {
				i++; /* the second half is a number */
			} else if (code[i].code == (BPF_JMP | BPF_CALL)) {
				EXPECT_NE(code[i].src_reg, BPF_PSEUDO_KFUNC_CALL);
				if (!code[i].src_reg)
					helpers.insert(code[i].imm);
			}
		}
	}

	std::set<int> later() const
	{
		return {helpers.lower_bound(FIRST_LATER), helpers.end()};
	}
};

TEST(BpfPlain, CallsCallWhatIsInLinux515)
{
	size_t size;
	const void *elf = iotrace_plain_bpf__elf_bytes(&size);
	Object object(elf, size);

	EXPECT_GT(object.instructions, 1000u);
	EXPECT_EQ(object.helpers.count(BPF_FUNC_ringbuf_reserve), 1u);
	EXPECT_EQ(object.helpers.count(LAST_OF_5_15), 1u);
	/* Only where has_dynptr is set: the kernel takes out what a constant rules out. */
	EXPECT_EQ(object.later(),
		  (std::set<int>{BPF_HELPER_RESERVE_DYNPTR, BPF_HELPER_SUBMIT_DYNPTR,
				 BPF_HELPER_DISCARD_DYNPTR, BPF_HELPER_WRITE_DYNPTR}));
	EXPECT_EQ(object.undefined, std::set<std::string>{});
}

/* Each object calls the helper, and none that is later than Linux 5.15. */
void expect_old(const void *elf, size_t size, int helper)
{
	Object object(elf, size);

	EXPECT_GT(object.instructions, 1000u);
	EXPECT_EQ(object.helpers.count(helper), 1u);
	EXPECT_EQ(object.later(), std::set<int>{});
	EXPECT_EQ(object.undefined, std::set<std::string>{});
}

TEST(BpfPlain, BlockRequestsCallWhatIsInLinux515)
{
	size_t size;
	const void *elf = block_plain_bpf__elf_bytes(&size);

	expect_old(elf, size, BPF_FUNC_ringbuf_reserve);
}

TEST(BpfPlain, SpansCallWhatIsInLinux515)
{
	size_t size;
	const void *elf = span_plain_bpf__elf_bytes(&size);

	expect_old(elf, size, BPF_FUNC_for_each_map_elem);
}

} // namespace

#endif
