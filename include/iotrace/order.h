/*
 * order: returns the records of all streams in the order of time.
 *
 * Each CPU is a stream, and so is each number from SAMPLE_STREAM_FIRST on, which does not belong to a CPU. The ring buffers of
 * different streams have no common order. The recorder works in rounds: it empties every ring buffer and marks the end of the
 * round in the stream. A record with an earlier time than one of round n - 1 was already in its ring buffer when round n read it.
 * So at the end of round n, everything up to the latest time of round n - 1 can be returned. The rule needs no clock, so a replay
 * has the same order as the live run (perf's own reader uses it as well). ARCHITECTURE has the proof.
 *
 * If a record still arrives late, its time is raised to the time already reached, and it is marked and counted; nothing is
 * dropped. Bytes are not copied: a round stays in memory until its last record was returned.
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
/* Takes over the round and frees it later. Its bytes are complete records. Call it when order_next() returns 0. */
void order_add_round(struct order *order, struct capture_round *round);
/* No round will follow: order_next() returns all remaining records. */
void order_end(struct order *order);

/*
 * Returns 1 with the next record, or 0 if another round is needed first. The sample is lent until the next call. is_late: its time
 * was raised (sample->time is the raised one). A PERF_RECORD_LOST gets the time of the record before it in its stream, where the
 * loss began. So does a record without a time; neither is ever late. For equal times the lower CPU comes first, then the streams
 * without a CPU, then facts.
 */
int order_next(struct order *order, struct sample *sample, bool *is_late);
