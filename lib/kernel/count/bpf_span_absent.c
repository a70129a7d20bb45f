/* bpf_span_absent: replaces bpf_span in builds without clang, bpftool or libbpf. */
#include "bpf_span.h"

#include <errno.h>
#include <iotrace/error.h>
#include <stddef.h>

#pragma GCC diagnostic ignored "-Wunused-parameter" /* there is nothing to use them for */

struct bpf_span *bpf_span_open(const struct bpf_span_options *options, struct error *err)
{
	error_say(err, ENOTSUP, "this iotrace was built without BPF");
	return NULL;
}

void bpf_span_close(struct bpf_span *span)
{
}

void bpf_span_leave_out(struct bpf_span *span, const pid_t pid[BPF_SPAN_HELPERS])
{
}

void bpf_span_enable(struct bpf_span *span, bool is_on)
{
}

void bpf_span_detach(struct bpf_span *span)
{
}

uint64_t bpf_span_memory(const struct bpf_span *span)
{
	return 0;
}

const uint64_t *bpf_span_errors(const struct bpf_span *span)
{
	return NULL;
}

uint64_t bpf_span_missed(const struct bpf_span *span)
{
	return 0;
}

void bpf_span_add_books(const struct bpf_span *span, struct counted_books *books)
{
}

void bpf_span_parts(const struct bpf_span *span,
		    void (*call)(void *context, const struct counted_part *part), void *context)
{
}

void bpf_span_take(const struct bpf_span *span,
		   void (*call)(void *context, const struct counted_part *part), void *context)
{
}

void bpf_span_flights(const struct bpf_span *span, uint64_t now,
		      void (*call)(void *context, const struct counted_flight *flight),
		      void *context)
{
}

const char *bpf_span_text(struct bpf_span *span, uint64_t group)
{
	return NULL;
}

bool bpf_span_chooser(const struct bpf_span *span, uint64_t *value)
{
	return false;
}

int bpf_span_left(struct bpf_span *span,
		  void (*call)(void *context, const struct counted_open *open), void *context)
{
	return -ENOTSUP;
}
