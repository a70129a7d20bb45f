/*
 * live_signal: the signals of a recording.
 *
 * Signals that the caller ignores (nohup, background jobs) stay ignored; a blocked signal would be queued.
 */
#pragma once

struct error;
struct live;

/* Blocks what is answered and opens the descriptor that it is read from. Returns 0, or -errno with a sentence. */
int live_take_signals(struct live *live, struct error *err);
void live_give_signals_back(struct live *live);
/* Reads what signals came, and does what they ask for. Only for the thread that owns the recording: live_private.h. */
void live_read_signals(struct live *live);
