#!/usr/bin/python3
"""Calls of 32 bits are counted and change nothing: those of a program of 32 bits, and through BPF those of a program of 64 bits
(perf cannot tell these apart)."""

import errno
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive  # noqa: E402
from live import SOURCE, Live, workload  # noqa: E402

COUNT = 7


def runs_here(program):
    """Some kernels run no program of 32 bits: live.vm then shows with its own kernels what test_program shows."""
    try:
        subprocess.run([program, os.devnull], check=False)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise
        return False
    return True


def test_none(test):
    """Where nothing of 32 bits runs, nothing of 32 bits is counted."""
    archive = test.path("none")
    test.record(archive, ["true"], "--strict", "-q", "--syscalls=all")
    counters = test.examine(archive)["books"]["counters"]
    test.same_counts("of 32 bits", {name: counters[name] for name in ("foreign_processes", "foreign_calls", "foreign_apart")}, {})


def test_program(test):
    """Its open, COUNT writes, its close and its exit. Perf sees those whose number is that of a chosen call of 64 bits."""
    file, archive = test.path("written"), test.path("program")
    ran = test.record(archive, [workload("32"), file], "--strict", "-q", "--syscalls=all", status=125)
    said = "1 process ran a 32-bit program, whose system calls are not recorded"
    test.check(said.encode() in ran.stderr, f"what it says of a program: {ran.stderr!r}")
    test.equal("bytes that the program wrote", os.path.getsize(file), COUNT)
    counters = test.examine(archive)["books"]["counters"]
    test.equal("processes", counters["foreign_processes"], 1)
    if SOURCE == "bpf":
        test.equal("calls of 32-bit programs", counters["foreign_calls"], COUNT + 3)
    test.equal("calls of 32 bits in programs of 64 bits", counters["foreign_apart"], 0)
    (whole,) = [p.whole() for p in Archive(archive).processes().values()]
    test.equal("calls: the exec, which is of 64 bits", sorted(call for call, _ in whole.calls), ["execve"])


def test_calls(test):
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


with Live() as test:
    test_none(test)
    if not os.path.exists(workload("32")):
        test.lacks("a program of 32 bits")
    elif runs_here(workload("32")):
        test_program(test)
        test_calls(test)
    else:
        print("not tested here: the kernel runs no program of 32 bits, so that live.vm tests it alone")
