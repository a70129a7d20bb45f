#!/usr/bin/python3
"""iotrace stat --by file live: the kernel counts and names the files, samples of perf say the same, and the program knows what it did."""

import collections
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from live import IOTRACE, Live, SOURCE, together  # noqa: E402
from stat_frames import frames, numbers, started, wchan  # noqa: E402

PYTHON = [sys.executable, "-S", "-c"]
KEYS = ("ops_total", "read_bytes_total", "written_bytes_total")

# Begins of all programs below: PLACE is a directory.
BEGIN = """
import ctypes, os, socket, sys, time
place = sys.argv[1]
libc = ctypes.CDLL(None, use_errno=True)
def need(code):
    if code:
        raise OSError(ctypes.get_errno(), "libc")
def made(name):
    return os.open(f"{place}/{name}", os.O_CREAT | os.O_RDWR)
def reads(fd, times, size):
    for i in range(times): os.pread(fd, size, 0)
def writes(fd, times, size):
    for i in range(times): os.pwrite(fd, b"x" * size, 0)
"""

KINDS = BEGIN + """
if len(sys.argv) > 2: sys.stdin.readline()
for name in ("one", "two", "deep/er/and/even/deep/er/than/that"): os.makedirs(f"{place}/{name}", exist_ok=True)
one, two, deep = made("one/same"), made("two/same"), made("deep/er/and/even/deep/er/than/that/file")
writes(one, 10, 100); writes(two, 20, 200); writes(deep, 30, 300); reads(one, 3, 50)
os.link(f"{place}/one/same", f"{place}/two/linked")
link = os.open(f"{place}/two/linked", os.O_RDONLY)
reads(link, 5, 50)
gone = made("gone")
writes(gone, 3, 30); os.unlink(f"{place}/gone"); writes(gone, 5, 30)
again = made("gone")
writes(again, 2, 30)
nameless = os.open(place, os.O_TMPFILE | os.O_RDWR)
writes(nameless, 3, 7)
print(f"#{os.fstat(nameless).st_ino}")
memory, same = os.memfd_create("mem"), os.memfd_create("mem")
writes(memory, 4, 13); writes(same, 3, 13)
pipe = os.pipe()
print(f"pipe:[{os.fstat(pipe[0]).st_ino}]")
for i in range(8): os.write(pipe[1], b"z" * 7); os.read(pipe[0], 7)
pair = socket.socketpair()
print(*(f"socket:[{os.fstat(end.fileno()).st_ino}]" for end in pair))
for i in range(9): os.write(pair[0].fileno(), b"q" * 11); os.read(pair[1].fileno(), 11)
event = os.eventfd(0)
for i in range(4): os.write(event, (1).to_bytes(8, "little"))
time.sleep(0.1) # through perf, its name is found while it is open
os.close(event)
timer = libc.timerfd_create(1, 0)
need(libc.timerfd_settime(timer, 0, (ctypes.c_long * 4)(0, 0, 0, 1000000), None))
os.read(timer, 8)
null = os.open("/dev/null", os.O_WRONLY)
for i in range(11): os.write(null, b"n" * 5)
for i in range(2): os.fsync(one)
for i in range(6): os.lseek(one, 0, 0); os.fstat(one); os.fchmod(one, 0o600)
os.copy_file_range(one, two, 100, 0, 0)
os.copy_file_range(one, one, 20, 0, 50)
os.lseek(one, 0, 0)
os.sendfile(pipe[1], one, 0, 40)
os.read(pipe[0], 40)
print("done", flush=True)
os._exit(0)
"""


def of_kinds(place, said):
    """What KINDS did with each file: operations, bytes read, bytes written."""
    nameless, pipe, sockets = said.split("\n")[:3]
    first, second = sockets.split(" ")
    return {
        f"{place}/one/same": (10 + 3 + 2 + 1 + 2 + 1, 150 + 100 + 20 + 40, 1000 + 20),
        f"{place}/two/same": (20 + 1, 0, 4000 + 100),
        f"{place}/two/linked": (5, 250, 0),
        f"{place}/deep/er/and/even/deep/er/than/that/file": (30, 0, 9000),
        f"{place}/gone": (3 + 5 + 2, 0, 300),
        f"{place}/{nameless}": (3, 0, 21),
        "/memfd:mem": (7, 0, 91),
        pipe: (16 + 2, 56 + 40, 56 + 40),
        first: (9, 0, 99),
        second: (9, 99, 0),
        "anon_inode:[eventfd]": (4, 0, 32),
        "anon_inode:[timerfd]": (1, 8, 0),
        "/dev/null": (11, 0, 55),
    }


def counts(live):
    """The kernel counts; or it says what it costs that it does not."""
    ran = live.run([IOTRACE, "stat", f"--source={SOURCE}", "-v", "--by", "file", "--json=/dev/null", "--", "true"])
    live.equal("who counts", [words in ran.stderr.decode() for words in ("is counted in the kernel", "each operation is recorded, which costs")],
               [SOURCE == "bpf", SOURCE == "perf"])


def kinds(live):
    """Each kind of file has its name, and as many operations and bytes as the program makes."""
    place = live.made("kinds")
    out = live.path("said")
    last = frames(live, "--by", "file", "-i", "0.1", command=["sh", "-c", 'exec "$@" >"$0"', out, *PYTHON, KINDS, place])[-1]
    with open(out, encoding="utf-8") as file:
        expected = of_kinds(place, file.read())
    live.equal("names", len({row["name"] for row in last["rows"]}), len(last["rows"]))
    for name, numbers_of in expected.items():
        row = last["by"].get(name, {})
        live.equal(name.removeprefix(place), tuple(row.get(key, 0) for key in KEYS), numbers_of)
    live.check(not [name for name in last["by"] if name.startswith(place) and name not in expected and name != place], f"{sorted(last['by'])}")


def same(live):
    """The kernel counts, and the model follows samples of perf: at the same time, of the same process."""
    if SOURCE != "bpf":
        return
    place = live.made("same")
    work = subprocess.Popen([*PYTHON, KINDS, place, "waits"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    while "pipe" not in wchan(work.pid):
        time.sleep(0.01)
    runs = []
    for source in ("bpf", "perf"):
        ready, gives = os.pipe()
        runs.append(subprocess.Popen([IOTRACE, "stat", f"--source={source}", f"--ready-fd={gives}", "--by", "file", "-i", "0.2", "-p",
                                      str(work.pid), f"--json={live.path(source)}"], pass_fds=[gives], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL))
        os.close(gives)
        with os.fdopen(ready, "rb") as file:
            live.equal(f"{source}: ready", file.readline(), b"ready\n")
    said = work.communicate(b"go\n")[0].decode()
    live.equal("status", [run.wait() for run in runs], [0, 0])
    (kernel, _), (user, _) = (numbers(live.path(source)) for source in ("bpf", "perf"))
    live.equal("rows", sorted(kernel), sorted(user))
    for name in kernel:
        live.equal(f"{name}: numbers", kernel[name][:3], user.get(name, [])[:3])
    for name, expected in of_kinds(place, said).items():
        live.equal(name, tuple(kernel.get(name, [])[:3]), expected)


RENAMES = BEGIN + """
os.makedirs(f"{place}/above/own")
fd = made("before")
writes(fd, 4, 10); os.rename(f"{place}/before", f"{place}/after"); writes(fd, 6, 10)
os.rename(f"{place}/after", f"{place}/above/own/moved"); writes(fd, 7, 10)
time.sleep(1)
os.rename(f"{place}/above", f"{place}/over")
time.sleep(1)
writes(fd, 8, 10)
other = made("other")
writes(other, 5, 10); os.rename(f"{place}/other", f"{place}/over/own/moved"); writes(other, 3, 10)
os._exit(0)
"""


def renames(live):
    """The kernel has the name of the moment of the operation. Samples have the one with which the file was opened."""
    place = live.made("renames")
    rows = frames(live, "--by", "file", command=[*PYTHON, RENAMES, place])[-1]["by"]
    found = {name.removeprefix(place): row["ops_total"] for name, row in rows.items() if name.startswith(f"{place}/")}
    live.equal("renames", found, {"/before": 4, "/after": 6, "/above/own/moved": 7, "/over/own/moved": 8 + 3, "/other": 5} if SOURCE == "bpf"
               else {"/before": 25, "/other": 8})


MOUNTS = BEGIN + """
MNT_DETACH, MS_BIND, CLONE_NEWNS, MS_REC, MS_PRIVATE = 2, 4096, 0x20000, 16384, 1 << 18
need(libc.unshare(CLONE_NEWNS))
need(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None))
for name in ("lower/in", "bound", "away", "jail/etc"): os.makedirs(f"{place}/{name}")
need(libc.mount(f"{place}/lower".encode(), f"{place}/bound".encode(), None, MS_BIND, None))
need(libc.mount(b"none", f"{place}/away".encode(), b"tmpfs", 0, None))
low, bound, away, jailed = made("lower/in/file"), os.open(f"{place}/bound/in/file", os.O_RDWR), made("away/file"), made("jail/etc/file")
writes(low, 3, 10); writes(bound, 4, 10); writes(away, 5, 10)
if len(sys.argv) > 2:
    need(libc.umount2(f"{place}/away".encode(), MNT_DETACH))
    time.sleep(1)
writes(away, 6, 10)
writes(jailed, 2, 10)
child = os.fork()
if not child:
    outside = os.open(f"{place}/lower/in/file", os.O_RDWR)
    os.chroot(f"{place}/jail")
    inside = os.open("/etc/file", os.O_RDWR)
    writes(inside, 9, 10)
    if len(sys.argv) > 2: writes(outside, 8, 10)
    os._exit(0)
os.waitpid(child, 0)
os._exit(0)
"""


def mounts(live):
    """A file has the path by which its process reaches it. To the kernel, one that no path leads to any more has no name."""
    place = live.made("mounts")
    for words in ([], ["unreachable"]):
        rows = frames(live, "--by", "file", command=[*PYTHON, MOUNTS, place, *words])[-1]["by"]
        found = {name.removeprefix(place): row["ops_total"] for name, row in rows.items() if name.startswith(f"{place}/") or name in ("-", "/etc/file")}
        if SOURCE == "perf":  # files that were closed before they could be looked up
            found.pop("-", None)
        expected = {"/lower/in/file": 3, "/bound/in/file": 4, "/away/file": 5 + 6, "/jail/etc/file": 2, "/etc/file": 9}
        if words and SOURCE == "bpf":
            expected |= {"/away/file": 5, "-": 6 + 8}
        elif words:
            expected["/lower/in/file"] += 8
        live.equal(f"mounts {words}", found, expected)
        shutil.rmtree(place)
        os.mkdir(place)


MANY = BEGIN + """
for i in range(34000):
    fd = made(f"{i}")
    os.write(fd, b"x")
    os.close(fd)
    os.unlink(f"{place}/{i}")
os._exit(0)
"""


def overflow(live):
    """Files for which the kernel has no space are one row, and no operation is missing."""
    if SOURCE != "bpf":
        return
    place = live.made("overflow")
    last = frames(live, "--by", "file", command=[*PYTHON, MANY, place])[-1]
    rest = last["by"].get("(groups that found no room)", {})
    named = [row for name, row in last["by"].items() if name.startswith(f"{place}/")]
    live.check(all(row["ops_total"] == 1 for row in named), "each file was written once")
    live.check(32000 < len(named) <= 32766, f"named: {len(named)}")
    live.check(len(named) + rest.get("ops_total", 0) >= 34000 and rest.get("written_bytes_total", 0) >= 34000 - len(named), f"rest: {rest}")


COPIES = BEGIN + """
a, b = made("a"), made("b")
writes(a, 1, 1000)
for i in range(300): os.copy_file_range(a, b, 1000, 0, 0)
for i in range(50): os.copy_file_range(a, b, 0, 0, 0)
os._exit(0)
"""


def copies(live):
    """A call that copies is an operation of both files."""
    place = live.made("copies")
    by = frames(live, "--by", "file", command=[*PYTHON, COPIES, place])[-1]["by"]
    live.equal("copies", {name: tuple(by[f"{place}/{name}"][key] for key in KEYS) for name in "ab"},
               {"a": (351, 300000, 1000), "b": (350, 0, 300000)})
    live.check(SOURCE != "bpf" or by[f"{place}/b"]["svctm_us"] > 0, f"{by[f'{place}/b']}")


def in_flight(live):
    """A read that waits is in flight at its pipe, and hangs."""
    if SOURCE != "bpf":
        return
    waiter = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    pipe = os.readlink(f"/proc/{waiter.pid}/fd/0")
    run = started(live, "--by", "file", "-i", "0.2", "--hang", "0.5s", "-p", str(waiter.pid), f"--json={live.path('stat.json')}",
                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    waiter.stdin.write(b"x")
    waiter.stdin.flush()
    time.sleep(1.3)
    waiter.communicate(b"y")
    live.equal("status", run.wait(), 3)
    with open(live.path("stat.json"), encoding="utf-8") as file:
        found = [json.loads(line) for line in file]
    rows = [row for frame in found if frame["hangs"] for row in frame["rows"] if row["name"] == pipe]
    live.check(rows and all(row["inflight"] == 1 and row["util_percent"] > 99.9 and row["hang"] for row in rows), f"{rows}")
    hang = [hang for frame in found for hang in frame["hangs"]][0]
    live.equal("who", (hang["name"], hang["pid"], hang["call"], hang["file"]), (pipe, waiter.pid, "read", pipe))
    live.equal("in the end", [row["inflight"] for row in found[-1]["rows"] if row["name"] == pipe], [0])


def errors(live):
    """Only the kernel counts them."""
    if SOURCE != "bpf":
        return
    code = "import os\nfd = os.open('/etc', os.O_RDONLY)\nfor i in range(40):\n  try: os.read(fd, 10)\n  except OSError: pass\nos._exit(0)"
    row = frames(live, "--by", "file", command=[*PYTHON, code])[-1]["by"]["/etc"]
    live.equal("errors", (row["ops_total"], row["errors_total"]), (40, 40))


def others(live):
    """Names of files that only other processes use take no room."""
    if SOURCE != "bpf":
        return
    place = live.made("others")
    other = subprocess.Popen([*PYTHON, BEGIN + 'fd = made("other")\nwhile True: writes(fd, 1, 1)\n', place])
    try:
        by = frames(live, "--by", "file", command=[*PYTHON, BEGIN + 'writes(made("own"), 7, 1)\nos._exit(0)', place])[-1]["by"]
        whole = frames(live, "-a", "--by", "file", command=[*PYTHON, BEGIN + 'writes(made("own"), 7, 1)\ntime.sleep(0.2)\nos._exit(0)', place])[-1]["by"]
        named = frames(live, "-a", "--comm", "nobody", "--by", "file", command=["sleep", "0.3"])[-1]["by"]
    finally:
        other.send_signal(signal.SIGKILL)
        other.wait()
    live.equal("own", by[f"{place}/own"]["ops_total"], 7)
    live.check(f"{place}/other" not in by and not named, f"{sorted(by)} {sorted(named)}")
    live.check(whole[f"{place}/own"]["ops_total"] == 7 and whole[f"{place}/other"]["ops_total"] > 7, f"{whole.get(f'{place}/other')}")


def asynchronous(live):
    """What libaio and io_uring move, as fio counts it."""
    place = live.made("asynchronous")
    subprocess.run(["dd", "if=/dev/zero", f"of={place}/data", "bs=1M", "count=8"], check=True, stderr=subprocess.DEVNULL)
    for engine in ("libaio", "io_uring"):
        if (engine, SOURCE) == ("libaio", "perf"):  # no tracepoint has an iocb
            continue
        fio = ["fio", "--name=x", f"--output={live.path('fio')}", "--output-format=json", f"--filename={place}/data", f"--ioengine={engine}",
               "--bs=16k", "--size=8m", "--iodepth=8", "--rw=randrw"]
        for words in ([], ["-a"]):
            row = frames(live, *words, "--by", "file", "-i", "0.2", command=fio)[-1]["by"].get(f"{place}/data", {})
            with open(live.path("fio"), encoding="utf-8") as file:
                job = json.load(file)["jobs"][0]
            live.equal(f"{engine} {words}", [row.get(key) for key in KEYS[1:]], [job["read"]["io_bytes"], job["write"]["io_bytes"]])


PATHS = BEGIN + """
for name in ("in", "out"): os.makedirs(f"{place}/{name}", exist_ok=True)
a, b, c = made("in/a"), made("in/b"), made("out/c")
writes(a, 40, 100); writes(b, 5, 100); writes(c, 70, 100); reads(a, 9, 30); reads(c, 8, 30)
for i in range(3): os.copy_file_range(a, c, 10, 0, 0)
for i in range(2): os.fsync(a); os.fsync(c)
for i in range(6): os.fchmod(a, 0o600); os.fchmod(c, 0o600)
for i in range(4): os.stat(f"{place}/in/a"); os.stat(f"{place}/out/c")
for i in range(7):
    for folder in ("in", "out"):
        try: os.open(f"{place}/{folder}/none", os.O_RDONLY)
        except OSError: pass
pipe = os.pipe()
for i in range(10): os.write(pipe[1], b"y" * 3); os.read(pipe[0], 3)
for fd in (a, b, c): os.close(fd)
os._exit(0)
"""


def of_strace(live, place, command):
    """Calls that strace finds to use files in the folder "in"."""
    paths = [word for name in ("a", "b", "none") for word in ("-P", f"{place}/in/{name}")]
    subprocess.run(["strace", "-f", "-qq", "-o", live.path("strace"), *paths, *command], check=True)
    with open(live.path("strace"), encoding="utf-8") as file:
        return collections.Counter(re.findall(r"^\d+ +(\w+)\(", file.read(), re.M))


def paths(live):
    """--path and --exclude-path choose files, and calls by their files, as in a recording."""
    place = live.made("paths")
    work = [*PYTHON, PATHS, place]
    chosen = {"in/*": ["--path", f"{place}/in/*"], "not b": ["--path", f"{place}/in/*", "--exclude-path", "*/b"], "not in": ["--exclude-path", f"{place}/in/*"]}
    rows = {what: {view: frames(live, "--by", view, *words, command=work)[-1]["by"] for view in ("file", "op", "process", "fs")}
            for what, words in chosen.items()}
    of = {"a": (40 + 9 + 3 + 2, 270 + 30, 4000), "b": (5, 0, 500), "c": (70 + 8 + 3 + 2, 240, 7000 + 30)}

    def by_file(names):
        return {f"{place}/{'out' if name == 'c' else 'in'}/{name}": of[name] for name in names}

    found = {what: {name: tuple(row[key] for key in KEYS) for name, row in by["file"].items() if row["ops_total"]} for what, by in rows.items()}
    live.equal("files in", found["in/*"], by_file("ab"))
    live.equal("files not b", found["not b"], by_file("a"))
    live.equal("files not in", {name: row for name, row in found["not in"].items() if name.startswith(place)}, by_file("c"))
    live.equal("pipe", [row for name, row in found["not in"].items() if name.startswith("pipe:")], [(20, 30, 30)])
    witness = of_strace(live, place, work)
    live.equal("strace", [witness[call] for call in ("pwrite64", "copy_file_range", "fchmod", "openat")], [45, 3, 6, 2 + 7])
    if SOURCE == "perf":  # which has no path of a call that fails or only names its file
        witness.update(openat=-7, newfstatat=-4)
    ops = {name: row["ops_total"] for name, row in rows["in/*"]["op"].items()}
    live.equal("calls", ops, dict(+witness))
    live.equal("errors", rows["in/*"]["op"]["openat"]["errors_total"], 7 if SOURCE == "bpf" else 0)
    live.equal("bytes", [rows["in/*"]["op"][call][key] for call in ("pwrite64", "copy_file_range") for key in KEYS[1:]], [0, 4500, 30, 0])
    live.equal("process", [row["ops_total"] for row in rows["in/*"]["process"].values()], [sum(witness.values())])
    live.equal("not b", rows["not b"]["op"]["pwrite64"]["ops_total"], 40)
    live.equal("not in", [rows["not in"]["op"][call]["ops_total"] for call in ("pwrite64", "write", "fchmod")], [70, 10, 6])
    live.equal("file system", sum(row["ops_total"] for row in rows["in/*"]["fs"].values()), sum(witness.values()))


def no_paths(live):
    """What belongs to no file cannot be chosen by one, and stat says what it costs to choose calls."""
    for words, sentence in ((["--by", "device"], "span 'block' is of block requests"), (["--by", "fuse"], "span 'fuse' is of other events"),
                            (["--span", "syscall"], "span 'syscall' is of other events"), (["--by", "user"], "--by user: --path and"),
                            (["--by", "cgroup"], "--by cgroup: --path and")):
        ran = live.run([IOTRACE, "stat", f"--source={SOURCE}", *words, "--path", "/x", "-a", "-n", "1"])
        live.equal(f"{words}: status", ran.returncode, 125)
        live.check(sentence in ran.stderr.decode(), f"{words}: {ran.stderr}")
    for words in (["--path", "/x"], ["--exclude-path", "/x"], ["--comm", "x"], ["--uid", "0"], ["--cgroup", "/"], ["--device", "vda"], ["--syscalls=data"]):
        ran = live.run([IOTRACE, "stat", "--daemon", *words])
        live.check(ran.returncode == 125 and b"a daemon counts everything, so they go without" in ran.stderr, f"daemon {words}: {ran}")
    for view, is_counted in (("file", SOURCE == "bpf"), ("op", False)):
        ran = live.run([IOTRACE, "stat", f"--source={SOURCE}", "--by", view, "--path", "/x", "--json=/dev/null", "--", "true"])
        live.equal(f"{view}: recorded", b"each operation is recorded, which costs" in ran.stderr, not is_counted)


TESTS = (counts, kinds, same, renames, mounts, overflow, copies, in_flight, errors, others, asynchronous, paths, no_paths)

with Live() as all_tests:
    together(all_tests, [one for one in TESTS if one.__name__ in sys.argv[1:]] or TESTS)
