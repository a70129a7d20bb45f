/*
 * record_options: what record can be told, and what of it goes together.
 */
#ifndef IOTRACE_RECORD_OPTIONS_H
#define IOTRACE_RECORD_OPTIONS_H

#include "output.h"

#include <iotrace/recording.h>

#ifdef __cplusplus
extern "C" {
#endif

struct record_options {
	struct output_options output;
	struct recording recording;
	bool is_without_block; /* --no-block */
	const char *capture;
	int verbosity;
};

extern const struct option_row record_rows[];

void record_options_init(struct record_options *options);
void record_options_release(struct record_options *options);
/*
 * Checks what goes together, and decides what the user left open: options->recording is complete then. argv: the command,
 * or NULL; lent. Returns 0, or -EINVAL with a sentence.
 */
int record_options_complete(struct record_options *options, char *const *argv, struct error *err);

#ifdef __cplusplus
}
#endif
#endif
