/* completion: prints completion scripts, made from the option rows. */
#pragma once

#include <stdio.h>

/* Returns 0, or -EINVAL with a message if the shell is not supported. */
int completion_print(const char *shell, FILE *out);
