#include "bpf_log.h"

#include <iotrace/log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libbpf's callback has no context argument. */
static _Thread_local struct bpf_refusal *kept;

void bpf_log_keep(struct bpf_refusal *refusal)
{
	kept = refusal;
	if (refusal)
		*refusal = (struct bpf_refusal){{0}, {0}};
}

/* Returns false for lines that the verifier prints besides its verdict: statistics, instructions, and sources. */
static bool is_verdict(const char *line)
{
	static const char *const other[] = {"processed ", "verification time", "stack depth",
					    "max_states", "-- END ",           ";",
					    "libbpf: "};
	size_t digits = strspn(line, "0123456789 ");

	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (!strncmp(line, other[i], strlen(other[i])))
			return false;
	return *line && !(digits && (line[digits] == ':' || !line[digits]));
}

/* Keeps the text of a line "libbpf: prog 'NAME': TEXT" or "libbpf: TEXT". */
static void keep_complaint(const char *line)
{
	static const char said[] = "libbpf: ", of_program[] = "prog '";
	static const char *const result[] = {"BPF program load failed", "-- BEGIN ",
					     "failed to load"};
	const char *text = strncmp(line, said, sizeof(said) - 1) ? line : line + sizeof(said) - 1;

	if (!strncmp(text, of_program, sizeof(of_program) - 1)) {
		const char *name = text + sizeof(of_program) - 1;
		size_t length = strcspn(name, "'");

		text = name + length + strspn(name + length, "': ");
		if (!strncmp(text, result[2], strlen(result[2])) || !strncmp(text, "relo #", 6))
			snprintf(kept->program, sizeof(kept->program), "%.*s", (int)length, name);
	}
	for (size_t i = 0; i < sizeof(result) / sizeof(result[0]); i++)
		if (!strncmp(text, result[i], strlen(result[i])))
			return;
	if (!*kept->why)
		snprintf(kept->why, sizeof(kept->why), "%s", text);
}

static void keep_line(const char *line, bool is_of_verifier)
{
	if (!is_of_verifier)
		keep_complaint(line);
	else if (is_verdict(line))
		snprintf(kept->why, sizeof(kept->why), "%s", line);
}

int bpf_log(enum libbpf_print_level level, const char *format, va_list args)
{
	bool is_kept = kept && level == LIBBPF_WARN, is_of_verifier = false;
	char *text, *rest, *line;

	if ((log_level() < LOG_DEBUG && !is_kept) || vasprintf(&text, format, args) < 0)
		return 0;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (is_kept)
			keep_line(line, is_of_verifier);
		is_of_verifier |= strstr(line, "-- BEGIN ") != NULL;
		log_debug("%s", line);
	}
	free(text);
	return 0;
}
