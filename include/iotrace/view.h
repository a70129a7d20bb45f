/* view: what the rows of `iotrace stat` are: a row of views.def, or any span by its own groups ("span"). */
#pragma once

struct error;

struct view {
	const char *name;
	const char *span; /* of spans.def; NULL: it is made when it is needed */
	const char *by;   /* as span_engine_group_by() takes it */
	const char *help;
};

/* Returns row `index` of views.def, or NULL after the last. */
const struct view *view_row(unsigned index);
/* Returns the row with this name, or NULL with a message that contains the nearest name. */
const struct view *view_find(const char *name, struct error *err);
