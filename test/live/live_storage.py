#!/usr/bin/python3
"""The kernel has no memory left to keep what tasks do: that is counted, and --strict fails. Whatever else is recorded on this
machine would take its share of the memory."""

import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from live import IOTRACE, Live, workload  # noqa: E402


class MemoryGroup:
    """A control group whose processes go away: what the kernel keeps for them gets no more memory then."""

    def __init__(self, live):
        old, new = "/sys/fs/cgroup/memory", "/sys/fs/cgroup"
        self.root = old if os.path.exists(f"{old}/memory.limit_in_bytes") else new
        self.limit, self.usage = (("memory.limit_in_bytes", "memory.usage_in_bytes") if self.root == old else
                                  ("memory.max", "memory.current"))
        self.dir = f"{self.root}/{os.path.basename(live.dir)}"
        os.mkdir(self.dir)

    def write(self, path, text):
        with open(path, "w", encoding="ascii") as file:
            file.write(text)

    def enter(self):
        self.write(f"{self.dir}/cgroup.procs", str(os.getpid()))

    def leave_and_fill(self):
        with open(f"{self.dir}/cgroup.procs", encoding="ascii") as file:
            for pid in file.read().split():
                self.write(f"{self.root}/cgroup.procs", pid)
        for _ in range(20):  # what is given back meanwhile is not to be had again
            time.sleep(0.05)
            with open(f"{self.dir}/{self.usage}", encoding="ascii") as file:
                usage = file.read()
            try:
                self.write(f"{self.dir}/{self.limit}", usage)
            except OSError:
                pass  # it has grown since

    def remove(self):
        for _ in range(100):  # the kernel may still hold what was charged to it
            try:
                os.rmdir(self.dir)
                return
            except OSError:
                time.sleep(0.1)


# Waits for a line, and begins five thousand processes that are there at once. Each opens a file.
WHEN_TOLD = ("sh", "-c", "read -r _ <&$1; shift; exec \"$@\"", "sh")
CROWD = (workload("forks"), "5000", "/etc/passwd", "3")

FEW, MOST_TRIES = 100, 8


def test_storage(live):
    tries = [([], "untraced", "unstored")] + [(["-a"], "unstored", "untraced")] * MOST_TRIES
    while tries:
        options, counter, other = tries.pop(0)
        archive, group = live.path(f"storage.{len(tries)}"), MemoryGroup(live)
        if not os.path.exists(f"{group.dir}/{group.limit}"):
            group.remove()
            live.lacks("control groups that limit memory")
            return
        go, its_end = os.pipe()
        ready, ready_end = os.pipe()
        argv = [IOTRACE, "--source=bpf", "--strict", "-q", *options, "-o", archive, "--ready-fd", str(ready_end), "--",
                *WHEN_TOLD, str(go), *CROWD]
        with subprocess.Popen(argv, pass_fds=(ready_end, go), preexec_fn=group.enter) as run:
            os.close(ready_end)
            live.equal(f"{counter}: the word that it records", os.read(ready, 10), b"ready\n")
            group.leave_and_fill()
            os.write(its_end, b"go\n")
            status = run.wait(timeout=120)
        for fd in (go, its_end, ready):
            os.close(fd)
        group.remove()
        counters = live.examine(archive, lossless=False)["books"]["counters"]
        if options and counters[counter] <= FEW and tries:
            continue  # tasks that ended elsewhere gave enough memory back
        live.equal(f"{counter}: exit status", status, 125)
        live.check(counters[counter] > FEW, f"{counter}: {counters[counter]} is too few")
        live.equal(f"{counter}: {other}", counters[other], 0)
        live.equal(f"{counter}: late", counters["late"], 0)
        tries = tries[-MOST_TRIES:] if not options else []


with Live() as test:
    test_storage(test)
