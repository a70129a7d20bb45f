#!/usr/bin/python3
"""Operations that the kernel counts (the span `io`): recorders follow the same process at the same time, and the numbers of those that
record each call and each request must be the same."""

import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from latency_recorder import LatencyRecorder, latency  # noqa: E402
from live import IOTRACE, Live, SOURCE, together, workload  # noqa: E402

FATES = ("ended", "cancelled", "died", "left", "open", "begun_again", "lost")
PLAIN = ("--span", "io", "-m", "8M", "--top", "1000")
# Who counts, and who records: --heatmap needs the times of operations.
WAYS = {"counted": ("--source=bpf",), "bpf": ("--source=bpf", "--heatmap=/dev/null")}

# Files of all kinds, copies, flushes with and without a file, errors, threads, children that are killed.
WORK = """
import ctypes, os, signal, socket, sys, threading, time
place = sys.argv[1]
libc = ctypes.CDLL(None, use_errno=True)
def made(name):
    return os.open(f"{place}/{name}", os.O_CREAT | os.O_RDWR)
def work(name):
    one, two = made(name), made(name + "2")
    for i in range(200):
        os.pwrite(one, b"x" * 100, 0)
        os.pread(one, 70, 0)
        os.lseek(one, 0, 0)
    for i in range(7):
        os.copy_file_range(one, two, 60, 0, 0)
        os.copy_file_range(one, one, 10, 0, 100)
        os.lseek(one, 0, 0)
        os.sendfile(two, one, 0, 50)
        os.fsync(one)
    libc.syncfs(one)
    for i in range(11):
        try: os.read(9999, 100)
        except OSError: pass
        try: os.read(os.open(place, os.O_RDONLY), 100)
        except OSError: pass
    os.close(two); os.close(one)
os.makedirs(f"{place}/one"); os.makedirs(f"{place}/deep/er/and/even/deep/er/than/that")
work("one/same"); work("same"); work("deep/er/and/even/deep/er/than/that/file")
threads = [threading.Thread(target=work, args=[f"thread{i}"]) for i in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
same = made("same")
os.link(f"{place}/same", f"{place}/linked")
link = os.open(f"{place}/linked", os.O_RDONLY)
os.read(link, 50); os.pread(same, 20, 0)
gone = made("gone")
os.write(gone, b"y" * 30); os.unlink(f"{place}/gone"); os.write(gone, b"y" * 30)
os.write(made("gone"), b"z" * 10)
nameless = os.open(place, os.O_TMPFILE | os.O_RDWR)
os.write(nameless, b"x" * 7)
for i in range(3): os.write(os.memfd_create("mem"), b"m" * 13)
pipe, pair = os.pipe(), socket.socketpair()
for i in range(8): os.write(pipe[1], b"z" * 7); os.read(pipe[0], 7)
for i in range(9): pair[0].send(b"q" * 11); pair[1].recv(100)
event = os.eventfd(0)
for i in range(4): os.write(event, (1).to_bytes(8, "little"))
null = os.open("/dev/null", os.O_WRONLY)
for i in range(11): os.write(null, b"n" * 5)
for i in range(2): libc.sync()
os.listdir(place)
os.symlink(f"{place}/same", f"{place}/symbolic")
os.read(os.open(f"{place}/symbolic", os.O_RDONLY), 5)
os.chdir(f"{place}/one"); os.write(os.open("../one/relative", os.O_CREAT | os.O_WRONLY), b"r" * 3)
for i in range(3):
    child = os.fork()
    if not child:
        os.write(1, b"")
        os.read(pipe[0], 7) if i else os._exit(0)
    if i:
        time.sleep(0.05)
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
os.execv("/bin/cat", ["cat", f"{place}/same", "/dev/null"])
"""


def rows(numbers, *keys):
    return {row["group"]: [row[key] for key in keys] for row in numbers["spans"] if row["span"] == "io"}


def start(live, command, ways, *options):
    """The command waits until the recorders follow it."""
    argv = ["sh", "-c", 'read go; exec "$@"', "sh", *command]
    work = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    recorders = {name: LatencyRecorder(live, f"{name}{work.pid}", {}, *WAYS[name], *PLAIN, "-p", str(work.pid), *options) for name in ways}
    for name, recorder in recorders.items():
        live.check(recorder.is_ready, f"{name}: ready")
    return work, recorders


def of_all(live, command, *options, ways=("counted", "bpf")):
    """The numbers of each recorder, and what the command said."""
    work, recorders = start(live, command, ways, *options)
    said = work.communicate(b"go\n")[0]
    found = {name: recorder.numbers(live) for name, recorder in recorders.items()}
    for name, numbers in found.items():
        (span,) = numbers["books"]["spans"]
        live.equal(f"{name} {options}: who counts", span["counted_in_kernel"], name == "counted")
        live.equal(f"{name} {options}: {numbers['books']['sentence']}", numbers["books"]["balanced"], True)
        live.equal(f"{name} {options}: balance", span["begun"], sum(span[fate] for fate in FATES))
        live.equal(f"{name} {options}: rows", span["ended"], sum(row["count"] for row in numbers["spans"]) + numbers["not_above"])
    return found, said


def same(live, what, found, *names):
    """What became of the operations, and their rows."""
    books = {name: {fate: numbers["books"]["spans"][0][fate] for fate in ("begun", *FATES)} for name, numbers in found.items()}
    counts = {name: rows(numbers, "count", "bytes") for name, numbers in found.items()}
    for name in names or ("bpf",):
        live.same_counts(f"{what}: {name}: books", books["counted"], books[name])
        for group in sorted(set(counts["counted"]) | set(counts[name])):
            live.equal(f"{what}: {name}: {group}", counts["counted"].get(group), counts[name].get(group))
    return counts["counted"]


def python(code, place):
    return [sys.executable, "-S", "-B", "-c", code, place]


def calls(live):
    """Files of all kinds."""
    place = live.made("calls")
    found, _ = of_all(live, python(WORK, place))
    by_file = same(live, "calls", found)
    for name in ("one/same", "deep/er/and/even/deep/er/than/that/file", "thread2"):
        live.equal(name, by_file[f"{place}/{name}"], [200 + 200 + 7 + 14 + 7 + 7 + 1, 200 * 170 + 7 * (60 + 20 + 50)])
        live.equal(f"{name}: copies", by_file[f"{place}/{name}2"], [14, 7 * (60 + 50)])
    live.equal("sync", by_file["-" if "-" in by_file else ""], [2, 0])
    live.equal("errors", by_file[place][0] >= 11 * 6, True)
    live.equal("gone", by_file[f"{place}/gone"], [3, 70])
    for row in found["counted"]["spans"]:
        live.equal(f"{row['group']}: histogram", sum(bucket["count"] for bucket in row["histogram"]), row["count"])
        live.check(row["min_ns"] <= row["avg_ns"] <= row["max_ns"] and row["stddev_ns"] <= row["max_ns"], f"{row}")
    # Each recorder takes its own times, and its programs run in those of the others.
    times = {name: rows(numbers, "sum_ns")[f"{place}/thread2"][0] for name, numbers in found.items()}
    live.check(abs(times["counted"] - times["bpf"]) < times["counted"] / 10 + 4000000, f"time: {times}")


def grouped(live):
    for by in ("mode", "none", "process", "thread", "file"):
        found, _ = of_all(live, python(WORK, live.made(f"by {by}")), "--by", by)
        if by in ("process", "thread"):  # a row is named by the number of the task, and the name that it had last
            for numbers in found.values():
                for row in numbers["spans"]:
                    live.check(not row["group"].startswith("("), f"name: {row['group']}")
                    row["group"] = re.search(r"\((\d+)\)$", row["group"])[1]
        counts = same(live, f"by {by}", found)
        live.equal(f"by {by}: rows", len(counts) > 1, by != "none")
        if by == "mode":
            live.equal("modes", sorted(counts), ["flush", "read", "write"])
    for groups in ("data", "sync,net", "default,-data", "dir"):
        found, _ = of_all(live, python(WORK, live.made(groups)), f"--syscalls={groups}")
        same(live, groups, found)
    found, _ = of_all(live, python(WORK, live.made("above")), "--above", "50us")
    live.check(found["counted"]["not_above"] and all(row["min_ns"] > 50000 for row in found["counted"]["spans"]), "above")


def replace_late(numbers, path):
    """A request that waited for others has its file at its end. Records do not say which it was, and show the ring."""
    ring = "anon_inode:[io_uring]"
    for row in numbers["spans"]:
        row["group"] = ring if row["group"] == path else row["group"]


def requests(live):
    """Asynchronous requests, from their submission to their end."""
    for name, how in (("libaio", ()), ("uring", ()), ("uring", ("sqpoll",)), ("uring", ("left",)), ("uring", ("silent",)), ("direct", ()), ("message", ())):
        what = " ".join((name, *how))
        for by in ("file", "mode", "process"):
            place = live.made(f"{what} by {by}")
            found, said = of_all(live, [workload(name), place, *how], "--by", by)
            if name == "uring" and by == "file" and how != ("silent",):
                replace_late(found["counted"], f"{place}/{json.loads(said)['written']}")
            counts = same(live, f"{what} by {by}", found)
            if how == ("silent",):
                books = found["counted"]["books"]["spans"][0]
                live.equal(f"{what}: whose end nobody knows", books["lost"], 3)
                if by == "file":
                    live.equal(f"{what}: writes", counts[f"{place}/silent"], [1, 300])
            elif by == "file" and name in ("libaio", "uring"):
                data = json.loads(said)["data"]
                moved = [data["reads"] + data["writes"], data["read_bytes"] + data["written_bytes"]]
                live.equal(f"{what}: data", counts[f"{place}/data"], moved)


def fio(live):
    """As fio counts them."""
    place = live.made("fio")
    subprocess.run(["dd", "if=/dev/zero", f"of={place}/data", "bs=1M", "count=8"], check=True, stderr=subprocess.DEVNULL)
    for engine in ("psync", "libaio", "io_uring"):
        command = ["fio", "--name=x", f"--output={live.path('said')}", "--output-format=json", f"--filename={place}/data",
                   f"--ioengine={engine}", "--bs=16k", "--size=8m", f"--iodepth={1 if engine == 'psync' else 8}", "--rw=randrw", "--thread"]
        found, _ = of_all(live, command)
        counts = same(live, engine, found)
        with open(live.path("said"), encoding="utf-8") as file:
            job = json.load(file)["jobs"][0]
        live.equal(engine, counts[f"{place}/data"][1], job["read"]["io_bytes"] + job["write"]["io_bytes"])


# Two of five iocbs are taken, and nobody asks for their results: they end with their queue.
IOCBS = """
import ctypes, os, struct, sys, time
libc = ctypes.CDLL(None, use_errno=True)
SETUP, DESTROY, SUBMIT = %s
fd = os.open(f"{sys.argv[1]}/data", os.O_CREAT | os.O_RDWR)
os.pwrite(fd, b"x" * 4096, 0)
queue, buffer = ctypes.c_ulong(0), ctypes.create_string_buffer(4096)
assert not libc.syscall(SETUP, 8, ctypes.byref(queue))
def iocb(fd):
    return ctypes.create_string_buffer(struct.pack("<QIIHhIQQqQII", 0, 0, 0, 0, 0, fd, ctypes.addressof(buffer), 100, 0, 0, 0, 0), 64)
iocbs = [iocb(number) for number in (fd, fd, 9999, fd, fd)]
addresses = (ctypes.c_void_p * 5)(*map(ctypes.addressof, iocbs))
assert libc.syscall(SUBMIT, queue, ctypes.c_long(5), addresses) == 2
assert not libc.syscall(DESTROY, queue)
time.sleep(0.5)
"""


def iocbs(live):
    """Iocbs that the kernel refuses are none, and nobody knows when those ended whose results nobody took."""
    place = live.made("iocbs")
    numbers = "206, 207, 209" if os.uname().machine == "x86_64" else "0, 1, 2"
    found, _ = of_all(live, python(IOCBS % numbers, place))
    counts = same(live, "iocbs", found)
    live.equal("iocbs: of the file", counts[f"{place}/data"][0], 1)
    live.equal("iocbs: whose end nobody knows", found["counted"]["books"]["spans"][0]["lost"], 2)
    longest = max(row["max_ns"] for row in found["counted"]["spans"] if row["group"] == f"{place}/data")
    live.check(longest < 400000000, f"iocbs: they end with their process: {longest} ns")


RENAMES = """
import os, sys, time
place = sys.argv[1]
os.makedirs(f"{place}/above/own")
fd = os.open(f"{place}/before", os.O_CREAT | os.O_RDWR)
def writes(times):
    for i in range(times): os.write(fd, b"x")
writes(4); os.rename(f"{place}/before", f"{place}/after"); writes(6)
os.rename(f"{place}/after", f"{place}/above/own/moved"); writes(7)
time.sleep(1); os.rename(f"{place}/above", f"{place}/over"); time.sleep(1)
writes(8)
"""


def renames(live):
    """The kernel has the name of the moment of the operation, records the one with which the file was opened."""
    place = live.made("renames")
    found, _ = of_all(live, python(RENAMES, place))
    counts = {name: {group.removeprefix(place): row[0] for group, row in rows(numbers, "count").items() if group.startswith(place)}
              for name, numbers in found.items()}
    live.equal("renames", counts, {"counted": {"/before": 4, "/after": 6, "/above/own/moved": 7, "/over/own/moved": 8}, "bpf": {"/before": 25}})


def recorded(live):
    """What needs records is recorded, and is complete."""
    command = python("import os; f = os.open('/etc/passwd', 0); [os.pread(f, 1, 0) for _ in range(100)]", "")
    for options, why in ((["--span", "io"], None), (["--span", "io", "--span", "call"], None),
                         (["--span", "io", "--by", "call"], "only records say which call and which mount an operation is of"),
                         (["--span", "io", "--slowest", "3"], "--slowest needs each of them"),
                         (["--span", "io", "--syscalls=+mmap"], "only records say which operations of --syscalls=+mmap are of files"),
                         (["--span", "io", "--span", "fd"], "another span is recorded")):
        numbers, text = latency(live, *options, "--", *command)
        span = next(span for span in numbers["books"]["spans"] if span["span"] == "io")
        live.equal(f"{options}: by the kernel", span["counted_in_kernel"], not why)
        live.check(not why or why in " ".join(text.split()), f"{options}: {why}: {text}")
        reads = sum(row["count"] for row in numbers["spans"] if row["span"] == "io" and row["group"] in ("pread64", "/etc/passwd"))
        live.check(reads >= 100, f"{options}: {reads} reads")
        live.equal(f"{options}: once", sum(row["count"] for row in numbers["spans"] if row["span"] == "io"), span["ended"])


def in_parts(live):
    """The intervals add up to the whole."""
    code = "import os, time; f = os.open('/etc/passwd', 0)\nfor i in range(20): [os.pread(f, 1, 0) for _ in range(500)]; time.sleep(0.02)"
    numbers, text = latency(live, "--span", "io", "--interval", "50ms", "--", *python(code, ""))
    counts = [int(count.replace(",", "")) for count in re.findall(r"^ *([0-9,]+) .* /etc/passwd$", text, re.MULTILINE)]
    live.equal("in parts: by the kernel", numbers["books"]["spans"][0]["counted_in_kernel"], True)
    live.equal("in parts", sum(counts[:-1]), counts[-1])
    live.check(len(counts) > 5 and counts[-1] >= 10000, f"in parts: {counts}")


def in_stat(live):
    """The same of `iotrace stat`: its rows are files."""
    found = {}
    for source in ("bpf", "perf"):
        place = live.made(f"stat by {source}")
        ran = live.run([IOTRACE, "stat", "-v", f"--source={source}", f"--json={live.path(source)}", "--span", "io", "--path", f"{place}/*", "--",
                        *python(WORK, place)])
        live.equal(f"stat {source}: who counts", b"span 'io' is counted in the kernel" in ran.stderr, source == "bpf")
        with open(live.path(source), encoding="utf-8") as file:
            rows_of = json.loads(file.readlines()[-1])["rows"]
        found[source] = {row["name"].removeprefix(place): [row[key] for key in ("ops_total", "read_bytes_total", "written_bytes_total")]
                         for row in rows_of if row["ops_total"]}
    for name in ("/same", "/same2", "/thread1", "/one/same", "/deep/er/and/even/deep/er/than/that/file"):
        live.equal(f"stat: {name}", found["bpf"].get(name), found["perf"].get(name))
        live.check(found["bpf"].get(name), f"stat: {name}")
    live.equal("stat: gone", found["bpf"].get("/gone"), [3, 0, 70])


TESTS = (calls, grouped, requests, iocbs, fio, renames, recorded, in_parts, in_stat)

with Live() as test:
    if SOURCE == "bpf":
        together(test, [one for one in TESTS if one.__name__ in sys.argv[1:]] or TESTS)
    else:
        test.lacks("BPF")
