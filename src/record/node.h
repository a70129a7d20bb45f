/*
 * node: whether a command is recorded by a recorder of its own, or by the one of the job on this node; see <iotrace/join.h>.
 */
#pragma once

#include "path/naming.h"
#include "record_options.h"

struct error;
struct join_host;

/* What this process is. Zero: a recorder as always. */
struct node {
	char *options;          /* those of the recorder: see owner.h */
	struct join_host *host; /* it records for others */
	int log;    /* with a host: what it has to say, for the guest that leaves last */
	int socket; /* a guest: leads to the host; 0: it is none */
};

/*
 * Returns the name of the rendezvous, which the caller frees; NULL: the command has a recorder of its own, since nothing asks for
 * another one, or, with a sentence, since the options cannot be had together.
 */
char *node_rendezvous(const struct record_options *options, const struct naming *naming,
		      struct error *err);
/*
 * Finds the host, or starts one. Returns in two processes then: node->host is set in the new one, which is in a session of its
 * own and has a log for standard error; node->socket in the caller's. Returns 0, or -errno with a sentence.
 */
int node_enter(struct node *node, const char *rendezvous, const struct record_options *options,
	       const struct naming *naming, struct error *err);
/* Prints what a host had to say, and closes it. log: -1 for nothing. Returns whether it had. */
bool node_print_log(int log);
/* A host tells its guests that it has done its work, with this exit status, which is returned. Others do nothing here. */
int node_leave(struct node *node, int status);
