/* path_globs: see <iotrace/path_globs.h>. */
#include <fnmatch.h>
#include <iotrace/mem.h>
#include <iotrace/path_globs.h>
#include <stdlib.h>

void path_globs_add(struct path_globs *globs, bool is_exclusion, const char *text)
{
	MEM_GROW(globs->glob, globs->capacity, globs->globs + 1);
	globs->glob[globs->globs++] = (struct path_glob){mem_strdup(text), is_exclusion};
	globs->inclusions += !is_exclusion;
}

void path_globs_release(struct path_globs *globs)
{
	for (uint32_t i = 0; i < globs->globs; i++)
		free(globs->glob[i].glob);
	free(globs->glob);
}

bool path_globs_want(const struct path_globs *globs, const char *name)
{
	bool is_included = !globs->inclusions;

	for (uint32_t i = 0; *name && i < globs->globs; i++) {
		if (fnmatch(globs->glob[i].glob, name, 0))
			continue;
		if (globs->glob[i].is_exclusion)
			return false;
		is_included = true;
	}
	return is_included;
}
