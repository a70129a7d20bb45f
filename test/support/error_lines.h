// error_lines: the sentence of an error and its hints, a line each.
#pragma once

#include <string>

#include <iotrace/error.h>

inline std::string error_lines(const struct error &err)
{
	std::string lines = err.text;

	for (const char *hint = error_next_hint(&err, nullptr); hint;
	     hint = error_next_hint(&err, hint))
		lines += std::string("\n") + hint;
	return lines;
}
