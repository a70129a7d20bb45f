#include "node.h"

#include "owner.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/hash.h>
#include <iotrace/join.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns an option that excludes sharing a recorder, or NULL. */
static const char *excluding(const struct record_options *options)
{
	const struct recording *recording = &options->recording;
	const struct {
		bool is_given;
		const char *option;
	} row[] = {
		{!recording->argv, "-a or -p without a command"},
		{recording->is_system, "-a"},
		{recording->counters.count, "-E"},
		{recording->waits_for_all, "--wait"},
		{!options->is_each && options->output.path &&
			 naming_is_of_process(options->output.path),
		 "-o with %p, %r or %l, but for --each"},
		{options->capture && naming_is_of_process(options->capture),
		 "--capture with %p, %r or %l"},
		{options->output.summary.path && naming_is_of_process(options->output.summary.path),
		 "--summary with %p, %r or %l"},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		if (row[i].is_given)
			return row[i].option;
	return NULL;
}

/*
 * In a job, commands with the same output share a recorder. So do commands without an output, if all options of a recorder are
 * the same: no command is refused that did not ask to join. A name with a time is different for each recording. The hash has a
 * fixed key, so all processes get the same name. The machine's name distinguishes nodes that share a directory.
 */
static char *rendezvous_of_job(const struct record_options *options, const struct naming *naming)
{
	char *job = naming_job(naming), *names = owner_of_names(options);
	char *all = *names && !naming_has_time(names) ? NULL : owner_of_recorder(options);
	char *whole = mem_format("%s %s %s", job, naming->host, all ? all : names);
	uint64_t hash = hash_bytes((struct hash_key){0}, whole, strlen(whole));

	free(whole);
	free(all);
	free(names);
	free(job);
	return mem_format("job-%016llx", (unsigned long long)hash);
}

char *node_rendezvous(const struct record_options *options, const struct naming *naming,
		      struct error *err)
{
	const char *option = excluding(options);

	if (options->join && options->is_alone)
		error_say(err, EINVAL, "either --join or --alone, not both");
	else if (options->is_each && options->is_alone)
		error_say(err, EINVAL, "--each cannot be combined with --alone");
	else if (options->is_each && !output_is_made(&options->output))
		error_say(err, EINVAL,
			  "--each cannot be combined with --format null, which makes no archive");
	else if ((options->join || options->is_each) && option)
		error_say(err, EINVAL, "%s cannot be combined with %s",
			  options->join ? "--join" : "--each", option);
	else if (options->join)
		return mem_format("name-%s", options->join);
	else if (!options->is_alone && !option && naming_has_ranks(naming))
		return rendezvous_of_job(options, naming);
	return NULL;
}

/* The files of probes are named by their descriptors. */
static int fork_host(struct node *node, struct join_rendezvous *rendezvous, int *listener,
		     struct error *err)
{
	const struct recording_probes *probes = node->probes;
	struct join_kept kept = {mem_array(probes->count + 1, sizeof(*kept.fd)), probes->count};
	int code;

	for (uint32_t i = 0; i < kept.count; i++)
		kept.fd[i] = probes->item[i].fd;
	code = join_fork_host(rendezvous, listener, &node->log, &kept, err);
	for (uint32_t i = 0; i < kept.count; i++)
		probes->item[i].fd = kept.fd[i];
	free(kept.fd);
	return code;
}

static int start_host(struct node *node, struct join_rendezvous *rendezvous, const char *name,
		      int listener, unsigned expected, struct error *err)
{
	int code = fork_host(node, rendezvous, &listener, err);

	if (code)
		return code < 0 ? code : 0;
	node->host = join_host_new(name, listener, node->options, expected, err);
	return node->host ? 0 : -err->code;
}

/* Returns 0 if this process is the host or the host exists now, or -errno with a message. */
static int begin_host(struct node *node, struct join_rendezvous *rendezvous, const char *name,
		      unsigned expected, struct error *err)
{
	int listener = join_listen(rendezvous, err);
	int code = listener < 0 ? listener
				: start_host(node, rendezvous, name, listener, expected, err);

	if (listener >= 0 && !node->host)
		close(listener);
	return code;
}

int node_enter(struct node *node, const char *name, const struct record_options *options,
	       const struct naming *naming, struct error *err)
{
	struct join_rendezvous *rendezvous = join_rendezvous_lock(name, err);
	int socket = rendezvous ? join_connect(rendezvous, err) : -err->code;

	node->options = owner_of_recorder(options);
	node->probes = &options->recording.probes;
	if (socket == -ENOENT) {
		int code = begin_host(node, rendezvous, name, naming_local_size(naming), err);

		if (node->host)
			return code;
		socket = code ? code : join_connect(rendezvous, err);
	}
	join_rendezvous_unlock(rendezvous);
	if (socket == -ENOENT)
		return error_say(err, ENOENT, "--join: the recorder of this node did not start");
	node->socket = socket < 0 ? 0 : socket;
	return socket < 0 ? socket : 0;
}

bool node_print_log(int log)
{
	char text[4096];
	off_t at = 0;
	ssize_t n;

	while (log >= 0 && (n = pread(log, text, sizeof(text), at)) > 0) {
		if (write(STDERR_FILENO, text, (size_t)n) != n)
			break;
		at += n;
	}
	if (log >= 0)
		close(log);
	return at > 0;
}

int node_leave(struct node *node, int status)
{
	join_host_free(node->host, status, node->log);
	node->host = NULL;
	return status;
}
