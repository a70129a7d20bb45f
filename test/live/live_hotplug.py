#!/usr/bin/python3
"""A CPU that goes and comes during a recording: what ran there is in the archive, or is said to be missing."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive  # noqa: E402
from live import SOURCE, Live, workload  # noqa: E402

SWITCH = "/sys/devices/system/cpu/cpu1/online"
BEFORE, AFTER, CHILD = 100, 500, 50


def switch(digit):
    with open(SWITCH, "w", encoding="ascii") as file:
        file.write(digit)


def writes(archive, path):
    return sum(process.whole().files.get(path, {}).get("writes", 0) for process in Archive(archive).groups.values())


def record(live, name, how, status, *options):
    """Returns how many writes the archive has on the file, and the counter of CPUs that came."""
    file, archive = live.path(f"{name}.file"), live.path(f"{name}.trace")
    live.record(archive, [workload("hotplug"), file, how], "--strict", "-q", *options, status=status)
    with open(f"{archive}/iotrace.json", encoding="utf-8") as about:
        books = json.load(about)["books"]
    live.equal(f"{name}: balanced", books["balanced"], True)
    return writes(archive, file), books["counters"]


def test_all(live):
    """The events of a process wait for a CPU that is offline; those of all processes are gone with the CPU."""
    found, counters = record(live, "back", "back", 0)
    live.equal("back: writes", found, BEFORE + AFTER + CHILD)
    live.equal("back: told", counters["cpus_unseen"], 0)
    switch("0")
    found, counters = record(live, "new", "new", 0)
    live.equal("new: writes", found, AFTER + CHILD)
    live.equal("new: told", counters["cpus_unseen"], 0)
    found, counters = record(live, "everybody", "back", 125, "-a")
    live.equal("everybody: told", counters["cpus_unseen"], 1)
    live.equal("everybody: writes", found, BEFORE + AFTER + CHILD)
    switch("0")
    found, counters = record(live, "everybody-new", "new", 125, "-a")
    live.equal("everybody-new: told", counters["cpus_unseen"], 1)
    live.equal("everybody-new: writes", found, AFTER + CHILD)


with Live() as test:
    if not os.path.exists(SWITCH):
        test.lacks("a CPU 1 that can be switched off")
    else:
        try:
            test_all(test)
        finally:
            switch("1")
