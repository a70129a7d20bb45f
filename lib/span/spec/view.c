/* view: the rows of views.def. */
#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/nearest.h>
#include <iotrace/view.h>
#include <stddef.h>
#include <string.h>

static const struct view rows[] = {
#define VIEW(name, span, by, help) {#name, span, by, help},
/* clang-format off */
#include <iotrace/views.def>
/* clang-format on */
#undef VIEW
};

const struct view *view_row(unsigned index)
{
	return index < sizeof(rows) / sizeof(*rows) ? &rows[index] : NULL;
}

const struct view *view_find(const char *name, struct error *err)
{
	struct nearest nearest;

	nearest_init(&nearest, name);
	for (unsigned i = 0; view_row(i); i++) {
		if (!strcmp(rows[i].name, name))
			return &rows[i];
		nearest_try(&nearest, rows[i].name);
	}
	error_say(err, EINVAL, "there is no view '%s'%s%s%s", name,
		  nearest.best ? "; did you mean '" : "", nearest.best ? nearest.best : "",
		  nearest.best ? "'?" : "");
	return NULL;
}
