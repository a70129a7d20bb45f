#!/usr/bin/python3
"""-E: counters of each thread are in the archive as metrics, rise, and are near what the kernel itself counted."""

import os
import sys
from collections import defaultdict

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive  # noqa: E402
from live import IOTRACE, Live  # noqa: E402
from otf2 import events  # noqa: E402

# Touches 3,000 new pages, with a system call after each: so many page faults lie between the first and the last.
SCRIPT = """
import mmap, os
fd = os.open("/dev/null", os.O_WRONLY)
memory = mmap.mmap(-1, 3000 * 4096)
memory.madvise(mmap.MADV_NOHUGEPAGE)
for i in range(3000):
    memory[i * 4096] = 1
    os.write(fd, b"x")
"""


class Metrics:
    """Values of each thread and counter, in the order of time."""

    def __init__(self):
        self.values = defaultdict(list)

    def on_event(self, process, location, event):
        if isinstance(event, events.Metric):
            for member, value in zip(event.metric.members, event.values):
                self.values[location, member.name].append(value)


def test_values(live, options, names):
    what, directory = " ".join(options), live.path("-".join(names))
    live.record(directory, ["/usr/bin/python3", "-c", SCRIPT], "-q", *options)
    about = live.examine(directory)
    live.equal(f"{what}: names in iotrace.json", about["metrics"], names)
    metrics = Metrics()
    archive = Archive(directory, metrics.on_event)
    live.equal(f"{what}: names", sorted({name for _, name in metrics.values}), sorted(names))
    for (_, name), values in metrics.values.items():
        live.check(all(a <= b for a, b in zip(values, values[1:])), f"{what}: {name} falls")
    faults = max((values for (_, name), values in metrics.values.items() if name == "page-faults"), key=len)
    live.check(3000 <= faults[-1] - faults[0] <= 6000, f"{what}: {faults[-1] - faults[0]} page faults")
    calls = sum(sum(p.whole().calls.values()) for p in archive.groups.values())
    live.check(len(faults) >= 3000, f"{what}: {len(faults)} values for {calls} calls")


def test_unknown(live):
    ran = live.run([IOTRACE, "-o", live.path("none"), "-E", "page-fault", "--", "touch", live.path("ran")])
    live.check(ran.returncode == 125, f"unknown: exit status {ran.returncode}")
    live.check(b"page-faults" in ran.stderr, f"unknown: no nearest name: {ran.stderr!r}")
    live.check(len(ran.stderr.splitlines()) <= 3, f"unknown: {ran.stderr!r}")
    live.check(not os.path.exists(live.path("ran")), "unknown: the command ran")
    live.check(not os.path.exists(live.path("none")), "unknown: an archive of nothing was left")


with Live() as test:
    test_values(test, ["-E", "page-faults"], ["page-faults"])
    test_values(test, ["-E", "page-faults", "-E", "context-switches"], ["page-faults", "context-switches"])
    test_unknown(test)
