/*
 * read_mark: converts markers of an archive to marks. In an archive of iotrace, one category of markers contains marks;
 * iotrace.json has the information of the others. In an archive of another program, every marker is a mark.
 */
#include "reader.h"

#include <iotrace/pause.h>
#include <string.h>

struct marks {
	struct reader *r;
	struct map is_excluded; /* definitions */
};

/* Fields of a definition: itself, group, category. Fields of a marker: time, duration, definition, scope, text. */
static void on_marker(void *context, const struct record *record)
{
	struct marks *marks = context;
	struct reader *r = marks->r;
	const struct value *is = record->value;

	if (record->type == MARKER_DEFINITION) {
		if (!strcmp(record->text[0], "iotrace") &&
		    strcmp(record->text[1], MARK_CATEGORY) != 0)
			map_set(&marks->is_excluded, is[0].is, 1);
	} else if (map_get(&marks->is_excluded, is[2].is) == MAP_NONE) {
		const struct io_event mark = {.kind = IO_MARK,
					      .thread = ID_NONE,
					      .time = read_time(r, is[0].is),
					      .handle = ID_NONE,
					      .mark.text = read_text(r, record->text[0],
								     strlen(record->text[0]))};

		r->source->on_event(r->source->context, &mark);
	}
}

void read_marks(struct reader *r)
{
	struct marks marks = {.r = r};

	walk_markers(&r->walk, on_marker, &marks);
	map_release(&marks.is_excluded);
}
