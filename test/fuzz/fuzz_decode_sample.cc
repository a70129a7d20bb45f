/*
 * Fuzz target: the bytes of samples and records, against the formats of one kernel.
 *
 * Input: for each sample a byte that chooses the event, a byte for the type of record, a 16-bit
 * size, the bytes.
 */
#include "decode_capture.h"

#include <iotrace/bpf_record.h>

#include <cstdlib>
#include <map>

static void add(Capture &c, const char *system, const char *name)
{
	static std::map<std::string, std::string> texts; /* read once */
	std::string &text = texts[name];

	if (text.empty())
		text = saved_format(system, name);
	c.add_tracepoint(system, name, text);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Capture c;

	add(c, "raw_syscalls", "sys_enter");
	add(c, "raw_syscalls", "sys_exit");
	add(c, "task", "task_newtask");
	add(c, "sched", "sched_process_exec");
	add(c, "syscalls", "sys_enter_openat");
	c.add_event("raw_syscalls:sys_exit", PERF_TYPE_TRACEPOINT, 60000);
	c.add_event("iotrace:counter:x", PERF_TYPE_HARDWARE, 0, {1, 2});
	c.add_facts();
	c.add_event(BPF_RECORD_EVENT_NAME, PERF_TYPE_SOFTWARE, 10);
	decode *d = c.open();

	while (size >= 4) {
		size_t length = data[2] | static_cast<size_t>(data[3]) << 8;
		uint8_t index = data[0], type = data[1];

		data += 4;
		size -= 4;
		if (length > size)
			length = size;
		Raw raw;

		raw.bytes.assign(data, data + length);
		raw.bytes.shrink_to_fit();
		sample s = type & 0x80 ? raw.record(type & 0x7f) : raw.sample(index % 10);
		event e;

		decode_sample(d, &s, false, &e);
		data += length;
		size -= length;
	}
	if (c.count(TALLY_samples) !=
	    c.count(TALLY_events) + c.count(TALLY_ignored) + c.count(TALLY_malformed))
		abort();
	decode_free(d);
	return 0;
}
