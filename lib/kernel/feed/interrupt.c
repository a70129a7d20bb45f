/* interrupt: see <iotrace/interrupt.h>. A handler has no argument of its own, so there is one state for the process. */
#include <iotrace/interrupt.h>

#include <iotrace/probe.h>
#include <signal.h>
#include <stddef.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static const int numbers[] = {SIGINT, SIGTERM};
static const uint64_t ns_per_s = 1000000000;
static volatile sig_atomic_t has_come, awaited = -1;

static void take(int number)
{
	(void)number;
	has_come = 1;
	if (awaited >= 0)
		close(awaited);
	awaited = -1;
}

/* Without SA_RESTART, so that a write to a reader who does not read ends, too. */
void interrupt_catch(int fd)
{
	awaited = fd;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct sigaction before, action = {.sa_handler = take};

		if (!sigaction(numbers[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

bool interrupt_has_come(void)
{
	return has_come;
}

/* A signal between the question and the wait would be missed, so both are blocked until the wait begins. */
void interrupt_wait(uint64_t until)
{
	uint64_t now = probe_now(), left = until > now ? until - now : 0;
	const struct timespec time = {.tv_sec = (time_t)(left / ns_per_s),
				      .tv_nsec = (long)(left % ns_per_s)};
	sigset_t set, before;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, &before);
	if (!has_come)
		pselect(0, NULL, NULL, NULL, &time, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
}
