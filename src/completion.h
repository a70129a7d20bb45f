/* completion: the scripts that complete iotrace's command line, written from the option rows. */
#pragma once

#include <stdio.h>

/* Returns 0, or -EINVAL if there is none for that shell (and says so). */
int completion_print(const char *shell, FILE *out);
