#!/usr/bin/python3
"""System calls that the kernel counts by name, thread or process (the span `call`): three recorders follow the same process at the same
time, and the numbers of those that record each call must be the same."""

import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from latency_recorder import LatencyRecorder, latency  # noqa: E402
from live import IOTRACE, Live, SOURCE, wait_until  # noqa: E402

FATES = ("ended", "cancelled", "died", "left", "open", "begun_again", "lost")
PLAIN = ("-m", "8M", "--top", "1000")
# Who counts, and who records: --heatmap needs the times of calls.
WAYS = {"counted": ("--source=bpf",), "bpf": ("--source=bpf", "--heatmap=/dev/null"), "perf": ("--source=perf",)}

# Data in each direction and in both, results that are no sizes, errors, ioctls of which iotrace knows one, threads, children and programs.
WORK = """
import fcntl, os, signal, struct, sys, termios, threading
place = sys.argv[1]
def work(name):
    file = os.open(place + name, os.O_RDWR | os.O_CREAT)
    for i in range(300):
        os.write(file, b"x" * 100)
        os.pread(file, 70, 0)
        os.lseek(file, 10000, 0)
        fcntl.fcntl(file, fcntl.F_GETFL)
    os.fsync(file)
    null = os.open("/dev/null", os.O_WRONLY)
    os.lseek(file, 0, 0)
    for i in range(7):
        os.sendfile(null, file, 0, 1000)
        os.copy_file_range(file, file, 10, 0, 100000)
        fcntl.ioctl(file, 0x5451)  # FIOCLEX
    for i in range(11):
        try:
            fcntl.ioctl(file, termios.TIOCGWINSZ, bytes(8))
        except OSError:
            pass
        try:
            os.read(9999, 100)
        except OSError:
            pass
    import ctypes
    ctypes.CDLL(None).syscall(1000)  # a number of no call
    os.close(null)
    os.close(os.dup(file))
    os.close(file)
print("ready", flush=True)
sys.stdin.readline()
work("first")
threads = [threading.Thread(target=work, args=[f"thread{i}"]) for i in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
for i in range(4):
    child = os.fork()
    if not child:
        os.write(1, b"")
        os.kill(os.getpid(), signal.SIGKILL) if i else os.execv("/bin/true", ["true"])
    os.waitpid(child, 0)
os.listdir(place)
for i in range(3):
    try:
        os.execv("/nonexistent", ["nothing"])
    except OSError:
        pass
os.open(place, os.O_RDONLY)
# A thread that executes a program gets another number.
threading.Thread(target=os.execv, args=("/bin/cat", ["cat", "/etc/passwd"])).start()
threading.Event().wait()
"""
# By call: number and bytes of what the workload itself does.
OF_WORK = {"write": (4 * 300, 4 * 300 * 100), "pread64": (4 * 300, 4 * 300 * 70), "fsync": (4, 0), "copy_file_range": (28, 28 * 20),
           "sendfile64": (28, 28 * 2000), "ioctl": (28, 0)}


def rows(numbers, *keys):
    return {row["group"]: [row[key] for key in keys] for row in numbers["spans"]}


def start(live, *options):
    place = os.path.join(live.dir, f"work{len(os.listdir(live.dir))}/")
    os.mkdir(place)
    work = subprocess.Popen([sys.executable, "-S", "-B", "-c", WORK, place], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    live.equal("the workload", work.stdout.readline(), b"ready\n")  # each recorder would see another part of its start
    recorders = {name: LatencyRecorder(live, name, {}, *way, *PLAIN, "-p", str(work.pid), *options) for name, way in WAYS.items()}
    for name, recorder in recorders.items():
        live.check(recorder.is_ready, f"{name}: ready")
    return work, recorders


def of_all(live, *options):
    """The numbers of each recorder."""
    work, recorders = start(live, *options)
    work.communicate(b"go\n")
    found = {name: recorder.numbers(live) for name, recorder in recorders.items()}
    for name, numbers in found.items():
        (span,) = numbers["books"]["spans"]
        live.equal(f"{name} {options}: who counts", span["counted_in_kernel"], name == "counted")
        live.equal(f"{name} {options}: {numbers['books']['sentence']}", numbers["books"]["balanced"], True)
        live.equal(f"{name} {options}: balance", span["begun"], sum(span[fate] for fate in FATES))
        live.equal(f"{name} {options}: rows", span["ended"], sum(row["count"] for row in numbers["spans"]) + numbers["not_above"])
    return found


def same_books(live, what, found):
    """What became of the calls. Perf may lose the end of a call of a process that a signal killed."""
    books = {name: {key: value for key, value in numbers["books"]["spans"][0].items() if key != "counted_in_kernel"}
             for name, numbers in found.items()}
    live.equal(f"{what}: books", books["counted"], books["bpf"])


def same(live):
    found = of_all(live)
    by_call = {name: rows(numbers, "count", "bytes") for name, numbers in found.items()}
    live.equal("calls: bpf", by_call["counted"], by_call["bpf"])
    live.equal("calls: perf", by_call["counted"], by_call["perf"])
    same_books(live, "calls", found)
    for call, numbers in OF_WORK.items():
        least = by_call["counted"].get(call)
        live.check(least and all(n >= m for n, m in zip(least, numbers)), f"{call}: {least}, of which {numbers}")
    for call in ("fsync", "ioctl", "sendfile64", "copy_file_range"):
        live.equal(call, tuple(by_call["counted"][call]), OF_WORK[call])
    live.equal("execs: three that fail, the children's one, and that of the thread", by_call["counted"]["execve"], [5, 0])
    for row in found["counted"]["spans"]:
        live.equal(f"{row['group']}: histogram", sum(bucket["count"] for bucket in row["histogram"]), row["count"])
        live.check(row["min_ns"] <= row["avg_ns"] <= row["max_ns"] and row["stddev_ns"] <= row["max_ns"], f"{row}")
    # Each recorder takes its own times, and its programs run in those of the others.
    sums = {name: rows(numbers, "sum_ns")["fsync"][0] for name, numbers in found.items()}
    live.check(all(abs(took - sums["counted"]) < sums["counted"] / 10 + 4000000 for took in sums.values()), f"time: {sums}")


def grouped(live):
    for by in ("none", "process", "thread", "call"):
        found = of_all(live, "--by", by)
        counts = {name: rows(numbers, "count", "bytes") for name, numbers in found.items()}
        if by in ("process", "thread"):  # a row is named by the number of the task, and the name that it had last
            counts = {name: {re.search(r"\((\d+)\)$", group)[1]: numbers for group, numbers in groups.items()} for name, groups in counts.items()}
            live.check(all(len(group) > len("(1)") and not group.startswith("(") for group in rows(found["counted"], "count")),
                       f"names: {rows(found['counted'], 'count')}")
        live.equal(f"by {by}", counts["counted"], counts["bpf"])
        live.equal(f"by {by}: rows", len(counts["counted"]) > 1, by != "none")
    for groups in ("data", "meta", "sync,net", "default,-data"):
        found = of_all(live, f"--syscalls={groups}")
        counts = {name: rows(numbers, "count", "bytes") for name, numbers in found.items()}
        live.equal(f"{groups}", counts["counted"], counts["bpf"])
        live.equal(f"{groups}: perf", counts["counted"], counts["perf"])
    found = of_all(live, "--above", "50us")
    live.check(found["counted"]["not_above"] and all(row["min_ns"] > 50000 for row in found["counted"]["spans"]), "above")


def of_command(live):
    """A command is looked for before its exec counts: in directories that do not exist or do not have it, and past a directory of its name."""
    os.makedirs(live.path("bin/dd"))
    kept = os.environ["PATH"]
    os.environ["PATH"] = f"/nonexistent::{live.path('bin')}:{live.dir}:{kept}"
    try:
        for way in ((), ("--heatmap=/dev/null",)):
            numbers, _ = latency(live, *way, "--", "dd", "if=/dev/zero", "of=/dev/null", "bs=100", "count=50")
            found = rows(numbers, "count")
            live.equal(f"command {way}: by the kernel", numbers["books"]["spans"][0]["counted_in_kernel"], not way)
            live.equal(f"command {way}", (found["execve"], found["write"]), ([1], [53]))
    finally:
        os.environ["PATH"] = kept


def in_flight(live):
    """A call that has not returned is open at the end, whoever says so; one that began before is none."""
    code = "import os, sys; sys.stdin.readline(); os.read(0, 1)"
    work = subprocess.Popen([sys.executable, "-S", "-c", code], stdin=subprocess.PIPE)
    recorders = {name: LatencyRecorder(live, name, {}, *WAYS[name], *PLAIN, "-p", str(work.pid), "--duration", "2") for name in ("counted", "bpf")}
    work.stdin.write(b"go\n")
    work.stdin.flush()
    books = {name: recorder.numbers(live)["books"]["spans"][0] for name, recorder in recorders.items()}
    work.communicate(b"end")
    for name, found in books.items():
        live.equal(f"in flight: {name}", {key: found[key] for key in ("open", "left", "ends_without_begin")},
                   {"open": 1, "left": 0, "ends_without_begin": 0})
    live.equal("in flight: begun", books["counted"]["begun"], books["bpf"]["begun"])


def in_parts(live):
    """The intervals add up to the whole."""
    code = "import os, time; f = os.open('/etc/passwd', 0)\nfor i in range(20): [os.lseek(f, 1, 0) for _ in range(500)]; time.sleep(0.02)"
    numbers, text = latency(live, "--interval", "50ms", "--", sys.executable, "-S", "-c", code)
    counts = [int(count.replace(",", "")) for count in re.findall(r"^ *([0-9,]+) .* lseek$", text, re.MULTILINE)]
    live.equal("in parts: by the kernel", numbers["books"]["spans"][0]["counted_in_kernel"], True)
    live.equal("in parts", sum(counts[:-1]), counts[-1])
    live.check(len(counts) > 5 and counts[-1] >= 10000, f"in parts: {counts}")


def rows_of_stat(live, *options):
    """Totals of the last interval, of calls that the workload makes."""
    place = live.path(f"stat{len(os.listdir(live.dir))}/")
    os.mkdir(place)
    live.run([IOTRACE, "stat", f"--json={live.path('stat.json')}", *options, "--", sys.executable, "-S", "-B", "-c", WORK, place], input=b"go\n")
    with open(live.path("stat.json"), encoding="utf-8") as file:
        last = json.loads(file.readlines()[-1])["rows"]
    keys = ("ops_total", "read_bytes_total", "written_bytes_total", "errors_total")
    return {row["name"]: [row[key] for key in keys] for row in last}


def in_stat(live):
    """The same of `iotrace stat`, which also has errors and what is in flight."""
    by = [rows_of_stat(live, "--span", "call", f"--source={source}") for source in ("bpf", "perf")]
    same_calls = ("write", "pread64", "fsync", "copy_file_range", "sendfile64", "ioctl", "execve", "lseek", "fcntl", "dup")
    live.equal("stat", *[{call: found.get(call) for call in same_calls} for found in by])
    live.equal("stat: copies", by[0]["copy_file_range"], [28, 280, 280, 0])
    live.check(by[0]["read"][3] >= 44 and by[0]["execve"][3] == 3, f"stat: errors: {by[0]}")
    with subprocess.Popen([sys.executable, "-S", "-c", "import os, sys; sys.stdin.readline(); os.read(0, 1)"], stdin=subprocess.PIPE) as work:
        stat = subprocess.Popen([IOTRACE, "stat", "--span", "call", "-i", "200ms", f"--json={live.path('wait.json')}", "-p", str(work.pid)],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        told_to_go = []

        def waits():
            try:
                with open(live.path("wait.json"), encoding="utf-8") as file:
                    frames = [json.loads(line) for line in file if line.endswith("\n")]
            except OSError:
                return False
            if frames and not told_to_go:
                told_to_go.append(True)
                work.stdin.write(b"go\n")
                work.stdin.flush()
            return any(row["name"] == "read" and row["inflight"] == 1 and row["oldest_s"] > 0.2 for frame in frames for row in frame["rows"])
        live.check(wait_until(waits, 20), "stat: a call in flight")
        stat.terminate()
        stat.wait()
        work.communicate(b"end")


def of_tracepoints(live):
    """The span `syscall`: only what calls move is bytes, and the numbers are those of the span `call`."""
    plain = ("--span", "syscall", "--top", "1000", "-m", "8M")
    work, recorders = start(live, "--span", "syscall")
    recorders["data"] = LatencyRecorder(live, "data", {}, "--source=bpf", "--syscalls=data", *plain, "-p", str(work.pid))
    recorders["data perf"] = LatencyRecorder(live, "data perf", {}, "--source=perf", "--syscalls=data", *plain, "-p", str(work.pid))
    work.communicate(b"go\n")
    found = {name: recorder.numbers(live) for name, recorder in recorders.items()}
    # Perf may lose the end of a call of a process that a signal killed.
    counts = {name: {row["group"].partition("(")[0]: [row["count"], row["bytes"]] for row in numbers["spans"] if not row["group"].startswith("kill(")}
              for name, numbers in found.items()}
    for name, numbers in found.items():
        live.equal(f"tracepoints: {name}: who counts", {span["counted_in_kernel"] for span in numbers["books"]["spans"]}, {name in ("counted", "data")})
    live.equal("tracepoints", counts["counted"], counts["perf"])
    live.equal("tracepoints: --syscalls", counts["data"], counts["data perf"])
    rows_of = counts["counted"]
    for call, numbers in OF_WORK.items():
        if call in ("fsync", "copy_file_range", "sendfile64"):
            live.equal(f"tracepoints: {call}", rows_of[call], list(numbers))
        live.check(all(n >= m for n, m in zip(rows_of[call], numbers)), f"tracepoints: {call}: {rows_of[call]}")
    live.equal("tracepoints: a number of no call", rows_of.get("1000"), [4, 0])
    moved = {call for call, (_, size) in rows_of.items() if size}
    live.check({"read", "write"} <= moved and not moved & {"mmap", "openat", "lseek", "getdents64", "futex", "brk"} and "mmap" in rows_of,
               f"tracepoints: bytes: {rows_of}")
    live.check({"read", "write", "pread64"} <= set(counts["data"]) and "mmap" not in counts["data"], f"tracepoints: --syscalls: {counts['data']}")


def recorded(live):
    """What needs records is recorded, and is complete."""
    code = "import os; f = os.open('/etc/passwd', 0); [os.read(f, 1) for _ in range(100)]"
    command = [sys.executable, "-S", "-c", code]
    beside = "k: syscalls:sys_enter_lseek -> syscalls:sys_exit_lseek by tid"
    refused = "k: raw_syscalls:sys_enter -> raw_syscalls:sys_exit by tid group args"
    for options, why in ((["--by", "file"], "only records say which file a call is of"),
                         (["--slowest", "3"], "--slowest needs each of them"),
                         (["--heatmap"], "--heatmap needs their times"),
                         (["--syscalls=+mmap"], "only records say which calls of --syscalls=+mmap are of files"),
                         (["--span", "call", "--span", "fd"], "another span is recorded"),
                         (["--span", "call", "--span", refused], "calls are recorded for another span"),
                         (["--span", "call", "--span", beside], None)):
        numbers, text = latency(live, *options, "--", *command)
        is_counted = beside in options
        spans = {span["span"]: span for span in numbers["books"]["spans"]}
        live.equal(f"{options}: by the kernel", spans["call"]["counted_in_kernel"], is_counted)
        live.check(not why or why in " ".join(text.split()), f"{options}: {why}: {text}")
        reads = sum(row["count"] for row in numbers["spans"] if row["span"] == "call" and row["group"] in ("read", "/etc/passwd"))
        live.check(reads >= 100, f"{options}: {reads} reads")
        live.equal(f"{options}: once", sum(row["count"] for row in numbers["spans"] if row["span"] == "call"), spans["call"]["ended"])


with Live() as test:
    if SOURCE == "bpf":
        for each in (same, grouped, of_command, in_flight, in_parts, in_stat, of_tracepoints, recorded):
            each(test)
    else:
        test.lacks("BPF")
