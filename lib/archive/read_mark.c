/*
 * read_mark: marks, from the markers of an archive. In an archive of iotrace, markers of other categories say what iotrace.json says,
 * too, and are left out. In an archive of another program, every marker is a mark.
 */
#include "reader.h"

#include <iotrace/mem.h>
#include <iotrace/pause.h>
#include <stdlib.h>
#include <string.h>

struct marks {
	struct reader *r;
	struct map is_left_out; /* definitions */
};

static OTF2_CallbackCode on_definition(void *data, OTF2_MarkerRef self, const char *group,
				       const char *category, OTF2_MarkerSeverity severity)
{
	struct marks *marks = data;

	(void)severity;
	if (!strcmp(group, "iotrace") && strcmp(category, MARK_CATEGORY) != 0)
		map_set(&marks->is_left_out, self, 1);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_mark(void *data, OTF2_TimeStamp time, OTF2_TimeStamp duration,
				 OTF2_MarkerRef marker, OTF2_MarkerScope scope, uint64_t ref,
				 const char *text)
{
	const struct marks *marks = data;
	struct reader *r = marks->r;
	const struct io_event mark = {.kind = IO_MARK,
				      .thread = ID_NONE,
				      .time = read_time(r, time),
				      .handle = ID_NONE,
				      .mark.text = read_text(r, text, strlen(text))};

	(void)duration;
	(void)scope;
	(void)ref;
	if (map_get(&marks->is_left_out, marker) == MAP_NONE)
		r->source->on_event(r->source->context, &mark);
	return OTF2_CALLBACK_SUCCESS;
}

void read_marks(struct reader *r)
{
	struct marks marks = {.r = r};

	verify_markers(&r->verify, on_definition, on_mark, &marks);
	map_release(&marks.is_left_out);
}
