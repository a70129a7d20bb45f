/*
 * live_signal: the signals of a recording.
 *
 * Signals that the caller ignores (nohup, background jobs) stay ignored: a blocked signal would be queued.
 */
#pragma once

struct error;
struct live;

/* Blocks the signals that iotrace handles, and opens a descriptor to read them. Returns 0, or -errno with a message. */
int live_take_signals(struct live *live, struct error *err);
void live_give_signals_back(struct live *live);
/* Reads pending signals and acts on them. Only for the thread that owns the recording: see live_state.h. */
void live_read_signals(struct live *live);
