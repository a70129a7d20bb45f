/* live_busy: see live_busy.h. */
#include "live_busy.h"

#include "clock.h"
#include "host/sysblock.h"
#include "live_state.h"

int live_busy_open(struct live *live, struct error *err)
{
	const struct text_list *devices = &live->recording->busy_devices;

	for (uint32_t i = 0; i < devices->count; i++) {
		uint32_t number;
		int code = sysblock_number(&live->sys, devices->item[i], &number, err);

		if (!code)
			code = sysblock_check_busy(&live->sys, devices->item[i], err);
		if (code)
			return code;
	}
	live->busy.next = devices->count ? clock_now() : 0;
	return 0;
}

/* A device that is gone has no facts any more. */
static void add_fact(struct live *live, const char *device)
{
	struct fact fact = {.kind = FACT_BUSY, .string = {[FACT_BUSY_name] = fact_text(device)}};

	if (sysblock_busy(&live->sys, device, &fact.number[FACT_BUSY_busy_ms]))
		facts_add(&live->facts, &fact, 0, clock_now());
}

void live_busy_look(struct live *live)
{
	const struct text_list *devices = &live->recording->busy_devices;
	uint64_t now = clock_now();

	if (!live->busy.next || now < live->busy.next)
		return;
	for (uint32_t i = 0; i < devices->count; i++)
		add_fact(live, devices->item[i]);
	live->busy.next = now + live->recording->busy_interval;
}
