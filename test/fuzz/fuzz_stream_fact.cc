/*
 * Fuzz target: one encoded fact; what is read is written and read again.
 */
#include <iotrace/fact.h>

#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	std::vector<uint8_t> in(data, data + size), out(FACT_SIZE_MAX);
	fact f, again;

	in.shrink_to_fit();
	if (fact_decode(&f, in.data(), in.size()))
		return 0;
	size_t used = fact_encode(&f, out.data(), out.size());

	if (!used || fact_decode(&again, out.data(), used) || again.kind != f.kind)
		abort();
	for (int i = 0; i < FACT_STRINGS; i++) {
		if (f.string[i].length > FACT_STRING_SIZE)
			abort();
		if (again.string[i].length &&
		    memcmp(again.string[i].at, f.string[i].at, f.string[i].length))
			abort();
	}
	return 0;
}
