/*
 * leaks_json: each leak, for programs.
 */
#include "books/json_text.h"
#include "latency.h"

#include <iotrace/mem.h>
#include <json.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 4096 };

static void add_number(json_object *to, const char *key, uint64_t value)
{
	json_object_object_add(to, key, json_object_new_uint64(value));
}

static json_object *json_leak(const struct span_tell *tell, const struct leak *leak)
{
	const struct span_seen *seen = &leak->seen;
	const char *comm = span_engine_comm(tell->engine, seen);
	const char *about = span_engine_about(tell->engine, seen);
	json_object *object = json_object_new_object();
	char *text = mem_alloc(NAME_MOST);
	size_t length = span_engine_group(tell->engine, seen->span, seen->group, text, NAME_MOST);

	json_object_object_add(object, "span",
			       json_object_new_string(tell->span[seen->span]->name));
	json_object_object_add(object, "group", json_bytes(text, length));
	add_number(object, "pid", seen->pid);
	add_number(object, "tid", seen->tid);
	json_object_object_add(object, "comm", json_bytes(comm, strlen(comm)));
	length = span_engine_key(tell->engine, seen, text, NAME_MOST);
	json_object_object_add(object, "key", length ? json_bytes(text, length) : NULL);
	json_object_object_add(object, "file", *about ? json_bytes(about, strlen(about)) : NULL);
	add_number(object, "age_ns", leak->age);
	add_number(object, "begun_ns", seen->begin);
	json_object_object_add(object, "process_ended",
			       json_object_new_boolean(seen->fate == SPAN_LEFT));
	free(text);
	return object;
}

void leaks_json(const struct span_tell *tell, FILE *out)
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

	leaks_sort(tell->leaks);
	for (uint32_t i = 0; i < tell->leaks->leaks; i++)
		json_object_array_add(all, json_leak(tell, &tell->leaks->leak[i]));
	json_object_object_add(top, "leaks", all);
	for (uint32_t i = 0; i < tell->spans; i++)
		begun += span_engine_books(tell->engine, i)->begun;
	add_number(top, "begun", begun);
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		uint64_t count = 0;

		for (uint32_t span = 0; span < tell->spans; span++)
			count += span_engine_books(tell->engine, span)->fate[row[i].fate];
		add_number(top, row[i].key, count);
	}
	json_object_object_add(top, "books", span_books_json(tell));
	json_print(out,
		   json_object_to_json_string_ext(top, JSON_C_TO_STRING_PLAIN |
							       JSON_C_TO_STRING_NOSLASHESCAPE));
	fputc('\n', out);
	json_object_put(top);
}
