"""Figures that are no comparison of tracers under a work: how fast a capture is written and converts, how long a start takes,
and what a recording of an idle machine costs. Each returns its figures and a sentence."""

import os
import resource
import shutil
import statistics
import subprocess
import time

from tracers import WHOLE_EVENTS

IDLE_SECONDS = 10
LOOK_SECONDS = 0.01
RECORDS_OF_A_CALL = {"perf": 2, "bpf": 1}
CALL_BYTES_MOST = 256  # of a capture


def cpu_of(argv):
    """Runs it; returns seconds of CPU, of it and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def fresh(bench):
    shutil.rmtree(bench.path("trace"), ignore_errors=True)
    return bench.path("trace")


def able_sources(bench):
    return [source for source in RECORDS_OF_A_CALL if "--source" in bench.iotrace_help
            and not bench.iotrace_cannot([f"--source={source}"])]


def make_capture(bench, source, calls):
    capture = bench.path(f"capture{source}")
    subprocess.run([bench.options.iotrace, "record", "-q", "-o", fresh(bench), "--capture", capture,
                    *([f"--source={source}"] if source else []), "--", bench.path("storm"), "pread", bench.path("file"),
                    str(calls), "1"], check=True, stdout=subprocess.DEVNULL)
    return capture


def convert_one(bench, source, calls):
    capture = make_capture(bench, source, calls)
    row = {"operations": calls, "capture_bytes": os.path.getsize(capture) / calls}
    for sink in ("otf2", "null"):
        seconds = []
        for _ in range(bench.options.rounds):
            output = ["-o", fresh(bench)] if sink == "otf2" else ["--format", sink]
            seconds.append(cpu_of([bench.options.iotrace, "convert", "-q", capture, *output]))
        row[f"{sink}_per_second"] = calls / statistics.median(seconds)
    os.unlink(capture)
    return row


def convert(bench):
    """A capture of a storm, converted, to an archive and to nothing: operations for a second of CPU time."""
    calls = max(1000, int(2000000 * bench.options.scale))
    rows = {source or "perf": convert_one(bench, source, calls) for source in able_sources(bench) or [""]}
    said = [f"{row['otf2_per_second'] / 1e6:.2f} million operations a second of CPU time from {source} "
            f"({row['null_per_second'] / 1e6:.2f} without an archive), {row['capture_bytes']:.1f} bytes of capture for one"
            for source, row in rows.items()]
    return rows, "; ".join(said)


def ran(pid):
    """Returns for each thread of a process the ns of CPU that it has had."""
    times = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/schedstat", encoding="ascii") as file:
            times[int(tid)] = int(file.read().split()[0])
    return times


def take_memory(bench, size):
    """Takes memory that a host may have taken away: to get a page back costs more than all else that is measured here."""
    piece = bytes(1 << 20)
    with open(bench.path("memory"), "wb") as file:
        for _ in range(size // len(piece)):
            file.write(piece)
    os.unlink(bench.path("memory"))


def drain_once(bench, source, calls):
    """Returns the seconds of CPU of all threads of a recording but the first one, which converts what the others wrote."""
    times = {}
    take_memory(bench, calls * CALL_BYTES_MOST)
    with subprocess.Popen([bench.options.iotrace, "record", "-q", f"--source={source}", "--format", "null", "--",
                           bench.path("storm"), "pread", bench.path("file"), str(calls), "1"],
                          stdout=subprocess.DEVNULL) as recorder:
        while recorder.poll() is None:
            try:
                times.update(ran(recorder.pid))
            except OSError:
                pass  # a thread, or all, ended meanwhile
            time.sleep(LOOK_SECONDS)
    return sum(ns for tid, ns in times.items() if tid != recorder.pid) / 1e9


def drain(bench):
    """From the rings into the capture: records for a second of CPU time."""
    calls = max(1000, int(2000000 * bench.options.scale))
    sources = able_sources(bench)
    row = {source: RECORDS_OF_A_CALL[source] * calls /
                   statistics.median(drain_once(bench, source, calls) for _ in range(bench.options.rounds))
           for source in sources}
    said = [f"{rate / 1e6:.1f} million records a second of CPU time from {source}" for source, rate in row.items()]
    return row, "; ".join(said)


def start(bench):
    """`iotrace true`: how long it takes, in ms of wall time, with the default and with every group of calls."""
    row = {}
    for name, more in (("default", []), ("all", ["--syscalls=all"])):
        times = []
        for _ in range(bench.options.rounds):
            command = [bench.options.iotrace, "record", "-q", *more, "-o", fresh(bench), "--", "true"]
            begin = time.monotonic()
            subprocess.run(command, check=True)
            times.append((time.monotonic() - begin) * 1e3)
        row[f"{name}_ms"] = statistics.median(times)
    return row, f"iotrace true: {row['default_ms']:.0f} ms, with every call {row['all_ms']:.0f} ms"


def idle_share(bench, command, seconds):
    """Returns the share of one CPU that a recording takes while it lasts: its start and end, which a short one has, too,
    are not in it."""
    taken = []
    for length in (1, 1 + seconds):
        fresh(bench)
        taken.append(cpu_of([*command, "--", "sleep", str(length)]))
    return 100 * (taken[1] - taken[0]) / seconds


def idle(bench):
    """A recording of the whole machine while nothing is done."""
    if "-a" not in bench.iotrace_help:
        return None, "this iotrace has no -a"
    tracers = {"iotrace -a": [bench.options.iotrace, "record", "-q", "-a", "-o", bench.path("trace"),
                              *bench.options.option]}
    if shutil.which("perf"):
        tracers["perf record -a"] = ["perf", "record", "-q", "-a", "-e", ",".join(WHOLE_EVENTS), "-o",
                                     bench.path("perf.data")]
    seconds = max(1, IDLE_SECONDS * min(1, bench.options.scale))
    shares = {name: [] for name in tracers}
    for _ in range(bench.options.rounds):
        for name, command in tracers.items():
            shares[name].append(idle_share(bench, command, seconds))
    row = {name: statistics.median(values) for name, values in shares.items()}
    return row, "; ".join(f"{name} takes {value:.2f} % of one CPU" for name, value in row.items())


EXTRAS = {"convert": convert, "drain": drain, "start": start, "idle": idle}
