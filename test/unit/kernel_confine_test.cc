// confine: what is given up is gone for good, so each test does it in a child of its own.
#include <iotrace/confine.h>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <linux/capability.h>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

namespace
{

/* Returns what the call returned in a child, 200 if a signal ended that. */
int in_child(const std::function<int()> &call)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0)
		_exit(call());
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 200;
}

std::string status_of_thread(const char *key)
{
	std::ifstream file("/proc/thread-self/status");

	for (std::string line; std::getline(file, line);)
		if (line.rfind(key, 0) == 0)
			return line.substr(line.find_last_of("\t ") + 1);
	return "";
}

uint64_t capabilities(const char *key)
{
	return std::stoull(status_of_thread(key), nullptr, 16);
}

bool is_refused(long returned)
{
	return returned == -1 && errno == ENOSYS;
}

constexpr uint64_t BIT(unsigned number)
{
	return uint64_t{1} << number;
}

/* Then there is no more to it than that it says so. */
bool is_without_filter()
{
	if (!confine_has_filter())
		EXPECT_EQ(confine_filter(0), -ENOSYS);
	return !confine_has_filter();
}

TEST(Confine, FilterRefusesWhatIsNotNeeded)
{
	if (is_without_filter())
		return;
	EXPECT_EQ(in_child([] { return -confine_filter(0); }), 0);
	EXPECT_EQ(in_child([] {
			  confine_filter(0);
			  if (status_of_thread("Seccomp:") != "2")
				  return 1;
			  if (!is_refused(socket(AF_INET, SOCK_STREAM, 0)))
				  return 2;
			  if (!is_refused(execl("/bin/true", "true", nullptr)))
				  return 3;
			  if (!is_refused(syscall(SYS_perf_event_open, nullptr, 0, 0, 0, 0)))
				  return 4;
			  if (!is_refused(syscall(SYS_unshare, 0)))
				  return 5;
			  return is_refused(syscall(SYS_bpf, 1, nullptr, 0)) ? 0 : 6;
		  }),
		  0);
}

TEST(Confine, FilterLeavesFilesAndThreads)
{
	EXPECT_EQ(in_child([] {
			  confine_filter(0);
			  char buffer[16];
			  int fd = open("/proc/self/stat", O_RDONLY);

			  if (fd < 0 || read(fd, buffer, sizeof(buffer)) <= 0 || close(fd))
				  return 1;
			  return access("/proc", R_OK) ? 2 : 0;
		  }),
		  0);
}

TEST(Confine, FilterIsForThreadsThatAreThere)
{
	if (is_without_filter())
		return;
	EXPECT_EQ(in_child([] {
			  int go[2], result = 1;

			  if (pipe(go))
				  return 2;
			  std::thread other([&] {
				  char byte;

				  if (read(go[0], &byte, 1) == 1)
					  result = status_of_thread("Seccomp:") != "2";
			  });

			  confine_filter(0);
			  if (write(go[1], "", 1) != 1)
				  return 3;
			  other.join();
			  return result;
		  }),
		  0);
}

/* A sanitizer stops threads in its own way, so that the filter lets every signal pass. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool HAS_SANITIZER = true;
#else
constexpr bool HAS_SANITIZER = false;
#endif
#elif defined(__SANITIZE_ADDRESS__)
constexpr bool HAS_SANITIZER = true;
#else
constexpr bool HAS_SANITIZER = false;
#endif

/* Returns 0, or which signal was wrong. The command lives on only if it could not be ended. */
int signal_others(pid_t command)
{
	int wrong = 0;

	confine_filter(command);
	if (kill(getppid(), 0))
		wrong = 1;
	else if (!HAS_SANITIZER && !is_refused(kill(getppid(), SIGCONT)))
		wrong = 2;
	if (kill(command, SIGKILL))
		return 3;
	return waitpid(command, nullptr, 0) == command ? wrong : 4;
}

/* Signals go to the command, and to nobody else; whether a process is there may be asked of any. */
TEST(Confine, FilterLeavesTheCommandToBeSignalled)
{
	if (is_without_filter())
		return;
	EXPECT_EQ(in_child([] {
			  pid_t command = fork();

			  if (command == 0) {
				  prctl(PR_SET_PDEATHSIG,
					SIGKILL); /* whatever fails, it does not stay */
				  pause();
				  _exit(0);
			  }
			  return signal_others(command);
		  }),
		  0);
}

TEST(Confine, DropsWhatARecordingDoesNotUse)
{
	const uint64_t kept = BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_KILL) |
			      BIT(CAP_SYS_PTRACE) | BIT(CAP_SYS_NICE);
	const uint64_t before = capabilities("CapPrm:");

	EXPECT_EQ(in_child([&] {
			  confine_drop(false);
			  if (capabilities("CapPrm:") != (before & kept))
				  return 1;
			  if (capabilities("CapEff:") != (before & kept))
				  return 2;
			  return capabilities("CapInh:") || capabilities("CapAmb:") ? 3 : 0;
		  }),
		  0);
}

/* To read what others may not is of no use to a recording that may not look into their processes either. */
TEST(Confine, DropsReadingWithoutLooking)
{
	EXPECT_EQ(in_child([] {
			  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
			  __user_cap_data_struct own[2] = {};

			  if (confine_may(CAP_DAC_READ_SEARCH))
				  own[0].permitted = own[0].effective = BIT(CAP_DAC_READ_SEARCH);
			  if (syscall(SYS_capset, &header, own))
				  return 1;
			  confine_drop(false);
			  return capabilities("CapPrm:") ? 2 : 0;
		  }),
		  0);
}

TEST(Confine, RootsRightsAreNotLaidAside)
{
	const uint64_t before = capabilities("CapEff:");

	EXPECT_EQ(confine_begin(false, nullptr), 0);
	confine_lower();
	EXPECT_EQ(capabilities("CapEff:"), before);
	confine_raise();
	EXPECT_EQ(capabilities("CapEff:"), before);
}

} // namespace
