"""Works: what is done under a tracer. A row for each in WORKS.

A work has units, of which a run does so many, and says what a unit costs: ns of CPU of its own threads, and of wall
time. A storm measures itself; any other program runs under `timed`, inside of the tracer.
"""

import os
import shutil
import subprocess

STORM_FILES = 50


class Work:
    """unit: what is counted. units: how many in a run. calls: the system calls that a tracer is told to follow.
    device: it needs a block device, whose requests are followed as well. whole: tracers of the whole machine take part.
    slow_share: the share of the units that a slow tracer gets; what starts slowly itself needs more of them."""

    program = None
    device = False
    whole = False
    slow_share = 0.1

    def __init__(self, name, unit, units, calls):
        self.name, self.unit, self.units, self.calls = name, unit, units, calls

    def missing(self, _bench):
        """Returns why it cannot run here, or None."""
        return None if not self.program or shutil.which(self.program) else f"{self.program} is not installed"

    def command(self, bench, units):
        raise NotImplementedError

    def run(self, bench, tracer, units):
        """Returns ns of CPU and of wall time for a unit."""
        command = [bench.path("timed"), bench.path("time"), *self.command(bench, units)]
        run(tracer.command(bench, self, command))
        return [second * 1e9 / units for second in read_times(bench)]


class Storm(Work):
    slow_share = 0.02

    def __init__(self, name, unit, units, calls, kind, threads):
        super().__init__(name, unit, units, calls)
        self.kind, self.threads = kind, threads

    def command(self, bench, units):
        each = str(max(1, units // self.threads))
        if self.kind == "open":
            return [bench.path("storm"), "open", bench.path("many"), each, str(self.threads), str(STORM_FILES)]
        return [bench.path("storm"), "pread", bench.path("file"), each, str(self.threads)]

    def run(self, bench, tracer, units):
        return read_storm(run(tracer.command(bench, self, self.command(bench, units))))


class Dd(Work):
    program = "dd"

    def command(self, bench, units):
        return ["dd", f"if={bench.path('file')}", f"of={bench.path('copy')}", "bs=1", f"count={units // 2}",
                "status=none"]


class Fio(Work):
    program = "fio"

    def __init__(self, name, units, calls, engine, depth=1):
        super().__init__(name, "a read of 4 KiB", units, calls)
        self.engine, self.depth = engine, depth
        self.device = depth > 1

    def missing(self, bench):
        return super().missing(bench) or (bench.device_missing() if self.device else None)

    def command(self, bench, units):
        where = ["--direct=1", f"--iodepth={self.depth}", f"--filename={bench.device()}"] if self.device else [
            "--size=1m", f"--filename={bench.path('file')}"]
        return ["fio", "--name=x", f"--ioengine={self.engine}", "--rw=randread", "--bs=4k", *where, "--thread",
                f"--io_size={units * 4096}", "--norandommap", "--output=/dev/null"]


class Compile(Work):
    program = os.environ.get("CC", "cc")
    slow_share = 0.5

    def command(self, bench, units):
        return ["sh", "-c", f"for i in $(seq {units}); do {self.program} -c {bench.path('a.c')} -o {bench.path('a.o')}; done"]


class Bystander(Work):
    """The tracer follows a program that waits; what is measured is a storm that it was not told of."""

    whole = True

    def run(self, bench, tracer, units):
        command = tracer.command(bench, self, ["sh", "-c", "echo ready; read line"])
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as beside:
            if not beside.stdout.readline():
                raise RuntimeError(f"{command[0]}: {beside.stderr.read().decode(errors='replace')}")
            said = run([bench.path("storm"), "pread", bench.path("file"), str(units), "1"])
            beside.communicate(b"\n")
        return read_storm(said)


def run(command):
    """Runs it; returns what it printed."""
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
    if ran.returncode:
        raise RuntimeError(f"{command[0]}: exit status {ran.returncode}: {ran.stderr.decode(errors='replace')}")
    return ran.stdout


def read_storm(said):
    """The last line with two numbers: some tracers print on the same standard output."""
    for line in reversed(said.decode(errors="replace").splitlines()):
        words = line.split()
        if len(words) == 2 and all(word.replace(".", "", 1).isdigit() for word in words):
            return [float(word) for word in words]
    raise RuntimeError("the storm printed nothing")


def read_times(bench):
    with open(bench.path("time"), encoding="ascii") as file:
        return [float(word) for word in file.read().split()]


WORKS = {work.name: work for work in (
    Storm("pread", "a pread of 1 byte", 500000, ["pread64"], "pread", 1),
    Storm("pread-2", "a pread of 1 byte", 500000, ["pread64"], "pread", 2),
    Storm("open", "an open, a read and a close", 50000, ["openat", "read", "close"], "open", 1),
    Dd("dd", "a read or a write of 1 byte", 400000, ["read", "write"]),
    Fio("fio-psync", 200000, ["pread64"], "psync"),
    Fio("fio-libaio", 100000, ["io_submit", "io_getevents"], "libaio", 32),
    Fio("fio-uring", 100000, ["io_uring_enter"], "io_uring", 32),
    Compile("compile", "a run of the compiler", 20, ["openat", "read", "write", "pread64", "close"]),
    Bystander("bystander", "a pread of 1 byte", 500000, ["pread64"]),
)}
