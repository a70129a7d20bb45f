#!/usr/bin/python3
"""Calls of 32 bits that a program of 64 bits makes: with BPF they are counted and change nothing. (Perf cannot tell them apart.)"""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive  # noqa: E402
from live import SOURCE, Live, workload  # noqa: E402

COUNT = 7

with Live() as test:
    file, archive = test.path("file"), test.path("trace")
    if os.uname().machine != "x86_64":
        test.lacks("calls of 32 bits in programs of 64 bits")
    elif SOURCE == "bpf":
        ran = test.record(archive, [workload("foreign"), file, str(COUNT)], "--strict", "-q", status=125)
        said = f"{COUNT} 32-bit system calls of 64-bit programs are not recorded"
        test.check(said.encode() in ran.stderr, f"what it says: {ran.stderr!r}")
        counters = test.examine(archive)["books"]["counters"]
        test.equal("calls of 32 bits", counters["foreign_apart"], COUNT)
        test.equal("calls of 32-bit programs", counters["foreign_calls"], 0)
        (whole,) = [p.whole() for p in Archive(archive).processes().values()]
        made = {name: sum(n for (call, _), n in whole.calls.items() if call == name) for name in ("openat", "close")}
        test.equal("closes: all but that of the file", made["close"], made["openat"] - 1)
        test.equal("writes", whole.files[file]["writes"], 1)
