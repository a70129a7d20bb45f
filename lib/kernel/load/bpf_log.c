/*
 * bpf_log: what libbpf says goes to the log. See bpf_log.h.
 */
#include "bpf_log.h"

#include <iotrace/log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int bpf_log(enum libbpf_print_level level, const char *format, va_list args)
{
	char *text, *rest, *line;

	(void)level;
	if (log_level() < LOG_DEBUG || vasprintf(&text, format, args) < 0)
		return 0;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		log_debug("%s", line);
	free(text);
	return 0;
}
