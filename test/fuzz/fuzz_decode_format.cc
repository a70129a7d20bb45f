/*
 * Fuzz target: the text of a format file. Its first byte chooses the system, the rest is the text;
 * a sample of zeros and one of ones are read with what comes out.
 */
#include "decode_capture.h"
#include "tracepoint/tracepoint.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const systems[] = {"raw_syscalls", "syscalls", "sched", "task"};
	tracepoint tp;
	error err;

	if (!size)
		return 0;
	if (tracepoint_init(&tp, systems[data[0] % 4], reinterpret_cast<const char *>(data) + 1,
			    size - 1, nullptr, &err) ||
	    !tp.row)
		return 0;
	for (uint8_t byte : {0, 0xff}) {
		Raw raw;
		event e;

		raw.bytes.assign(tp.need, byte);
		raw.bytes.shrink_to_fit();
		sample s = raw.sample(0);
		tp.row->decode(&tp, &s, &e);
	}
	return 0;
}
