/* library: see library.h. */
#include "library.h"

#include <dlfcn.h>
#include <errno.h>
#include <iotrace/error.h>
#include <string.h>

static void refuse(void *library, const char *file, struct error *err)
{
	const char *why = dlerror();

	error_say(err, ENOENT, "cannot load %s: %s", file, why ? why : "a function is missing");
	library_close(library);
}

void *library_open(const char *file, const struct library_function *function, size_t count,
		   void *functions, struct error *err)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; library && i < count; i++) {
		void *at = dlsym(library, function[i].name);

		if (!at) {
			refuse(library, file, err);
			return NULL;
		}
		memcpy((char *)functions + function[i].at, &at, sizeof(at));
	}
	if (!library)
		refuse(NULL, file, err);
	return library;
}

void library_close(void *library)
{
	if (library)
		dlclose(library);
}
