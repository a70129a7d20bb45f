/*
 * lasting: the facts of a stream that hold for all of it: the machine, filters, mounts, devices, commands.
 *
 * A model that begins in the middle of a stream needs them. They are few, and each is kept once.
 */
#pragma once

struct event;
struct lasting;

struct lasting *lasting_new(void);
void lasting_free(struct lasting *lasting);
/* Copies the event if it is such a fact, and new. */
void lasting_add(struct lasting *lasting, const struct event *event);
/* Calls back for each of them, in the order in which they came. Lent. */
void lasting_each(const struct lasting *lasting,
		  void (*call)(void *context, const struct event *event), void *context);
