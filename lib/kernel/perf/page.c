/*
 * page: a read of a page that cannot be loaded raises SIGBUS. The handler must not allocate memory, so its message is fixed.
 */
#include <iotrace/page.h>

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

enum { FAILED = 125 }; /* exit status of a failed recording */

static const char sentence[] =
	"iotrace: cannot read back its unnamed temporary files beside the output: the disk "
	"reports an error, or somebody changed them. The output is not complete. Check the disk "
	"(dmesg), or write to another one (-o). 'iotrace check' lists what "
	"the recording left.\n";

static void explain_sigbus(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code != BUS_ADRERR) {
		/* The fault is a bug of iotrace: the same instruction raises it again. */
		signal(number, SIG_DFL);
		return;
	}
	if (write(STDERR_FILENO, sentence, sizeof(sentence) - 1) < 0)
		_exit(FAILED);
	_exit(FAILED);
}

void page_guard(void)
{
	struct sigaction action = {.sa_sigaction = explain_sigbus, .sa_flags = SA_SIGINFO};

	sigaction(SIGBUS, &action, NULL);
}
