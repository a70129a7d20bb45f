/*
 * wanted: tracepoints that somebody reads beside the model: see decode_want(). Their samples may belong to any event: one of -e,
 * one that the model uses, or one that nobody else reads.
 */
#include "state.h"
#include "tracepoint/format.h"
#include "tracepoint/symbols.h"

#include <iotrace/list.h>
#include <iotrace/mem.h>
#include <stdlib.h>

struct wanted {
	struct chosen *chosen;
	const char *text; /* SYSTEM:EVENT[=FIELD,...]; lent */
};

const char *decode_symbol(const struct decode_event *event, uint32_t number, uint64_t value)
{
	return event->symbols ? symbols_find(&event->symbols[number], value) : NULL;
}

char *decode_chooser(const char *format, const char *number)
{
	struct symbols symbols;
	char *chooser;

	symbols_init(&symbols, format, strlen(format), number);
	chooser = symbols.chooser;
	symbols.chooser = NULL;
	symbols_release(&symbols);
	return chooser;
}

void decode_choose(const struct decode_event *event, uint32_t number, uint64_t value)
{
	if (event->symbols)
		symbols_choose(&event->symbols[number], value);
}

static bool is_called(const char *text, const char *system, const char *name)
{
	size_t length = strlen(system), rest = strcspn(text, "=");

	return rest == length + 1 + strlen(name) && !memcmp(text, system, length) &&
	       text[length] == ':' && !memcmp(text + length + 1, name, rest - length - 1);
}

/* An empty list of fields means no list. */
static struct chosen *chosen_of(const char *text)
{
	size_t length = strlen(text);
	char *copy = mem_format("%.*s", (int)(length - (text[length - 1] == '=')), text);
	struct chosen *chosen = chosen_new(copy);

	free(copy);
	return chosen;
}

static bool is_chosen(const struct capture_event *event)
{
	return capture_chosen(event->name);
}

static bool is_of(const struct capture_event *event, uint32_t id)
{
	return event->attr.type == PERF_TYPE_TRACEPOINT && event->attr.config == id;
}

/*
 * A recording of iotrace may contain a tracepoint twice: once for the model, and once because the user named it. If a user of perf record
 * named it twice, one of them is enough.
 */
static void connect(struct decode *d, uint32_t index, uint32_t id)
{
	const struct capture_info *info = d->info;

	for (uint32_t i = 0; i < info->events; i++)
		if (is_of(&info->event[i], id) && is_chosen(&info->event[i])) {
			d->want_of[i] = index;
			return;
		}
	for (uint32_t i = 0; i < info->events; i++) {
		if (!is_of(&info->event[i], id))
			continue;
		d->want_of[i] = index;
		if (!d->has_facts)
			return;
	}
}

static void add_format(struct decode *d, uint32_t index, uint32_t id, const char *system,
		       const char *text, size_t size)
{
	struct wanted *want = &d->want[index];

	if (!want->chosen) {
		want->chosen = chosen_of(want->text);
		free(chosen_add_format(want->chosen, system, text, size));
	}
	connect(d, index, id);
}

void wanted_add_format(struct decode *d, const char *system, const char *text, size_t size)
{
	struct format format;

	if (!d->wants || format_init(&format, text, size))
		return;
	for (uint32_t i = 0; i < d->wants; i++)
		if (is_called(d->want[i].text, system, format.name))
			add_format(d, i, format.id, system, text, size);
}

void decode_want(struct decode *d, const struct text_list *events)
{
	const struct capture_info *info = d->info;

	if (!events->count)
		return;
	d->want = (struct wanted *)mem_array(events->count, sizeof(*d->want));
	d->wants = events->count;
	for (uint32_t i = 0; i < events->count; i++)
		d->want[i].text = events->item[i];
	d->want_of = (uint32_t *)mem_array(info->events ? info->events : 1, sizeof(*d->want_of));
	for (uint32_t i = 0; i < info->events; i++)
		d->want_of[i] = CHOSEN_NONE;
	for (uint32_t i = 0; i < info->formats; i++)
		wanted_add_format(d, info->format[i].system ? info->format[i].system : "",
				  info->format[i].text, strlen(info->format[i].text));
}

bool decode_wanted(const struct decode *d, const struct sample *sample, struct event *event)
{
	uint32_t index;

	if (!d->wants || sample->type != PERF_RECORD_SAMPLE || sample->event >= d->info->events)
		return false;
	index = d->want_of[sample->event];
	if (index == CHOSEN_NONE)
		return false;
	event_of_sample(event, sample, false);
	if (chosen_decode(d->want[index].chosen, index, sample, event) != DECODED_EVENT)
		return false;
	event->tracepoint.callers = sample->callers;
	event->tracepoint.caller = sample->caller;
	return true;
}

const struct decode_event *decode_wanted_event(const struct decode *d, uint32_t index)
{
	return index < d->wants && d->want[index].chosen ? chosen_event(d->want[index].chosen)
							 : NULL;
}

void wanted_release(struct decode *d)
{
	for (uint32_t i = 0; i < d->wants; i++)
		if (d->want[i].chosen)
			chosen_free(d->want[i].chosen);
	free(d->want);
	free(d->want_of);
}
