"""Tracers: how each of them is told to follow the same work. A row for each in TRACERS.

A tracer is given the work (which calls it makes, whether block requests matter) and the command, and says which
command to run instead. What it writes goes to the scratch directory.
"""

import functools
import os
import shutil
import signal
import subprocess
import time

BLOCK_EVENTS = ("block:block_rq_insert", "block:block_rq_issue", "block:block_rq_complete")
# Those that `iotrace -a` opens.
WHOLE_EVENTS = ("raw_syscalls:sys_enter", "raw_syscalls:sys_exit", "task:task_newtask", *BLOCK_EVENTS,
                *(f"block:block_{name}" for name in ("rq_requeue", "rq_error", "rq_merge", "bio_queue", "bio_complete",
                                                     "bio_remap", "bio_backmerge", "bio_frontmerge", "split")))
RING_PAGES = 4096  # 16 MiB for each CPU, as iotrace takes


class Tracer:
    """program: what must be installed. is_slow: it gets fewer units of a work. whole: it follows the whole machine, not the
    command alone."""

    program = None
    is_slow = False
    whole = False

    def __init__(self, name):
        self.name = name

    def missing(self, _bench):
        """Returns why it cannot run here, or None."""
        return None if not self.program or shutil.which(self.program) else "not installed"

    def follows(self, _work):
        return True

    def command(self, _bench, _work, command):
        return command

    def begin(self, _bench, _work):
        """Starts what runs beside the command."""

    def end(self):
        """Stops that."""

    def outcome(self, _bench):
        """Returns what is to be said of the run: bytes of trace, what was lost."""
        return {}


class Perf(Tracer):
    program = "perf"

    def __init__(self, name, whole=False):
        super().__init__(name)
        self.whole = whole

    def command(self, bench, work, command):
        more = ["-a"] if self.whole or work.device else []
        chosen = WHOLE_EVENTS if self.whole else events(work)
        return ["perf", "record", "-q", "-m", str(RING_PAGES), "-e", ",".join(chosen), *more,
                "-o", bench.path("perf.data"), "--", *command]


class Strace(Tracer):
    program = "strace"
    is_slow = True

    def command(self, bench, work, command):
        return ["strace", "-f", "-qq", "-e", "trace=" + ",".join(work.calls), "-o", bench.path("strace"), "--", *command]


class Bpftrace(Tracer):
    """What its users write first: pairs by thread and a histogram of the time for each call."""

    program = "bpftrace"

    def command(self, bench, work, command):
        enter = ",".join(f"tracepoint:syscalls:sys_enter_{call}" for call in work.calls)
        leave = ",".join(f"tracepoint:syscalls:sys_exit_{call}" for call in work.calls)
        script = (f"{enter} {{ @t[tid] = nsecs; }} {leave} /@t[tid]/ "
                  "{ @ns[probe] = hist(nsecs - @t[tid]); delete(@t[tid]); }")
        if work.device:
            script += (" tracepoint:block:block_rq_issue { @b[args->dev, args->sector] = nsecs; }"
                       " tracepoint:block:block_rq_complete /@b[args->dev, args->sector]/"
                       " { @bns = hist(nsecs - @b[args->dev, args->sector]); delete(@b[args->dev, args->sector]); }")
        # Its -c splits words at blanks and knows no quotes.
        return ["bpftrace", "-o", bench.path("bpftrace"), "-e", script, "-c", "/bin/sh " + bench.script(command)]


class TraceCmd(Tracer):
    program = "trace-cmd"

    def command(self, bench, work, command):
        chosen = [word for event in events(work) for word in ("-e", event)]
        follow = [] if work.device else ["-F", "-c"]
        return ["trace-cmd", "record", "-d", "-q", "-b", "32768", "-o", bench.path("trace.dat"), *chosen, *follow, *command]


class Lo2s(Tracer):
    program = "lo2s"

    def command(self, bench, work, command):
        shutil.rmtree(bench.path("lo2s"), ignore_errors=True)
        numbers = [word for call in work.calls for word in ("-s", str(bench.call_number(call)))]
        block = ["--block-io"] if work.device else []
        return ["lo2s", "-q", "--no-instruction-sampling", "-m", "2048", "-o", bench.path("lo2s"), *numbers, *block, "--",
                *command]


class Darshan(Tracer):
    """A library in the process: it sees what the C library is asked for."""

    @functools.cached_property
    def preload(self):
        said = subprocess.run(["ldconfig", "-p"], stdout=subprocess.PIPE, text=True, check=False).stdout
        found = [line.rpartition(" ")[2] for line in said.splitlines() if line.strip().startswith("libdarshan.so")]
        return os.environ.get("DARSHAN") or (found[0] if found else None)

    def missing(self, _bench):
        return None if self.preload else "not installed"

    def command(self, bench, work, command):
        return ["env", "DARSHAN_ENABLE_NONMPI=1", f"DARSHAN_LOGPATH={bench.dir}", f"LD_PRELOAD={self.preload}", *command]


class Blktrace(Tracer):
    program = "blktrace"
    beside = None

    def follows(self, work):
        return bool(work.device)

    def begin(self, bench, work):
        self.beside = subprocess.Popen(["blktrace", "-d", bench.device(), "-a", "issue", "-a", "complete", "-a", "queue",
                                        "-D", bench.dir, "-o", "blktrace"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        time.sleep(0.5)

    def end(self):
        self.beside.send_signal(signal.SIGINT)
        self.beside.wait()


class Iotrace(Tracer):
    """option: what of its options it is about; a version that lacks one is left out."""

    def __init__(self, name, *option, whole=False):
        super().__init__(name)
        self.option = list(option)
        self.whole = whole

    def missing(self, bench):
        unknown = [word for word in self.option if word.partition("=")[0] not in bench.iotrace_help]
        return f"this iotrace has no {' '.join(unknown)}" if unknown else bench.iotrace_cannot(self.option)

    def command(self, bench, work, command):
        shutil.rmtree(bench.path("trace"), ignore_errors=True)
        block = ["--block=" + os.path.basename(bench.device())] if work.device and "--block" in bench.iotrace_help else []
        return [bench.options.iotrace, "record", "-q", "-o", bench.path("trace"), *self.option, *block,
                *bench.options.option, "--", *command]

    def outcome(self, bench):
        return bench.books()


def events(work):
    """Returns the tracepoints of a work."""
    calls = [f"syscalls:sys_{side}_{call}" for call in work.calls for side in ("enter", "exit")]
    return calls + (list(BLOCK_EVENTS) if work.device else [])


TRACERS = {tracer.name: tracer for tracer in (
    Tracer("bare"),
    Iotrace("iotrace"),
    Iotrace("iotrace-perf", "--source=perf"),
    Iotrace("iotrace-bpf", "--source=bpf"),
    Iotrace("iotrace-a", "-a", whole=True),
    Perf("perf"),
    Perf("perf-a", whole=True),
    Strace("strace"),
    Bpftrace("bpftrace"),
    TraceCmd("trace-cmd"),
    Lo2s("lo2s"),
    Darshan("darshan"),
    Blktrace("blktrace"),
)}
