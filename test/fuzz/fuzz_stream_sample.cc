/*
 * Fuzz target: one record of any layout; what is read is written and read again.
 *
 * Input: sample_type, read_format, branch_sample_type (u32 each), numbers of registers (2 bytes),
 * sample_id_all (1 byte), type of the record (1 byte), the bytes behind its header.
 */
#include <iotrace/sample.h>

#include <cstdlib>
#include <cstring>
#include <vector>

namespace
{

struct Input {
	uint32_t sample_type, read_format, branch_sample_type;
	uint8_t regs_user, regs_intr, sample_id_all, type;
};

void check(bool holds)
{
	if (!holds)
		abort();
}

void write_again(const sample &s, const sample_layout &layout)
{
	std::vector<uint8_t> out(UINT16_MAX);
	size_t size = sample_write(&s, &layout, out.data(), out.size());
	sample again;

	if (!size)
		return;
	check(sample_record_size(out.data(), size) == size);
	check(sample_parse(&again, &layout, out.data()) == 0);
	check(again.pid == s.pid && again.tid == s.tid && again.cpu == s.cpu &&
	      again.time == s.time && again.id == s.id);
	check(again.raw_size >= s.raw_size && again.body_size == s.body_size);
	check(!s.raw_size || memcmp(again.raw, s.raw, s.raw_size) == 0);
	check(!s.body_size || memcmp(again.body, s.body, s.body_size) == 0);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Input in;
	sample_layout layout{};
	perf_event_header header{};
	sample s;

	if (size < sizeof(in) || size - sizeof(in) + sizeof(header) > UINT16_MAX)
		return 0;
	memcpy(&in, data, sizeof(in));
	layout.sample_type = in.sample_type & ((1u << 25) - 1);
	layout.read_format = in.read_format & 0x1f;
	layout.branch_sample_type = in.branch_sample_type;
	layout.regs_user = in.regs_user % 65;
	layout.regs_intr = in.regs_intr % 65;
	layout.sample_id_all = in.sample_id_all & 1;
	header.type = in.type ? in.type : 9;
	header.size = static_cast<uint16_t>(size - sizeof(in) + sizeof(header));
	std::vector<uint8_t> record(header.size);
	memcpy(record.data(), &header, sizeof(header));
	memcpy(record.data() + sizeof(header), data + sizeof(in), size - sizeof(in));
	if (sample_parse(&s, &layout, record.data()) == 0)
		write_again(s, layout);
	return 0;
}
