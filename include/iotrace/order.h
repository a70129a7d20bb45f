/*
 * order: records of all streams in the order of time.
 *
 * Each CPU is a stream, and so is each number from SAMPLE_STREAM_FIRST on, which is of no CPU. Between the
 * rings of the streams there is no order. The drain works in rounds: it empties every ring
 * and marks the end of the round in the stream. A record that has an earlier time than one of round
 * n - 1 was already in its ring when round n looked there, so at the end of round n everything up to
 * the latest time of round n - 1 may leave. The rule needs no clock, so a replay orders exactly as the
 * live run did (perf's own reader uses it as well). ARCHITECTURE has the proof.
 *
 * What still arrives late is raised to the time already reached, marked and counted; nothing is
 * dropped. Bytes are not copied: a round stays in memory until its last record has left.
 */
#pragma once

#include <iotrace/capture.h>

struct order;
struct tally;

/*
 * `capture` parses the records and outlives the order. Counts `late` in tally, and records that are
 * shorter than their layout (decode never sees them) in `samples` and `malformed`.
 */
struct order *order_new(const struct capture *capture, struct tally *tally);
void order_free(struct order *order);
/*
 * Takes the round (and frees it later); its bytes are a whole number of records. Call it when
 * order_next() gives 0.
 */
void order_add_round(struct order *order, struct capture_round *round);
/* No round will follow: everything may leave. */
void order_end(struct order *order);

/*
 * Returns 1 with the next record, 0 if none may leave before another round is added. The sample is
 * lent until the next call. is_late: its time was raised (sample->time is the raised one). A
 * PERF_RECORD_LOST is given the time of the record before it in its stream: where the loss began.
 * So is a record that has no time; neither is ever late. Of equal times the lower CPU comes first,
 * then the streams of no CPU, then what is of no stream (facts).
 */
int order_next(struct order *order, struct sample *sample, bool *is_late);
