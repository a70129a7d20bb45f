/* otf2_define: strings of definitions. */
#include "otf2_define.h"
#include "otf2_text.h"

#include <iotrace/cold.h>
#include <iotrace/mem.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A failure is visible in library_code, because callers could not handle it. */
void define_new_strings(struct sink *sink)
{
	while (sink->strings_written < strtab_count(sink->strings)) {
		OTF2_GlobalDefWriter_WriteString(sink->definitions, sink->strings_written,
						 otf2_final_text(sink, sink->strings_written));
		cold_pass(trace_cold(sink->trace), sink->strings_written++);
	}
}

OTF2_StringRef define_string(struct sink *sink, const char *bytes, size_t length)
{
	OTF2_StringRef ref = otf2_string(sink, bytes, length);

	define_new_strings(sink);
	return ref;
}

OTF2_StringRef define_text(struct sink *sink, const char *text)
{
	return define_string(sink, text, strlen(text));
}

OTF2_StringRef define_format(struct sink *sink, const char *format, ...)
{
	char *text = NULL;
	OTF2_StringRef ref;
	va_list args;

	va_start(args, format);
	ref = vasprintf(&text, format, args) < 0 ? 0 : define_text(sink, text);
	va_end(args);
	free(text);
	return ref;
}

bool define_properties(struct sink *sink,
		       OTF2_ErrorCode (*write)(OTF2_GlobalDefWriter *, uint32_t ref, OTF2_StringRef,
					       OTF2_Type, OTF2_AttributeValue),
		       uint32_t ref, const struct property *property, size_t count)
{
	bool good = true;

	for (size_t i = 0; i < count; i++)
		if (property[i].is_known)
			good &= is_good(write(sink->definitions, ref,
					      define_text(sink, property[i].name), property[i].type,
					      property[i].value));
	return good;
}

OTF2_StringRef define_str(struct sink *sink, str_id id)
{
	const struct strtab *strings = trace_strings(sink->trace);

	return define_string(sink, strtab_text(strings, id), strtab_length(strings, id));
}

OTF2_StringRef define_words(struct sink *sink, str_id argv, bool is_cut)
{
	const struct strtab *strings = trace_strings(sink->trace);
	uint32_t length = strtab_length(strings, argv);
	char *line = mem_dup(strtab_text(strings, argv), (size_t)length + 1);

	while (length && line[length - 1] == '\0')
		length--;
	for (uint32_t i = 0; i < length; i++)
		if (line[i] == '\0')
			line[i] = ' ';
	OTF2_StringRef ref = define_format(sink, "%.*s%s", (int)length, line,
					   is_cut ? " [...]" : "");

	free(line);
	return ref;
}
