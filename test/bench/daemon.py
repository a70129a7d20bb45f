#!/usr/bin/python3
"""What iotrace daemon costs: calls of programs while it runs, an idle machine, its memory under load for longer than its history, and a
display of its numbers.

As root: test/bench/daemon.py [--iotrace build/iotrace] [--rounds N] [calls|idle|memory]..."""

import os
import re
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from bench import Bench, main  # noqa: E402


class Daemon:
    """`with Daemon(iotrace, place, OPTION...) as daemon:`"""

    def __init__(self, iotrace, place, *options):
        self.directory = f"{place}/run"
        self.process = subprocess.Popen([iotrace, "daemon", "--directory", self.directory, *options], stdin=subprocess.DEVNULL)
        while not os.path.exists(f"{self.directory}/stat"):
            time.sleep(0.1)
        time.sleep(3)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def pids(self, pid=None):
        found = [pid or self.process.pid]
        for task in os.listdir(f"/proc/{found[0]}/task"):
            with open(f"/proc/{found[0]}/task/{task}/children", encoding="ascii") as file:
                for child in file.read().split():
                    found += self.pids(int(child))
        return found

    def memory(self):
        """KiB of all its processes, each shared page once."""
        total = 0
        for pid in self.pids():
            with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
                total += int(re.search(r"^Pss: +(\d+)", file.read(), re.MULTILINE).group(1))
        return total


def cpu(pids):
    """Seconds of CPU of all threads."""
    total = 0
    for pid in pids:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:
                total += int(file.read().split()[0])
    return total / 1e9


def spent(pids, seconds):
    before = cpu(pids)
    time.sleep(seconds)
    return 100 * (cpu(pids) - before) / seconds


class Work(Bench):
    def __init__(self, options, place):
        super().__init__(options, place)
        self.make_storm()

    def call(self, path):
        ran = subprocess.run([self.storm, "pread", path, str(int(1000000 * self.scale)), "1"], stdout=subprocess.PIPE, text=True, check=True)
        return float(re.search(r"^(\d+\.\d) \d+\.\d$", ran.stdout, re.MULTILINE).group(1))

    def calls(self):
        """A file's calls are counted; /dev/zero is of no file system."""
        found = {}
        for _ in range(self.rounds):
            for path in (self.file, "/dev/zero"):
                found.setdefault(("bare", path), []).append(self.call(path))
            with Daemon(self.iotrace, self.place):
                for path in (self.file, "/dev/zero"):
                    found.setdefault(("daemon", path), []).append(self.call(path))
        median = {way: statistics.median(values) for way, values in found.items()}
        for (way, path), value in median.items():
            print(f"{way:8} {os.path.basename(path):5} {value:6.0f} ns, added {value - median['bare', path]:5.0f}")

    def idle(self):
        with Daemon(self.iotrace, self.place, "--flight", "30s", "--archives", f"{self.place}/archives") as daemon:
            print(f"daemon --flight: {spent(daemon.pids(), 30):.3f} % of a CPU, {daemon.memory() / 1024:.1f} MiB")
        with Daemon(self.iotrace, self.place) as daemon:
            print(f"daemon: {spent(daemon.pids(), 30):.3f} % of a CPU, {daemon.memory() / 1024:.1f} MiB")
            display = subprocess.Popen([self.iotrace, "stat", f"--daemon={daemon.directory}"], stdout=subprocess.DEVNULL)
            time.sleep(1)
            print(f"display: {spent([display.pid], 20):.3f} % of a CPU; load {open('/proc/loadavg', encoding='ascii').read().split()[0]}")
            display.kill()
            display.wait()

    def memory(self):
        """7,200 intervals of load: as many as two hours have with an interval of a second."""
        load = subprocess.Popen(["sh", "-c", f"while :; do dd if=/dev/zero of={self.place}/load bs=4k count=200 oflag=direct; ls -R /usr/share/doc; done"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            with Daemon(self.iotrace, self.place, "-i", "80ms") as daemon:
                for minute in range(int(10 * self.scale) + 1):
                    print(f"after {minute} min: {daemon.memory() / 1024:.1f} MiB", flush=True)
                    time.sleep(60 if minute < int(10 * self.scale) else 0)
        finally:
            load.kill()
            load.wait()


if __name__ == "__main__":
    main(Work, ("calls", "idle", "memory"))
