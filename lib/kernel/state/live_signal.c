/*
 * live_signal: what a signal to iotrace means.
 *
 * While a command runs, the terminal belongs to it: Ctrl-C reaches it directly, and the recording ends only with it. iotrace
 * passes signals that kill(2) sent to iotrace on to the command. Without a command, and after its end, a signal is meant for
 * iotrace.
 */
#include "live_signal.h"

#include "clock.h"
#include "join/host.h"
#include "live_state.h"

#include <errno.h>
#include <iotrace/stop.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const int answered[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

/* timeout(1) signals its child and then the group of both. These count as one request. */
static const uint64_t once_ns = 1000000000;
/* Batch systems send SIGKILL some time after SIGTERM (Slurm after 30 s). The archive must be complete before that. */
static const uint64_t postpone_ns = 20000000000;

enum { STOP_RECORDING = 2, STOP_CONVERSION = 3 };

/* counted_at: when a signal last counted; 0: never. */
static bool is_within_once(uint64_t counted_at, uint64_t now)
{
	return counted_at && now - counted_at < once_ns;
}

void live_hold_signals(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(answered) / sizeof(answered[0]); i++)
		sigaddset(&set, answered[i]);
	pthread_sigmask(SIG_BLOCK, &set, before);
}

int live_take_signals(struct live *live, struct error *err)
{
	struct sigaction action, plain = {.sa_handler = SIG_DFL};
	bool is_interrupted = false;
	sigset_t pending;

	sigpending(&pending);
	sigemptyset(&live->handled);
	for (size_t i = 0; i < sizeof(answered) / sizeof(answered[0]); i++)
		if (!sigaction(answered[i], NULL, &action) && action.sa_handler != SIG_IGN) {
			sigaddset(&live->handled, answered[i]);
			is_interrupted |= sigismember(&pending, answered[i]) == 1;
		}
	/* The command does not exist yet, so it cannot receive the signal. */
	if (is_interrupted && live->options->mask)
		return error_say(err, EINTR, "interrupted before the command began");
	sigaddset(&live->handled, STOP_SIGNAL);
	if (live->takes_snapshots)
		sigaddset(&live->handled, SIGUSR2);
	sigaddset(&live->handled, SIGCHLD);
	sigaction(SIGCHLD, &plain, &live->signals.child);
	pthread_sigmask(SIG_BLOCK, &live->handled, &live->signals.mask);
	if (live->options->mask)
		live->signals.mask = *live->options->mask;
	live->signals.quiet = live->options->quiet;
	live->has_signals = true;
	live->signal_fd = signalfd(-1, &live->handled, SFD_CLOEXEC | SFD_NONBLOCK);
	live->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (live->signal_fd < 0 || live->wake_fd < 0)
		return error_set(err, errno, "signalfd");
	return 0;
}

/* Signals that counted less than a second ago stay blocked, because the second one may come only now. */
static void keep_repeated(const struct live *live, sigset_t *mask)
{
	uint64_t now = clock_now();

	for (size_t i = 0; i < sizeof(answered) / sizeof(answered[0]); i++)
		if (is_within_once(live->sent_at[answered[i]], now))
			sigaddset(mask, answered[i]);
}

void live_give_signals_back(struct live *live)
{
	if (live->signal_fd >= 0) {
		live_read_signals(live);
		close(live->signal_fd);
	}
	if (live->wake_fd >= 0)
		close(live->wake_fd);
	if (!live->has_signals)
		return;
	sigaction(SIGCHLD, &live->signals.child, NULL);
	keep_repeated(live, &live->signals.mask);
	pthread_sigmask(SIG_SETMASK, &live->signals.mask, NULL);
}

/* Returns whether a process sent the signal with kill(2) or a similar call. Signals of the terminal come from the kernel. */
static bool is_sent(const struct signalfd_siginfo *signal)
{
	return signal->ssi_code == SI_USER || signal->ssi_code == SI_TKILL ||
	       signal->ssi_code == SI_QUEUE;
}

/* Returns whether the last signal that counted came less than a second ago. Otherwise this one counts. */
static bool is_repeated(uint64_t *counted_at)
{
	uint64_t now = clock_now();

	if (is_within_once(*counted_at, now))
		return true;
	*counted_at = now;
	return false;
}

/*
 * The command decides what the signal means. It may ignore a request to end, so the second one ends the recording, which leaves
 * a complete archive, and the third one ends the conversion. Signals that the command sends to its own group are not passed on.
 */
static void pass_on(struct live *live, const struct signalfd_siginfo *signal)
{
	bool asks_to_end = signal->ssi_signo == SIGTERM || signal->ssi_signo == SIGHUP;

	if (!is_sent(signal) || (pid_t)signal->ssi_pid == live->command.pid)
		return;
	/* The command runs as another user now, so iotrace can only end the recording. */
	if (!is_repeated(&live->sent_at[signal->ssi_signo]) &&
	    kill(live->command.pid, (int)signal->ssi_signo))
		live->is_ending = true;
	if (asks_to_end && !is_repeated(&live->asked_at))
		live->requests++;
	if (live->requests >= STOP_RECORDING)
		live->is_ending = true;
	if (live->requests >= STOP_CONVERSION)
		atomic_store(&live->interrupts, 2);
}

/*
 * A signal that ends a job also ends its commands. The first one waits for them for a limited time. Returns whether it was the
 * first.
 */
static bool postpones_end(struct live *live)
{
	uint64_t most = clock_now() + postpone_ns;

	if (!live->host || !join_host_has_members(live->host) || is_repeated(&live->asked_at) ||
	    live->requests++)
		return false;
	join_host_end_at_once(live->host);
	if (!live->until || live->until > most)
		live->until = most;
	return true;
}

static void answer(struct live *live, const struct signalfd_siginfo *signal)
{
	if (signal->ssi_signo == STOP_SIGNAL) {
		live->is_ending = live->is_asked_to_stop = true;
		return;
	}
	if (signal->ssi_signo == SIGUSR2) {
		atomic_store(&live->asked[LIVE_ASK_SIGNAL], clock_now());
		return;
	}
	if (live_command_runs(live)) {
		pass_on(live, signal);
		return;
	}
	if (postpones_end(live))
		return;
	if (is_sent(signal) && is_repeated(&live->sent_at[signal->ssi_signo]))
		return;
	if (live->is_ending || live_ended(live) != LIVE_RUNNING)
		atomic_fetch_add(&live->interrupts, 1);
	live->is_ending = true;
}

void live_read_signals(struct live *live)
{
	struct signalfd_siginfo signal;

	while (read(live->signal_fd, &signal, sizeof(signal)) == (ssize_t)sizeof(signal)) {
		if (signal.ssi_signo == SIGINT && !is_sent(&signal))
			atomic_store(&live->has_ctrl_c, true);
		if (signal.ssi_signo != SIGCHLD)
			answer(live, &signal);
	}
}

bool live_command_runs(struct live *live)
{
	return live->command.pid && !command_ended(&live->command, false);
}

/* Called after the control thread has ended, so it reads the signals itself. */
int live_interrupts(const struct live *live)
{
	if (live_ended(live) != LIVE_RUNNING)
		live_read_signals((struct live *)(uintptr_t)live);
	return atomic_load(&live->interrupts);
}

bool live_take_ctrl_c(struct live *live)
{
	return atomic_exchange(&live->has_ctrl_c, false);
}
