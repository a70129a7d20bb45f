#!/usr/bin/python3
"""What iotrace stat costs: a call of a program under it, under bpftrace with the same counts and histogram, and under iotrace record, in
turn; the same by file, counted and recorded; a frame of 10,000 processes; and an idle machine.

As root: test/bench/stat.py [--iotrace build/iotrace] [--rounds N] [calls|files|programs|frame|idle]..."""

import os
import re
import shutil
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from bench import Bench, main, program_times, run_times, told_times  # noqa: E402

# In flight and errors are not in it.
SAME = """
tracepoint:raw_syscalls:sys_enter /pid == cpid/ { @begun[tid] = nsecs; }
tracepoint:raw_syscalls:sys_exit /@begun[tid]/ {
	$took = nsecs - @begun[tid];
	@count[args->id] = count(); @sum[args->id] = sum($took); @bytes[args->id] = sum(args->ret); @took[args->id] = hist($took);
	delete(@begun[tid]);
}"""
MANY = """
import os, sys
for i in range(int(sys.argv[1])):
    pid = os.fork()
    if not pid:
        os.read(0, 0)
        os._exit(0)
    os.waitpid(pid, 0)
os.write(1, b'done\\n')
os.read(0, 1)
"""


class Work(Bench):
    def __init__(self, options, place):
        super().__init__(options, place)
        self.make_storm()

    def run(self, *command):
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, stdin=subprocess.DEVNULL)
        found = re.search(r"^(\d+\.\d) \d+\.\d$", ran.stdout, re.MULTILINE)
        if not found:
            raise SystemExit(f"{command}: {ran.stdout}{ran.stderr}")
        return float(found.group(1))

    def calls(self):
        storm = [self.storm, "pread", self.file, str(int(1000000 * self.scale)), "1"]
        stat = [self.iotrace, "stat", "--json=/dev/null", "--syscalls=all"]
        ways = {"bare": storm, "stat": [*stat, "--", *storm], "stat -a": [*stat, "-a", "--", *storm],
                "stat --by process": [*stat, "--by", "process", "--", *storm],
                "record": [self.iotrace, "record", "-q", "-o", f"{self.place}/trace", "--", *storm]}
        if shutil.which("bpftrace"):
            ways["bpftrace"] = ["bpftrace", "-q", "-o", "/dev/null", "-e", SAME, "-c", " ".join(storm)]
        self.compare(ways)

    def compare(self, ways):
        """What a call costs in each way, in turn."""
        found = {way: [] for way in ways}
        for _ in range(self.rounds):
            for way, command in ways.items():
                shutil.rmtree(f"{self.place}/trace", ignore_errors=True)
                found[way].append(self.run(*command))
        median = {way: statistics.median(values) for way, values in found.items()}
        of = median.get("bpftrace", 0) - median["bare"]
        for way, value in median.items():
            added = value - median["bare"]
            print(f"{way:24} {value:8.0f} ns, added {added:6.0f}, least added {min(found[way]) - min(found['bare']):6.0f}" +
                  (f", {added / of:.2f} of bpftrace's" if of > 0 else ""))

    def files(self):
        """By file: counted, and recorded by perf; of a file in a directory eight levels deep."""
        deep = f"{self.place}/{'/'.join('abcdefg')}"
        os.makedirs(deep, exist_ok=True)
        shutil.copy(self.file, f"{deep}/file")
        storm = [self.storm, "pread", f"{deep}/file", str(int(1000000 * self.scale)), "1"]
        stat = [self.iotrace, "stat", "--json=/dev/null"]
        ways = {"bare": storm, "stat": [*stat, "--", *storm], "stat --by fs": [*stat, "--by", "fs", "--", *storm],
                "stat --by file": [*stat, "--by", "file", "--", *storm], "stat -a --by file": [*stat, "-a", "--by", "file", "--", *storm],
                "stat --by file, recorded": [*stat, "--source=perf", "--by", "file", "--", *storm],
                "record": [self.iotrace, "record", "-q", "-o", f"{self.place}/trace", "--", *storm]}
        if self.before:
            ways["before: --by file"] = [self.before, *stat[1:], "--by", "file", "--", *storm]
        self.compare(ways)

    def programs(self):
        """How long the programs run at a call, with the kernel's own two clock readings. Needs bpftool."""
        storm = [self.storm, "pread", self.file, str(int(3000000 * self.scale)), "1"]
        stat = [self.iotrace, "stat", "--json=/dev/null", "--syscalls=all"]
        with program_times():
            for way, names, command in (("stat", ("span_at_call", "span_at_return"), [*stat, "--", *storm]),
                                        ("stat -a", ("span_at_call", "span_at_return"), [*stat, "-a", "--", *storm]),
                                        ("record", ("call_begins", "call_ends"),
                                         [self.iotrace, "record", "-q", "--format=null", "--", *storm])):
                found = {name: [] for name in names}
                for _ in range(self.rounds):
                    for program, values in run_times(command, found, 50000).items():
                        found[program] += values
                print(f"{way:8} {told_times(found)}")

    def ran(self, pid):
        """Seconds of CPU of all threads."""
        total = 0
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:
                total += int(file.read().split()[0])
        return total / 1e9

    def cost(self, *options, seconds):
        """CPU of a second, when nothing is printed but to /dev/null."""
        ready, gives = os.pipe()
        stat = subprocess.Popen([self.iotrace, "stat", "-a", f"--ready-fd={gives}", *options], pass_fds=[gives], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
        os.close(gives)
        with os.fdopen(ready, "rb") as file:
            file.readline()
        try:
            yield 0
            time.sleep(2)
            before = self.ran(stat.pid)
            time.sleep(seconds)
            yield (self.ran(stat.pid) - before) / seconds
        finally:
            stat.terminate()
            stat.wait()

    def frame(self):
        count = int(10000 * self.scale)
        for format in ([], ["--json"]):
            cost = self.cost("--by", "process", "-i", "1", *format, seconds=10)
            next(cost)
            work = subprocess.Popen([sys.executable, "-S", "-c", MANY, str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            work.stdout.readline()
            print(f"frame of {count:,} processes, {'JSON' if format else 'a table'}: {1000 * next(cost):.1f} ms of CPU")
            cost.close()
            work.communicate(b"x")

    def idle(self):
        for view in ("op", "device", "fuse"):
            for hang in ([], ["--hang", "5s"]):
                cost = self.cost("--by", view, "-i", "1", *hang, seconds=10)
                next(cost)
                print(f"idle, --by {view} {' '.join(hang)}: {100 * next(cost):.2f} % of a CPU")
                cost.close()


if __name__ == "__main__":
    main(Work, ("calls", "files", "programs", "frame", "idle"))
