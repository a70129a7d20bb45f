/*
 * node: whether a command has its own recorder, or shares that of the job on this node; see <iotrace/join.h>.
 */
#pragma once

#include "path/naming.h"
#include "record_options.h"

struct error;
struct join_host;

/* The role of this process. All zero: a recorder for its own command. */
struct node {
	char *options;                         /* options of the recorder: see owner.h */
	const struct recording_probes *probes; /* lent; their files are open in the host, too */
	struct join_host *host;                /* it records for others */
	int log;                               /* host: messages for the guest that leaves last */
	int socket;                            /* guest: connection to the host; 0: no guest */
};

/*
 * Returns the name of the rendezvous, which the caller frees. Returns NULL if the command has its own recorder because no option
 * asks for sharing; or, with a message, because its options exclude each other.
 */
char *node_rendezvous(const struct record_options *options, const struct naming *naming,
		      struct error *err);
/*
 * Finds the host, or starts one. Then it returns in two processes: node->host is set in the new one, which has its own session
 * and a log for standard error; node->socket is set in the caller's. Returns 0, or -errno with a message.
 */
int node_enter(struct node *node, const char *rendezvous, const struct record_options *options,
	       const struct naming *naming, struct error *err);
/* Prints the messages of a host, and closes the log. log: -1 for none. Returns whether there were any. */
bool node_print_log(int log);
/*
 * As a host, tells its guests that it has finished, with this exit status, which is returned. Other processes only return the
 * status.
 */
int node_leave(struct node *node, int status);
