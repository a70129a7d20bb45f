/* cannot_run: why a command could not be run. */
#pragma once

#include "record/record_options.h"

/* Says it as a shell does, with what the user may have meant, and returns a shell's exit status: 126 or 127. code: errno of exec. */
int cannot_run(const struct record_options *options, const char *name, int code);
