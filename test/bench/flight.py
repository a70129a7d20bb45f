#!/usr/bin/python3
"""What a flight recorder costs: a call of a program and the CPU time of everything, under record and under record --flight, in turn; and the
memory of a recorder of the whole machine while processes and files of ever new names come and go.

As root: test/bench/flight.py [--iotrace build/iotrace] [--rounds N] [calls|memory|daemon]..."""

import os
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from bench import Bench, main  # noqa: E402
from daemon import Daemon  # noqa: E402

WINDOW, SHORT = ["--flight", "30s"], ["--flight", "3s"]
# COUNT processes, each of which opens and removes three files of names of its own.
CHURN = """
import os, sys
place, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
for i in range(first, first + count):
    pid = os.fork()
    if not pid:
        for k in range(3):
            path = f"{place}/{'a-name-that-no-other-file-has-' * 4}{i}-{k}"
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
            os.unlink(path)
        os._exit(0)
    os.waitpid(pid, 0)
"""


def resident(pid):
    """MiB of memory of a process: its own, and of files in memory."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        text = file.read()
    return [int(re.search(rf"^{name}:\s+(\d+)", text, re.MULTILINE)[1]) / 1024 for name in ("RssAnon", "RssShmem")]


class Work(Bench):
    def __init__(self, options, place):
        super().__init__(options, place)
        self.make_storm()

    def once(self, command):
        """ns for a call: of the program's own CPU time, and of everything's."""
        shutil.rmtree(f"{self.place}/trace", ignore_errors=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True, stdin=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return float(re.search(r"^(\d+\.\d) \d+\.\d$", ran.stdout, re.MULTILINE)[1]), spent * 1e9 / self.count

    @property
    def count(self):
        return int(3000000 * self.scale)

    def calls(self):
        storm = [self.storm, "pread", self.file, str(self.count), "1"]
        record = [self.iotrace, "record", "-q", "-o", f"{self.place}/trace"]
        ways = {"bare": storm, "record": [*record, "--", *storm], "record --flight": [*record, *WINDOW, "--", *storm],
                "the same with triggers": [*record, *WINDOW, "--trigger", "hang", "--trigger", "slow=10s", "--", *storm]}
        found = {way: [] for way in ways}
        for _ in range(self.rounds):
            for way, command in ways.items():
                found[way].append(self.once(command))
        call = {way: statistics.median(one[0] for one in values) for way, values in found.items()}
        all_of = {way: statistics.median(one[1] - one[0] for one in values) for way, values in found.items()}
        for way in ways:
            print(f"{way:24} {call[way]:6.0f} ns, added {call[way] - call['bare']:5.0f}; the recorder {all_of[way]:5.0f} ns for a call"
                  f" ({all_of[way] / all_of['record']:.2f} of record's)")

    def churn(self, *pids):
        """Memory before, and ten times while the processes come."""
        place, step = f"/dev/shm/iotrace-bench-{os.getpid()}", int(2000 * self.scale)
        os.mkdir(place)
        try:
            for i in range(11):
                sizes = "; ".join("own memory %.1f MiB, in the window %.1f MiB" % tuple(resident(pid)) for pid in pids)
                print(f"after {i * step:6,} processes: {sizes}", flush=True)
                if i < 10:
                    subprocess.run([sys.executable, "-S", "-c", CHURN, place, str(i * step), str(step)], check=True)
        finally:
            shutil.rmtree(place)

    def memory(self):
        for more in ([], ["--trigger", "hang"]):
            with subprocess.Popen([self.iotrace, "record", "-q", "-a", *SHORT, *more, "-o", f"{self.place}/trace"]) as recorder:
                time.sleep(3)
                print("record -a", *SHORT, *more)
                self.churn(recorder.pid)
                recorder.send_signal(signal.SIGINT)

    def daemon(self):
        with Daemon(self.iotrace, self.place, *WINDOW, "--archives", f"{self.place}/archives") as daemon:
            print("daemon", *WINDOW, "- each of its processes")
            self.churn(*daemon.pids())


if __name__ == "__main__":
    main(Work, ("calls", "memory", "daemon"))
