// priority: who holds a mutex that an urgent thread waits for runs as urgently. Needs the right to a real-time priority.
#include "rights/priority.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <iterator>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

namespace
{

void take_a_nap()
{
	std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/* The 18th field of proc(5): below 0 for a thread with a real-time priority, its own or an inherited one. */
int priority_of(pid_t tid)
{
	std::ifstream file("/proc/self/task/" + std::to_string(tid) + "/stat");
	std::string text{std::istreambuf_iterator<char>(file), {}};
	size_t at = text.rfind(')');

	for (int field = 2; field < 18; field++)
		at = text.find(' ', at + 1);
	return std::stoi(text.substr(at));
}

TEST(Priority, TheHolderOfAMutexRunsWithThatOfItsWaiter)
{
	std::atomic<pid_t> holder_tid{0};
	std::atomic<bool> is_seen{false};
	pthread_mutex_t mutex;
	int inherited = 0;

	priority_init_mutex(&mutex);
	std::thread holder([&] {
		pthread_mutex_lock(&mutex);
		holder_tid = gettid();
		while (!is_seen)
			take_a_nap();
		pthread_mutex_unlock(&mutex);
	});
	while (!holder_tid)
		take_a_nap();
	EXPECT_GE(priority_of(holder_tid), 0);
	std::thread urgent([&] {
		priority_raise();
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
	});
	for (int i = 0; i < 5000 && inherited >= 0; i++) {
		take_a_nap();
		inherited = priority_of(holder_tid);
	}
	is_seen = true;
	urgent.join();
	holder.join();
	pthread_mutex_destroy(&mutex);
	EXPECT_LT(inherited, 0);
}

TEST(Priority, TheNiceValueComesBack)
{
	const int before = getpriority(PRIO_PROCESS, 0);
	struct priority_nice nice = {};

	priority_lower_nice(&nice);
	EXPECT_LT(getpriority(PRIO_PROCESS, 0), before);
	priority_restore_nice(&nice);
	EXPECT_EQ(getpriority(PRIO_PROCESS, 0), before);
	priority_restore_nice(&nice);
	EXPECT_EQ(getpriority(PRIO_PROCESS, 0), before);
}

} // namespace
