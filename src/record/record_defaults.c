/* record_defaults: the options of a recording that are not on the command line. */
#include "option/options_files.h"
#include "record_options.h"

#include <iotrace/log.h>
#include <stdlib.h>
#include <string.h>

static const char command_line[] = "command line";

static void add_command_line(struct options_lines *lines, int argc, char **argv)
{
	int count = argc > 1 && !strcmp(argv[argc - 1], "--") ? argc - 1 : argc;

	if (count > 1)
		options_lines_add(lines, command_line, count, (const char *const *)argv);
}

int record_options_defaults(void *context, bool is_alone, int argc, char **argv, struct error *err)
{
	struct record_options *options = context;
	struct options_paths paths;
	int code = 0;

	options_paths_init(&paths);
	if (!is_alone)
		code = options_files_read(&options->given, &paths, err);
	if (!code)
		code = options_files_parse(&options->given, record_rows, record_hints, options,
					   err);
	add_command_line(&options->given, argc, argv);
	return code;
}

void record_options_log(const struct record_options *options)
{
	for (uint32_t i = 0; i < options->given.count; i++) {
		const struct recording_words *line = &options->given.line[i];
		char *words = options_line_text(line);

		if (line->line)
			log_info("options: %s (%s, line %u)", words, line->from, line->line);
		else
			log_info("options: %s (%s)", words, line->from);
		free(words);
	}
}
