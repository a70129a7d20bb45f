/*
 * feed: a child process that writes lines, and a terminal whose keys are waited for at the same time.
 *
 * The child runs a function of this program; its standard output and its standard error are lines. It is in a process group of its
 * own, so keys such as Ctrl-C do not reach it. It gets SIGTERM if its parent dies.
 */
#pragma once

#include <stdbool.h>

struct error;
struct feed;

enum feed_event {
	FEED_TIMEOUT,
	FEED_LINE,    /* a line of standard output */
	FEED_MESSAGE, /* a line of standard error */
	FEED_KEY,     /* keys can be read, or the terminal has another size */
	FEED_SIGNAL,  /* SIGINT, SIGTERM or SIGHUP has come */
	FEED_END,     /* the child has closed both; comes once */
	FEED_OTHER,   /* a descriptor of feed_watch() can be read */
};

/*
 * Starts the child, which calls run(context) and ends with the status that this returns. Call it before there are threads. While a
 * feed exists, SIGINT, SIGTERM and SIGHUP are blocked. Returns NULL with a message.
 */
struct feed *feed_new(int (*run)(void *context), void *context, struct error *err);
/* The standard input is not a terminal with keys: it is not waited for. */
void feed_ignore_keys(struct feed *feed);
/* Signals are not waited for either: the feed that follows this one does it. */
void feed_ignore_signals(struct feed *feed);
/* Also waits for what another feed has to say, which is FEED_OTHER; NULL: no more. Lent. */
void feed_follow(struct feed *feed, const struct feed *other);
/* Returns the process id of the child. */
int feed_pid(const struct feed *feed);
/* Also waits for this descriptor, of at most FEED_OTHERS. */
enum { FEED_OTHERS = 4 };
void feed_watch(struct feed *feed, int fd);
/*
 * Waits for at most wait_ms, or after feed_stop() until wait_ms after that, no matter how many lines come. line: without its "\n"; lent
 * until the next call.
 */
enum feed_event feed_wait(struct feed *feed, int wait_ms, const char **line);
/* Asks the child to end, by SIGINT. From now on, keys and signals are not waited for. */
void feed_stop(struct feed *feed);
/*
 * Waits for the end of the child, and frees the feed. A child whose FEED_END has not come is killed and not waited for. Returns its exit
 * status; 128 + N if signal N ended it.
 */
int feed_end(struct feed *feed);
