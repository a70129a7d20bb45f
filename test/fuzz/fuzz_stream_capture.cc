/*
 * Fuzz target: a whole capture file, opened, cut into rounds, ordered.
 */
#include <iotrace/capture.h>
#include <iotrace/error.h>
#include <iotrace/order.h>
#include <iotrace/tally.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace
{

uint64_t reached;
volatile uint8_t sink; /* so that reading what a sample lends is not optimized away */

void drain(order *o)
{
	sample s;
	bool is_late;

	while (order_next(o, &s, &is_late)) {
		if (s.time < reached)
			abort();
		reached = s.time;
		if (s.raw_size)
			sink = static_cast<uint8_t>(s.raw[0] ^ s.raw[s.raw_size - 1]);
		if (s.body_size)
			sink = static_cast<uint8_t>(s.body[0] ^ s.body[s.body_size - 1]);
	}
}

void read_all(capture *c)
{
	tally books{};
	order *o = order_new(c, &books);
	capture_round round;
	error err;

	reached = 0;
	while (capture_next_round(c, &round, &err) > 0) {
		order_add_round(o, &round);
		drain(o);
	}
	order_end(o);
	drain(o);
	order_free(o);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("capture", MFD_CLOEXEC);
	std::string path = "/proc/self/fd/" + std::to_string(fd);
	error err;

	if (write(fd, data, size) == static_cast<ssize_t>(size)) {
		capture *c = capture_open(path.c_str(), nullptr, nullptr, &err);

		if (c)
			read_all(c);
		capture_close(c);
	}
	close(fd);
	return 0;
}
