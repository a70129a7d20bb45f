#!/usr/bin/python3
"""Limits of the process, and readers that are gone: iotrace says which limit it met and how to raise it, leaves nothing
behind but what it names, and the command has the limits and signals that it would have without iotrace."""

import os
import re
import resource
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from live import IOTRACE, Live, workload  # noqa: E402


def limit(which, value):
    return lambda: resource.setrlimit(which, (value, value))


def data(live):
    with open(live.path("data"), "wb") as file:
        file.write(b"x" * 4096)
    return live.path("data")


def survives(live, what, directory):
    if os.path.exists(directory):
        live.examine(directory, lossless=False)


def left_is_named(live, what, place, said):
    """A work directory that stays is in a sentence."""
    for name in os.listdir(place):
        if name.startswith("."):
            live.check(name.encode() in said, f"{what}: {name} is left, and no sentence says so: {said!r}")


def test_pipe(live):
    """Nobody reads the summary: the archive has its name, and nothing else is left."""
    for source in ("bpf", "perf"):
        place = live.made(f"pipe.{source}")
        read, write = os.pipe()
        os.close(read)
        ran = live.run([IOTRACE, f"--source={source}", "-o", f"{place}/trace", "--", "true"], stderr=write)
        os.close(write)
        live.equal(f"pipe: {source}: exit status", ran.returncode, 0)
        live.equal(f"pipe: {source}: what is left", os.listdir(place), ["trace"])


def test_signals(live):
    """What SIGPIPE and SIGXFSZ do to the command is what they do without iotrace."""
    for action in (signal.SIG_DFL, signal.SIG_IGN):
        def prepare(action=action):
            signal.signal(signal.SIGPIPE, action)
            signal.signal(signal.SIGXFSZ, action)
        script = "exec grep SigIgn /proc/self/status"
        said = [live.run([*words, "sh", "-c", script], preexec_fn=prepare, restore_signals=False).stdout
                for words in ([], [IOTRACE, "-q", "-o", live.path(f"signals.{int(action)}"), "--"])]
        live.equal(f"signals: {action!r}: ignored by the command", said[1], said[0])


def test_file_size(live):
    """The command goes on, with its own signal; what was recorded is an archive, or stays where the sentence says."""
    for source in ("bpf", "perf"):
        for kilobytes in (1, 8, 100, 1000, 4000):
            what, place = f"file size: {source}, {kilobytes} KiB", live.made(f"size.{source}.{kilobytes}")
            ran = live.run([IOTRACE, f"--source={source}", "--summary=none", "-o", f"{place}/trace", "--",
                            workload("storm"), data(live), "2", "50000"],
                           preexec_fn=limit(resource.RLIMIT_FSIZE, kilobytes << 10))
            live.check(ran.returncode in (0, 125), f"{what}: exit status {ran.returncode}: {ran.stderr!r}")
            if ran.returncode:
                live.check(b"ulimit -f" in ran.stderr, f"{what}: the limit is not named: {ran.stderr!r}")
                live.check(b"no space" not in ran.stderr, f"{what}: another reason, too: {ran.stderr!r}")
            if ran.stdout:
                live.equal(f"{what}: the command's output", ran.stdout, b"ready\n100000\n")
            survives(live, what, f"{place}/trace")
            left_is_named(live, what, place, ran.stderr)


def test_file_size_of_convert(live):
    capture = live.path("size.capture")
    live.record(live.path("whole"), [workload("storm"), data(live), "2", "50000"], "-q", "--capture", capture)
    for kilobytes in (1, 8, 100, 1000):
        what, place = f"file size of convert: {kilobytes} KiB", live.made(f"size.{kilobytes}")
        ran = live.run([IOTRACE, "convert", capture, "-o", f"{place}/trace"],
                       preexec_fn=limit(resource.RLIMIT_FSIZE, kilobytes << 10))
        live.equal(f"{what}: exit status", ran.returncode, 125)
        live.check(b"ulimit -f" in ran.stderr, f"{what}: the limit is not named: {ran.stderr!r}")
        survives(live, what, f"{place}/trace")
        left_is_named(live, what, place, ran.stderr)


def test_memory(live):
    capture = live.path("memory.capture")
    live.run([IOTRACE, "--capture", capture, "--", workload("storm"), data(live), "2", "50000"])
    for megabytes in (20, 40, 60, 80, 100, 120, 150):
        for argv in ([IOTRACE, "-o", live.path(f"as.{megabytes}"), "--", workload("storm"), data(live), "2", "50000"],
                     [IOTRACE, "convert", capture, "-o", live.path(f"as.convert.{megabytes}")]):
            what = f"{argv[1]} with {megabytes} MiB of memory"
            ran = live.run(argv, preexec_fn=limit(resource.RLIMIT_AS, megabytes << 20))
            live.check(ran.returncode in (0, 125), f"{what}: exit status {ran.returncode}: {ran.stderr!r}")
            if ran.returncode:
                live.check(b"ulimit -v" in ran.stderr, f"{what}: the limit is not named: {ran.stderr!r}")


def test_descriptors(live):
    """Whatever lacks a descriptor, the sentence names the limit, and the command has not run."""
    capture = live.path("size.capture")
    for count in (*range(4, 33), 36, 40, 45, 50, 60):
        for source in ("bpf", "perf", "convert"):
            what, place = f"{count} descriptors, {source}", live.made(f"files.{count}.{source}")
            argv = [IOTRACE, "convert", capture, "-o", f"{place}/trace"] if source == "convert" else \
                [IOTRACE, f"--source={source}", "-o", f"{place}/trace", "--", "echo", "ran"]
            ran = live.run(argv, preexec_fn=limit(resource.RLIMIT_NOFILE, count))
            live.check(ran.returncode in (0, 125), f"{what}: exit status {ran.returncode}: {ran.stderr!r}")
            if ran.returncode:
                live.check(re.search(rb"ulimit -n", ran.stderr), f"{what}: the limit is not named: {ran.stderr!r}")
                live.equal(f"{what}: the command's output", ran.stdout, b"")
                live.equal(f"{what}: what is left", os.listdir(place), [])
            else:
                survives(live, what, f"{place}/trace")


def test_places(live):
    """An output that cannot be made: the sentence has the place, the cause and what helps."""
    bad = (("/proc/x", "/proc"), ("/dev/null/x", "/dev/null"), ("/sys/x", "/sys"), (live.path("none/x"), live.path("none")),
           ("", "-o"), (live.path("x" * 300), live.dir), (live.dir, live.dir))
    for path, named in bad:
        for argv in ([IOTRACE, "-o", path, "--", "echo", "ran"], [IOTRACE, "convert", live.path("size.capture"), "-o", path]):
            ran = live.run(argv)
            said = ran.stderr.decode()
            live.equal(f"{path!r}: exit status", ran.returncode, 125)
            live.equal(f"{path!r}: the command's output", ran.stdout, b"")
            live.check(named in said, f"{path!r}: {named} is not in: {said}")
            live.check(re.search(r"[Nn]ame |[Cc]hoose |Make ", said), f"{path!r}: no remedy: {said}")
            live.check(len(said.splitlines()) <= 2, f"{path!r}: too many lines: {said}")
    ran = live.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", IOTRACE, "-o", "/etc/x", "--", "true"])
    live.check(ran.returncode == 125 and b"cannot create files in /etc: Permission denied" in ran.stderr,
               f"no rights: {ran.stderr!r}")


TESTS = (test_pipe, test_signals, test_file_size, test_file_size_of_convert, test_descriptors, test_places, test_memory)

with Live() as test:
    for each in [one for one in TESTS if one.__name__ in sys.argv[1:]] or TESTS:
        each(test)
