/* leaks_json: each leak as JSON. */
#include "books/json_text.h"
#include "latency.h"

#include <json.h>
#include <string.h>

/* A program file may name its functions with any bytes. */
static void set_bytes(json_object *to, const char *key, const char *text)
{
	json_set(to, key, text ? json_bytes(text, strlen(text)) : NULL);
}

static void add_symbol(void *context, const struct span_symbol *symbol)
{
	json_object *object = json_object_new_object();

	set_bytes(object, "function", symbol->function);
	set_bytes(object, "source", symbol->source);
	json_set_known(object, "line", symbol->line, symbol->line);
	set_bytes(object, "file", symbol->file);
	json_set_number(object, "address", symbol->address);
	json_set_bool(object, "inline", symbol->is_inline);
	json_object_array_add(context, object);
}

static json_object *json_stack(const struct span_report *report, uint32_t stack)
{
	json_object *all = json_object_new_array();

	report->symbols->of(report->symbols->self, stack, add_symbol, all);
	return all;
}

static json_object *json_leak(const struct span_report *report, const struct leak *leak)
{
	json_object *object = span_seen_json(report, &leak->seen);

	json_set_number(object, "age_ns", leak->age);
	json_set_bool(object, "process_ended", leak->seen.fate == SPAN_LEFT);
	if (report->symbols)
		json_set(object, "stack", json_stack(report, leak->seen.stack));
	return object;
}

void leaks_json(const struct span_report *report, FILE *out)
{
	static const struct {
		const char *key;
		enum span_fate fate;
	} row[] = {{"ended", SPAN_ENDED},
		   {"cancelled", SPAN_CANCELLED},
		   {"died", SPAN_DIED},
		   {"open", SPAN_OPEN}};
	json_object *top = json_object_new_object(), *all = json_object_new_array();
	uint64_t begun = 0;

	leaks_sort(report->leaks);
	for (uint32_t i = 0; i < report->leaks->leaks; i++)
		json_object_array_add(all, json_leak(report, &report->leaks->leak[i]));
	json_set(top, "leaks", all);
	for (uint32_t i = 0; i < report->spans; i++)
		begun += span_engine_books(report->engine, i)->begun;
	json_set_number(top, "begun", begun);
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		uint64_t count = 0;

		for (uint32_t span = 0; span < report->spans; span++)
			count += span_engine_books(report->engine, span)->fate[row[i].fate];
		json_set_number(top, row[i].key, count);
	}
	json_set(top, "books", span_books_json(report));
	json_print(out, top);
}
