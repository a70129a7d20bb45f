#!/usr/bin/python3
"""iotrace stat live: against strace, the kernel's own numbers of a disk and of a process, and the log of a FUSE file system."""

import collections
import contextlib
import csv
import json
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import block  # noqa: E402
from fuse import RawFuse, has_fuse, waiting_request  # noqa: E402
from live import CALMED, IOTRACE, Live, PROGRAM, SOURCE, together, wait_until  # noqa: E402
from stat_frames import frames, numbers, started, wchan  # noqa: E402

DD = ["dd", "if=/dev/zero", "of=/dev/null", "bs=4k", "count=3000"]


def strace(live, command):
    """How many of each call, as strace -c counts them."""
    live.run(["strace", "-f", "-c", "-o", live.path("strace"), *command])
    with open(live.path("strace"), encoding="ascii") as file:
        words = [line.split() for line in file]
    return {line[-1]: int(line[3]) for line in words if len(line) in (5, 6) and line[3].isdigit()}


NAMED_OTHERWISE = {"fstat": "newfstat", "stat": "newstat", "lstat": "newlstat", "sendfile": "sendfile64"}  # in the kernel


def by_op(live):
    """Each kind of call as often as strace counts it, over intervals that add up to the whole."""
    counted = strace(live, DD)
    last = frames(live, "--syscalls=all", "-i", "0.05", command=DD)[-1]
    mine = {name.split("(")[0]: row["ops_total"] for name, row in last["by"].items()}
    for call in ("read", "write", "openat", "close", "lseek", "dup2", "pread64", "fstat"):
        if call in counted:
            live.equal(f"{call}: count", mine.get(NAMED_OTHERWISE.get(call, call), 0), counted[call])
    live.check(last["by"]["read(0)"]["read_bytes_total"] >= 3000 * 4096, f"bytes: {last['by']['read(0)']}")
    live.equal("written", last["by"]["write(1)"]["written_bytes_total"] // 4096, 3000)


COPY = """
import os
def io():
    fd = os.open('/proc/self/io', os.O_RDONLY)
    text = os.read(fd, 1000)
    os.close(fd)
    return text
before = io()
line = os.read(0, 100)
data = os.open('/etc/passwd', os.O_RDONLY)
out = os.open('/dev/null', os.O_WRONLY)
for i in range(500):
    os.pread(data, 100 + i, 0)
    os.write(out, b'x' * (50 + i))
try:
    os.read(out, 1)
except OSError:
    pass
after = io()
os.write(1, before + b'=' + after)
os._exit(0)
"""


def by_process(live):
    """What /proc/PID/io says of the process between two moments that the process itself knows."""
    work = subprocess.Popen([sys.executable, "-S", "-c", COPY], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    while "pipe" not in wchan(work.pid):
        time.sleep(0.01)
    run = started(live, "--by", "process", f"--json={live.path('stat.json')}", "-p", str(work.pid),
                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    text = work.communicate(b"go\n")[0]
    live.equal("status", run.wait(), 0)
    with open(live.path("stat.json"), encoding="utf-8") as file:
        row = json.loads(file.readlines()[-1])["rows"][0]
    before, after = text.split(b"=")
    io = [dict(line.split(": ") for line in part.decode().splitlines()) for part in (before, after)]
    grown = {key: int(io[1][key]) - int(io[0][key]) for key in io[0]}
    # Each reading of the file is in the next one. The word that begins the work ended a call that had begun before.
    live.equal("read", row["read_bytes_total"], grown["rchar"] - len(before) - len(b"go\n") + len(after))
    live.equal("written", row["written_bytes_total"], grown["wchar"] + len(text))
    live.equal("errors", row["errors_total"], 1)
    live.check(row["name"].startswith("python3("), f"name: {row['name']}")


def by_thread(live):
    code = "import os, threading\ndef go():\n for i in range(200): os.pread(3, 1, 0)\nos.open('/etc/passwd', 0)\n" \
           "ts = [threading.Thread(target=go) for _ in range(3)]\n[t.start() for t in ts]\n[t.join() for t in ts]"
    last = frames(live, "--by", "thread", "--syscalls=data", command=[sys.executable, "-S", "-c", code])[-1]
    live.equal("threads", sum(row["ops_total"] == 200 for row in last["rows"]), 3)


REUSED = """
import os, time
number = int(open('/proc/sys/kernel/ns_last_pid').read()) + 3000
def run(text, size):
    for i in range(50):
        open('/proc/sys/kernel/ns_last_pid', 'w').write(str(number - 1))
        pid = os.fork()
        if pid == 0:
            if os.getpid() == number:
                open('/proc/self/comm', 'w').write(text)
                fd = os.open('/dev/null', os.O_WRONLY)
                for i in range(size): os.write(fd, b'x' * 1000)
            os._exit(0)
        os.waitpid(pid, 0)
        if pid == number: return
    print('not reused')
print(number)
run('first', 500)
time.sleep(1)
run('second', 30)
time.sleep(0.5)
"""


def reused(live):
    """A process with the number of one that has ended does not get its sums."""
    for view in ("process", "thread"):
        path = live.path(f"reused-{view}")
        ran = live.run([IOTRACE, "stat", f"--source={SOURCE}", "--by", view, "-i", "200ms", f"--json={path}", "--", sys.executable, "-S", "-c", REUSED])
        live.equal(f"{view}: status", (ran.returncode, ran.stdout.count(b"\n")), (0, 1))
        with open(path, encoding="utf-8") as file:
            found = [{row["name"]: row for row in json.loads(line)["rows"]} for line in file]
        number = int(ran.stdout)
        first, second = f"first({number})", f"second({number})"
        live.check(any(frame.get(first, {}).get("written_bytes_total") == 500000 + len("first") for frame in found), f"{view}: {[sorted(one) for one in found]}")
        last = found[-1].get(second, {})
        live.equal(f"{view}: another process", last.get("written_bytes_total"), 30000 + len("second"))
        live.check(30 < last.get("ops_total", 0) < 100, f"{view}: {last}")


COUNTED = [sys.executable, "-S", "-c", "import os\nfd = os.open('/dev/zero', 0)\nfor i in range(700): os.pread(fd, 10, 0)\nos._exit(0)"]


def by_user(live):
    """The name of the user is that of /etc/passwd, and a user without a name is a number."""
    if SOURCE != "bpf":
        ran = live.run([IOTRACE, "stat", f"--source={SOURCE}", "--by", "user", "--", "true"])
        live.equal("without BPF", (ran.returncode, b"only BPF programs know whose a call is" in ran.stderr), (125, True))
        return
    setpriv = ["setpriv", "--clear-groups", "--reuid"]
    for user, name in ((str(pwd.getpwnam("nobody").pw_uid), "nobody"), ("3999999", "3999999"), ("0", "root")):
        last = frames(live, "-a", "--by", "user", "--syscalls=data", command=[*setpriv, user, *COUNTED])[-1]
        live.check(last["by"].get(name, {}).get("ops_total", 0) >= 700, f"{name}: {[row['name'] for row in last['rows']]}")


def by_cgroup(live):
    """Calls of tasks in groups that were there before, and in one that is made later."""
    if SOURCE != "bpf":
        ran = live.run([IOTRACE, "stat", f"--source={SOURCE}", "--by", "cgroup", "--", "true"])
        live.equal("without BPF", (ran.returncode, b"--by cgroup" in ran.stderr), (125, True))
        return
    top = [line.split()[1] for line in open("/proc/self/mounts", encoding="utf-8") if line.split()[2] == "cgroup2"]
    if not top:
        live.lacks("cgroup2")
        return
    names = [f"iotrace{os.getpid()}", f"iotrace{os.getpid()}.late"]
    paths = [os.path.join(top[0], name) for name in names]
    move = "echo $$ > {0}/cgroup.procs; exec \"$@\""
    try:
        os.mkdir(paths[0])
        run = started(live, "-a", "--by", "cgroup", "--syscalls=data", "-i", "0.3", f"--json={live.path('stat.json')}",
                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.mkdir(paths[1])
        for path in paths:
            live.run(["sh", "-c", move.format(path), "sh", *COUNTED])
        live.check(wait_until(lambda: f'"/{names[1]}"' in open(live.path("stat.json"), encoding="utf-8").read()), "the late one has a name")
        run.send_signal(signal.SIGINT)
        live.equal("status", run.wait(), 0)
    finally:
        for path in paths:
            with contextlib.suppress(FileNotFoundError):
                os.rmdir(path)
    with open(live.path("stat.json"), encoding="utf-8") as file:
        rows = {row["name"]: row for row in json.loads(file.readlines()[-1])["rows"]}
    for name in names:
        live.check(700 <= rows.get(f"/{name}", {}).get("ops_total", 0) < 900, f"{name}: {rows.get('/' + name)} of {sorted(rows)}")


def chosen(live):
    """Only calls of threads with a name, of a user, or of a control group; the kernel counts them all the same. Samples say no user."""
    user, group = "3999998", f"iotrace{os.getpid()}.chosen"
    seek = "seek: syscalls:sys_enter_lseek -> syscalls:sys_exit_lseek by tid"
    sure = {"stat": ["-n", "1"], "latency": ["--span", seek], "leaks": ["--span", seek]}
    for command in sure if SOURCE == "perf" else ["leaks"]:
        ran = live.run([IOTRACE, command, f"--source={SOURCE}", "-a", "--uid", user, *sure[command], "--", "true"])
        live.equal(f"{command} --uid", (ran.returncode, b"do not say which user they are of" in ran.stderr), (125, True))
    if SOURCE != "bpf":
        return
    live.run([IOTRACE, "latency", "-a", "--uid", user, "--span", seek, f"--json={live.path('latency')}", "--", "sh", "-c",
              "\"$@\" & exec setpriv --clear-groups --reuid 3999998 \"$@\"", "sh", sys.executable, "-S", "-c",
              "import os\nf = os.open('/etc/passwd', 0)\nfor i in range(90): os.lseek(f, i, 0)\nos._exit(0)"])
    with open(live.path("latency"), encoding="utf-8") as file:
        counts = [row["count"] for row in json.load(file)["spans"]]
    live.check(len(counts) == 1 and 90 <= counts[0] < 150, f"latency --uid: {counts}")
    shutil.copy(shutil.which("dd"), live.path("chosen-dd"))
    copy = [live.path("chosen-dd"), *DD[1:]]
    top = [line.split()[1] for line in open("/proc/self/mounts", encoding="utf-8") if line.split()[2] == "cgroup2"]
    ways = [(["--comm", "chosen-?d"], ["sh", "-c", "cat /etc/passwd > /dev/null; \"$@\"", "sh", *copy]),
            (["--uid", user], ["setpriv", "--clear-groups", "--reuid", user, *DD])]
    counted = strace(live, DD)
    if top:
        os.mkdir(os.path.join(top[0], group))
        ways.append((["--cgroup", group], ["sh", "-c", f"echo $$ > {top[0]}/{group}/cgroup.procs; exec \"$@\"", "sh", *DD]))
    else:
        live.lacks("cgroup2")
    try:
        for words, command in ways:
            for target in ([], ["-a"]) if words[0] != "--cgroup" else (["-a"],):
                ran = live.run([IOTRACE, "stat", "-v", *target, *words, f"--json={live.path('stat.json')}", "--", *command])
                live.check(b"span 'syscall' is counted in the kernel" in ran.stderr, f"{words}: {ran.stderr.decode(errors='replace')}")
                with open(live.path("stat.json"), encoding="utf-8") as file:
                    rows = {row["name"].split("(")[0]: row["ops_total"] for row in json.loads(file.readlines()[-1])["rows"]}
                live.equal(f"{target} {words}", (rows.get("read"), rows.get("write")), (counted["read"], counted["write"]))
    finally:
        if top:
            os.rmdir(os.path.join(top[0], group))


def by_file(live):
    """Bytes of each file, and of each file system."""
    place = tempfile.mkdtemp(dir=live.dir)
    subprocess.run(["mount", "-t", "tmpfs", "none", place], check=True)
    work = ["sh", "-c", f"dd if=/dev/zero of={place}/a bs=1000 count=30; dd if={place}/a of={place}/b bs=500; dd if={place}/b of=/dev/null bs=3000"]
    keys = ("read_bytes_total", "written_bytes_total")
    try:
        for _ in range(1 if SOURCE == "bpf" else 3):  # by perf, names are looked up, which may be too late on a busy machine
            by = {view: frames(live, "--by", view, command=work)[-1]["by"] for view in ("file", "fs")}
            if [by["fs"][place][key] for key in keys] == [60000, 60000]:
                break
    finally:
        subprocess.run(["umount", place], check=True)
    live.equal("a", [by["file"][f"{place}/a"][key] for key in keys], [30000, 30000])
    live.equal("b", [by["file"][f"{place}/b"][key] for key in keys], [30000, 30000])
    live.equal("mount", [by["fs"][place][key] for key in keys], [60000, 60000])


FS_CALLS = """
import os
os.chdir({!r})
fd = os.open("data", os.O_CREAT | os.O_RDWR)
copy = os.open("copy", os.O_CREAT | os.O_RDWR)
for i in range(300): os.pwrite(fd, b"x" * 4096, i * 4096)
for i in range(200): os.pread(fd, 1000, 0)
for i in range(7): os.fsync(fd)
for i in range(50): os.fchmod(fd, 0o600)
for i in range(3): os.copy_file_range(fd, copy, 100, 0, 0)
pipe, null = os.pipe(), os.open("/dev/null", os.O_WRONLY)
for i in range(1000): os.write(pipe[1], b"y"); os.read(pipe[0], 1); os.write(null, b"z")
for i in range(20):
    try: os.pread(fd, 1, -1)
    except OSError: pass
for i in range(30):
    try: os.stat("none")
    except OSError: pass
os.close(fd)
os._exit(0)
"""


def by_file_system(live):
    """Calls on files of a file system, as many and as large as the program makes; those on pipes and devices are of none."""
    place = live.made("mounted here")
    subprocess.run(["mount", "-t", "tmpfs", "none", place], check=True)
    work = [sys.executable, "-S", "-c", FS_CALLS.format(place)]
    try:
        rows, data = (frames(live, "--by", "fs", "-i", "0.1", *words, command=work)[-1]["by"] for words in ((), ("--syscalls=data",)))
        counted = strace(live, work)
    finally:
        subprocess.run(["umount", "-l", place], check=False)
    keys = ("ops_total", "read_bytes_total", "written_bytes_total", "errors_total")
    witness = [counted.get(call, 0) for call in ("pwrite64", "fsync", "fchmod", "copy_file_range")]
    live.equal("strace", witness, [300, 7, 50, 3])
    live.equal("all calls", [rows[place][key] for key in keys], [2 + 300 + 200 + 7 + 50 + 3 + 20 + 1, 200 * 1000 + 300, 300 * 4096 + 300, 20])
    # Opens and closes are in each choice.
    live.equal("data only", [data[place][key] for key in keys], [2 + 300 + 200 + 3 + 20 + 1, 200 * 1000 + 300, 300 * 4096 + 300, 20])
    live.check(rows["(by path)"]["errors_total"] >= data["(by path)"]["errors_total"] + 30, f"by path: {rows['(by path)']} {data['(by path)']}")
    live.check(not any(name.startswith(("pipe", "/dev")) for name in rows), f"{sorted(rows)}")


def asynchronous(live):
    """What libaio and io_uring move, as fio counts it: of the process, of the call that reports or submits it, and of the file system."""
    place = live.made("asynchronous")
    subprocess.run(["mount", "-t", "tmpfs", "none", place], check=True)
    try:
        subprocess.run(["dd", "if=/dev/zero", f"of={place}/data", "bs=1M", "count=8"], check=True, stderr=subprocess.DEVNULL)
        for engine, call in (("libaio", "io_getevents"), ("io_uring", "io_uring_enter")):
            if (engine, SOURCE) == ("libaio", "perf"):  # no tracepoint has an iocb
                continue
            fio = ["fio", "--name=x", f"--output={live.path('fio')}", "--output-format=json", f"--filename={place}/data", f"--ioengine={engine}",
                   "--bs=16k", "--size=8m", "--iodepth=8", "--rw=randrw"]
            for words in (["--by", "op"], ["--by", "process"], ["--by", "thread"], ["--by", "user"], ["--by", "fs"], ["-a", "--by", "fs"]):
                if SOURCE == "perf" and "user" in words:
                    continue
                rows = frames(live, *words, "-i", "0.2", command=fio)[-1]["by"]
                with open(live.path("fio"), encoding="utf-8") as file:
                    job = json.loads(file.read())["jobs"][0]
                moved = (job["read"]["io_bytes"], job["write"]["io_bytes"])
                name = {"op": call, "fs": place, "user": "root"}.get(words[-1], "fio(")
                found = [(row["read_bytes_total"], row["written_bytes_total"]) for row in rows.values() if row["name"].startswith(name)]
                live.check(moved[0] > 1 << 20 and moved[1] > 1 << 20, f"fio: {moved}")
                if words[-1] in ("op", "fs"):
                    live.equal(f"{engine} {words}", found, [moved])
                else:  # fio reads and writes a few files of its own
                    live.check(any(mine[0] >= moved[0] and mine[1] >= moved[1] and mine[0] - moved[0] < 1 << 17 for mine in found),
                               f"{engine} {words}: {found} instead of {moved}")
    finally:
        subprocess.run(["umount", "-l", place], check=False)


MANY = """
import os
fd = os.open('/etc/passwd', 0)
for i in range(34000): os.lseek(fd, i, 0)
os._exit(0)
"""


def overflow(live):
    """Groups for which the kernel has no space are one row, and no span is missing."""
    if SOURCE != "bpf":
        return
    span = "seek: syscalls:sys_enter_lseek -> syscalls:sys_exit_lseek by tid group offset"
    last = frames(live, "--span", span, command=[sys.executable, "-S", "-c", MANY])[-1]
    live.check(34000 <= last["total"]["ops_total"] < 34100, f"{last['total']}")
    live.equal("rows", len(last["rows"]), 32766 + 1)
    live.equal("rest", last["by"]["(groups that found no room)"]["ops_total"], last["total"]["ops_total"] - sum(
        row["ops_total"] for row in last["rows"] if row["name"] != "(groups that found no room)"))
    live.check(last["by"]["(groups that found no room)"]["ops_total"] >= 34000 - 32766, f"{last['by']['(groups that found no room)']}")


def of_connection(frame, place):
    """The requests by operation. The name of a row has that of its connection if the machine has several."""
    rows = {row["name"]: row for row in frame["rows"]}
    mine = {name.removesuffix(f" {place}"): row for name, row in rows.items() if name.endswith(f" {place}")}
    return {name: row for name, row in (mine if any(name != "(idle)" for name in mine) else rows).items() if not name.startswith("(idle)")}


def idle_fuse(live):
    """Connections that do nothing, and those that have had no request yet, are rows, also of the table; what hangs is not idle."""
    with RawFuse(live) as one, RawFuse(live) as two:
        if not has_fuse(live, one):
            return
        os.makedirs(live.path("under"))
        os.makedirs(live.path("bound"))
        subprocess.run(["bindfs", live.path("under"), live.path("bound")], check=True)
        try:
            work = f"sleep 0.4; head -c 5000 {one.place}/data > /dev/null; sleep 0.7; (cat {two.place}/hang > /dev/null 2>&1 &); sleep 1"
            ran = live.run([IOTRACE, "stat", f"--source={SOURCE}", "-a", "--by", "fuse", "-i", "0.2", f"--csv={live.path('idle.csv')}",
                            f"--json={live.path('idle.json')}", "--", "sh", "-c", work])
            table = live.run([IOTRACE, "stat", f"--source={SOURCE}", "-a", "--by", "fuse", "-i", "0.2", "-n", "1"]).stdout.decode()
        finally:
            subprocess.run(["umount", "-l", live.path("bound")], check=False)
            two.asked("answer")
    live.equal("idle: status", ran.returncode, 0)
    with open(live.path("idle.json"), encoding="utf-8") as file:
        found = [json.loads(line) for line in file]
    names = [{row["name"] for row in frame["rows"]} for frame in found]
    idle = [f"(idle) {place}" for place in (one.place, two.place, live.path("bound"))]
    live.check(set(idle) <= names[0], f"idle: {names[0]} lacks one of {idle}")
    live.check(all(idle[2] in frame for frame in names), f"idle: {idle[2]} is not in all of {names}")
    live.check(any(idle[0] not in frame and f"FUSE_READ(15) {one.place}" in frame for frame in names), "it is not idle when it reads")
    live.check(idle[0] in names[-1], "it is idle again")
    last = {row["name"]: row for row in found[-1]["rows"]}
    live.check(idle[1] not in last, f"what waits is not idle: {sorted(last)}")
    live.equal("it hangs", last[f"FUSE_READ(15) {two.place}"]["inflight"], 1)
    live.equal("a row of zeros", [last[idle[2]][key] for key in ("inflight", "ops_total", "util_percent", "kept")], [0, 0, 0.0, True])
    live.check(f" {idle[2]} " in table, f"idle: {table}")


def begun_before(live):
    """A request that began before is not idle: it is in flight as long as the kernel says so, and hangs."""
    stat = [IOTRACE, "stat", f"--source={SOURCE}", "-a", "--by", "fuse", "-i", "200ms", "--hang", "500ms"]
    with RawFuse(live) as fuse, RawFuse(live) as other:
        if not has_fuse(live, fuse):
            return
        with waiting_request(live, fuse):
            ran = live.run([*stat, "--json", "-n", "6"])
            table = live.run([*stat, "--batch", "-n", "6"]).stdout.decode()
            with subprocess.Popen([*stat, "--json", "-n", "6"], env=CALMED, stdout=subprocess.PIPE) as answered:
                lines = [answered.stdout.readline()]
                fuse.asked("answer")
                lines += answered.stdout.readlines()
        live.equal("begun before: status", ran.returncode, 3)
        found = [json.loads(line) for line in ran.stdout.splitlines()]
        for frame in found:
            names = [row["name"] for row in frame["rows"]]
            live.check(f"(begun before) {fuse.place}" in names and f"(idle) {fuse.place}" not in names, f"begun before: {names}")
            live.check(f"(idle) {other.place}" in names, f"the other one is idle: {names}")
        row = {row["name"]: row for row in found[-1]["rows"]}[f"(begun before) {fuse.place}"]
        live.equal("begun before", [row[key] for key in ("inflight", "hang", "util_percent", "ops_total")], [1, True, 100.0, 0])
        live.check(0.5 < row["oldest_s"] < 60, f"begun before: {row}")
        live.equal("the total", [found[-1]["total"][key] for key in ("inflight", "hang", "util_percent")], [1, True, 100.0])
        hangs = [one for one in found[-1]["hangs"] if fuse.place in one["name"]]
        live.equal("who waits is unknown", [(one["pid"], one["key"]) for one in hangs], [(0, None)])
        live.check(f": (begun before) {fuse.place}\n" in table and " ! more than " in table, table)
        names = [{row["name"]: row["inflight"] for row in json.loads(line)["rows"]} for line in lines]
        live.equal("before the answer", names[0].get(f"(begun before) {fuse.place}"), 1)
        live.equal("after it", [names[-1].get(f"{word} {fuse.place}", 0) for word in ("(begun before)", "(idle)")], [0, 0])
        live.check(f"(idle) {fuse.place}" in names[-1], f"{names[-1]}")


def by_fuse(live):
    """Requests by operation as the file system itself counted them."""
    with RawFuse(live) as fuse:
        if not has_fuse(live, fuse):
            return
        work = f"dd if={fuse.place}/data of=/dev/null bs=10000 count=50; dd if=/dev/zero of={fuse.place}/data bs=3000 count=70 conv=notrunc; " \
               f"cat {fuse.place}/none; sleep 0.4"
        last = frames(live, "-a", "--by", "fuse", "-i", "0.1", command=["sh", "-c", work])[-1]
        asked = fuse.asked()
    rows = of_connection(last, fuse.place)
    mine = {name.rstrip(")").split("(")[-1]: row["ops_total"] for name, row in rows.items()}
    # Recorders ask for names, too, and none counts what it asked itself.
    unseen = {code: count - mine.get(code, 0) for code, count in asked["count"].items()}
    live.equal("requests that nobody made", set(code for code, count in mine.items() if count) - set(asked["count"]), set())
    live.check(all(0 <= count <= asked["of_recorders"].get(code, 0) for code, count in unseen.items()),
               f"requests: {mine}, and the file system was asked {asked}")
    live.equal("read", last["total"]["read_bytes_total"], asked["read"])
    live.equal("written", last["total"]["written_bytes_total"], asked["written"])
    live.equal("names", rows["FUSE_READ(15)"]["read_bytes_total"], asked["read"])
    live.check(last["total"]["errors_total"] >= 1, f"no file of this name: {last['total']}")


UNANSWERED = (2, 36, 42)  # FORGET, INTERRUPT, BATCH_FORGET
LIBRARY_WORK = """cd {}; mkdir a; dd if=/dev/zero of=a/x bs=10000 count=30; dd if=a/x of=y bs=7000; sync y; mv y a/z; ln -s z a/l; ln a/z a/h
chmod 600 a/x; touch -d @1 a/x; truncate -s 5 a/x; ls -la a; cat a/l none; df .; rm a/l a/h a/x a/z; rmdir a"""


def sftp_server():
    places = ("/usr/lib/openssh/sftp-server", "/usr/lib/ssh/sftp-server", "/usr/libexec/openssh/sftp-server")
    return next((place for place in places if os.path.exists(place)), None)


def by_library(live):
    """bindfs, and sshfs where it is installed: each operation as often as in the log of libfuse, or as the server reads it. What iotrace
    itself asks, when it looks up the names of directories, does not count."""
    if not shutil.which("bindfs") or not os.path.exists("/sys/kernel/tracing/events/fuse/fuse_request_send"):
        live.lacks("bindfs and FUSE with tracepoints")
        return
    below, log = live.made("below"), live.path("log")
    logged = r"^unique: \d+, opcode: \w+ \((\d+)\).* pid: (\d+)"
    servers = {"bindfs": (["bindfs", "-f", "-d", below], lambda text: [int(code) for code, tid in re.findall(logged, text, re.MULTILINE)
                                                                       if tid not in own])}
    if shutil.which("sshfs") and sftp_server():
        with open(live.path("ssh"), "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\nexec {sftp_server()}\n")
        os.chmod(live.path("ssh"), 0o755)
        servers["sshfs"] = (["strace", "-f", "-qq", "-e", "trace=read", "-P", "/dev/fuse", "-xx", "-s", "8", "-o", "/dev/stdout",
                             "sshfs", "-f", "-o", f"ssh_command={live.path('ssh')}", f"x:{below}"],  # it does not let libfuse log
                            lambda text: [int(code, 16) for code in re.findall(r'"(?:\\x\w\w){4}\\x(\w\w)', text)])
    for name, (command, read) in servers.items():
        place = live.made(f"of {name}")
        run = started(live, "-a", "--by", "fuse", "-i", "0.1", f"--json={live.path('stat.json')}", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(log, "wb") as out:
            server = subprocess.Popen([*command, place], stdout=out, stderr=out)
        try:
            live.check(wait_until(lambda place=place: os.path.ismount(place)), f"{name}: it is mounted")
            subprocess.run(["sh", "-c", LIBRARY_WORK.format(f"'{place}'")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            live.check(wait_until(lambda: time.time() - os.stat(log).st_mtime > 0.5), f"{name}: it is quiet")
            own = os.listdir(f"/proc/{run.pid}/task")
            run.send_signal(signal.SIGINT)
            live.equal("status", run.wait(), 0)
            with open(log, encoding="utf-8", errors="replace") as file:
                text = file.read()
        finally:
            subprocess.run(["umount", place], check=False)
            server.wait()
        with open(live.path("stat.json"), encoding="utf-8") as file:
            rows = of_connection(json.loads(file.readlines()[-1]), place)
        mine = {int(row.rstrip(")").split("(")[-1]): numbers["ops_total"] for row, numbers in rows.items() if numbers["ops_total"]}
        asked = collections.Counter(code for code in read(text) if code not in UNANSWERED)
        live.check(len(asked) > 15, f"{name}: {asked}")
        live.equal(f"{name}: requests", mine, dict(asked))


EXECUTES = """
import os, sys, threading, time
if sys.argv[1] == "again":
    for _ in range(40): time.sleep(0.02)
    os._exit(0)
threading.Thread(target=os.execv, args=(sys.executable, [sys.executable, "-S", "-c", sys.argv[2], "again"])).start()
threading.Event().wait()
"""


def executed(live):
    """A thread that executes a program gets the number of the first one. Its call ends under that number, and does not hang."""
    command = [sys.executable, "-S", "-c", EXECUTES, "first", EXECUTES]
    for words in (["--by", "op"], ["--by", "thread"]):
        found = frames(live, *words, "--syscalls=all", "--hang", "0.5s", "-i", "0.2", command=command)
        live.equal(f"{words}: hangs", [hung["name"] for frame in found for hung in frame["hangs"]], [])
    rows = frames(live, "--syscalls=all", command=command)[-1]["rows"]
    live.equal("executed", [(row["ops_total"], row["inflight"]) for row in rows if row["name"].startswith("execve(")], [(2, 0)])


def hangs_now(path):
    """Whether the last frame that was written has a hang."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")[:-1]
    return bool(lines and json.loads(lines[-1])["hangs"])


def hang(live):
    """A request that the file system does not answer: seen, told with who waits and where, and gone when it is answered."""
    with RawFuse(live) as fuse:
        if not has_fuse(live, fuse):
            return
        out, frames_in = live.path("hangs"), live.path("stat.json")
        run = started(live, "-a", "--by", "fuse", "--hang", "0.6s", "-i", "0.2", f"--json={frames_in}",
                      "--on-hang", f"cat >> {out}; echo $IOTRACE_HANG_TID $IOTRACE_HANG_NAME >> {out}; echo $IOTRACE_HANG_KEY >> {out}.key",
                      stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        waiter = subprocess.Popen(["cat", f"{fuse.place}/hang"], stdout=subprocess.PIPE)
        live.check(wait_until(lambda: hangs_now(frames_in)), "it hangs")
        time.sleep(0.5)
        asked = fuse.asked("answer")
        live.equal("what was said at last", waiter.communicate()[0][:8], b"at last\n")
        live.check(wait_until(lambda: not hangs_now(frames_in)), "it does not hang any longer")
        run.send_signal(signal.SIGINT)
        text = run.communicate()[0].decode()
        live.equal("status", run.returncode, 3)
        live.check(asked["count"]["15"] >= 1, f"{asked}")
    with open(frames_in, encoding="utf-8") as file:
        found = [json.loads(line) for line in file]
    hung = [frame for frame in found if frame["hangs"]]
    row = of_connection(hung[-1], fuse.place)["FUSE_READ(15)"]
    live.check(row["hang"] and row["util_percent"] > 99.9 and row["ops_per_s"] == 0 and row["inflight"] == 1, f"row: {row}")
    who = [one for one in hung[-1]["hangs"] if one["pid"]][0]
    with open(f"{out}.key", encoding="utf-8") as file:
        live.check(who["key"] and f"{who['key']}\n" in file, f"the key: {who['key']}")
    live.equal("who", (who["pid"], who["tid"], who["comm"], who["user"], who["group"], who["name"].split(" ")[0]),
               (waiter.pid, waiter.pid, "cat", "root", "root", "FUSE_READ(15)"))
    live.equal("in which call, of which file", (who["call"], who["file"]), ("read", f"{fuse.place}/hang"))
    live.check("unique=" in who["key"] and who["age_s"] > 0.6 and who["wchan"], f"{who}")
    live.check(any("fuse" in line or "request_wait" in line for line in who["stack"]), f"stack: {who}")
    first = hung[0]["hangs"][0]["age_s"]
    live.check(0.6 <= first < 0.6 + 0.2 + 0.5, f"within the interval: {first}")
    live.check(" ! FUSE_READ(15)" in text and f"by cat({waiter.pid}) of root:root (read of {fuse.place}/hang)" in text, text)
    with open(out, encoding="utf-8") as file:
        lines = file.read().splitlines()
    live.equal("the command ran once", len(lines), 2)
    live.equal("its input", json.loads(lines[0])["tid"], waiter.pid)
    live.equal("its environment", lines[1].split(" ")[:2], [str(waiter.pid), "FUSE_READ(15)"])


DROPPED_PAGE = """
page = mmap.mmap(-1, 4096)
page.write(place + b'/lost8')
threading.Timer(0.2, page.madvise, [mmap.MADV_DONTNEED]).start()
ctypes.CDLL(None).access(ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(page))), 0)
"""
# Calls that the file system does not answer, and the two paths that belong to each.
HUNG = {
    "absolute": ("os.stat(place + b'/lost1')", "PLACE/lost1", None),
    "relative": ("os.chdir(place); os.open('lost2/below', os.O_RDONLY)", "PLACE/lost2/below", None),
    "of a directory": ("os.stat('lost3', dir_fd=os.open(place, os.O_RDONLY))", "PLACE/lost3", None),
    "of a descriptor": ("os.fstat(os.open(place + b'/held', os.O_RDONLY))", "PLACE/held", None),
    "two": ("os.rename('/etc/passwd', place + b'/lost4/new')", "/etc/passwd", "PLACE/lost4/new"),
    "two of directories": ("os.link('lost5', 'new', src_dir_fd=os.open(place, os.O_RDONLY), dst_dir_fd=os.open('/tmp', os.O_RDONLY))",
                           "PLACE/lost5", "/tmp/new"),
    "second path": ("os.symlink('text', place + b'/lost6/link')", "PLACE/lost6/link", None),
    "in another root": ("os.chroot(os.path.dirname(place)); os.stat(b'/' + os.path.basename(place) + b'/lost7')", "PLACE/lost7", None),
    "not in memory": (DROPPED_PAGE, None, None),
    "hostile": ("os.stat(place + b'/lost9\\xff\\nEVIL=1\\x1b[31m' + (b'/' + b'\\xff' * 250) * 14)",
                "PLACE/lost9\\xff\nEVIL=1\x1b[31m" + ("/" + "\\xff" * 250) * 14, None),
}
SILENT = 10  # processes whose memory does not answer


def waiter(place, code):
    """A process that calls something as soon as it gets a line."""
    head = f"import ctypes, mmap, os, sys, threading\nplace = {place.encode()!r}\nsys.stdin.readline()\n"
    return subprocess.Popen([sys.executable, "-S", "-c", head + code], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)


def silenced(live, processes):
    """A command that runs another one where the open of the memory of these processes does not return."""
    fifo = live.path("fifo")
    os.mkfifo(fifo)
    mounts = [f"mount --bind {fifo} /proc/{one.pid}/task/{one.pid}/mem" for one in processes]
    return ["unshare", "-m", "sh", "-c", " && ".join([*mounts, 'exec "$@"']), "sh"]


def of_process(path):
    """What hung in the last frame, by process."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")[:-1]
    return {one["pid"]: one for one in json.loads(lines[-1])["hangs"]} if lines else {}


def hung_path(live):
    """A path that a call was given is told, behind its directory. While the memory of some tasks does not answer, others are looked at."""
    with RawFuse(live) as fuse:
        if not has_fuse(live, fuse):
            return
        path, told = live.path("paths.json"), live.made("told")
        silent = [waiter(fuse.place, f"os.stat(place + b'/lost_silent{i}')") for i in range(SILENT)]
        waiters = {what: waiter(fuse.place, code) for what, (code, _, _) in HUNG.items()}
        every = [*silent, *waiters.values()]
        with open(live.path("paths.txt"), "wb") as table:
            run = started(live, "-a", "--by", "fuse", "--hang", "0.6s", "-i", "0.2", f"--json={path}",
                          "--on-hang", f"cd {told}; (cat; env) >new.$IOTRACE_HANG_PID; mv new.$IOTRACE_HANG_PID $IOTRACE_HANG_PID",
                          inside=silenced(live, silent), stdout=table)
        for one in every:
            one.stdin.write(b"\n")
            one.stdin.flush()
        live.check(wait_until(lambda: all(of_process(path).get(one.pid, {}).get("call") for one in every), 20), "each is looked at")
        hangs = of_process(path)
        live.check(wait_until(lambda: all(os.path.exists(f"{told}/{one.pid}") for one in every), 10), "the command runs for each")
        fuse.asked("answer")
        for one in every:
            one.communicate()
        run.send_signal(signal.SIGINT)
        run.wait()
    with open(live.path("paths.txt"), encoding="utf-8") as table:
        text = table.read()
    for what, (_, *paths) in HUNG.items():
        one, expected = hangs.get(waiters[what].pid, {}), [word and word.replace("PLACE", fuse.place) for word in paths]
        live.equal(what, [one.get("file"), one.get("to")], expected)
        with open(f"{told}/{waiters[what].pid}", encoding="utf-8", errors="backslashreplace") as file:
            first, *rest = file.read().splitlines()
        live.equal(f"{what}: input of the command", [json.loads(first).get(key) for key in ("file", "to")], expected)
        variables = dict(line.split("=", 1) for line in rest)
        live.equal(f"{what}: its environment", [variables["IOTRACE_HANG_FILE"], variables["IOTRACE_HANG_TO"], variables.get("EVIL")],
                   [*[(word or "").replace("\n", " ") for word in expected], None])
    live.equal("silent ones", {hangs[one.pid]["file"] for one in silent if one.pid in hangs}, {None})
    shown = {int(re.search(r" by python3\((\d+)\)", line)[1]): line for line in text.splitlines() if line.startswith(" ! ") and " by " in line}
    live.check(shown, text[-3000:])
    for what in ("absolute", "relative", "two"):
        one = hangs.get(waiters[what].pid, {})
        said = f" ({one.get('call')} of {one.get('file')}{' to ' + one['to'] if one.get('to') else ''}), in "
        live.check(said in shown.get(one.get("pid"), said), f"{said}: {shown}")


def hung_request(live):
    """A write that a device does not end: which device, who waits in which call, and for how long."""
    with block.disk_on_disk(live) as (place, disk):
        frames_in = live.path("stat.json")
        run = started(live, "-a", "--by", "device", "--device", disk.name, "--hang", "0.6s", "-i", "0.2", f"--json={frames_in}",
                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with block.Frozen(place):
            writer = subprocess.Popen(["dd", "if=/dev/zero", f"of={disk.path}", "bs=4k", "count=1", "oflag=direct"],
                                      stderr=subprocess.DEVNULL)
            live.check(wait_until(lambda: block.stat(disk.name)["in_flight"]), "it waits")
            live.check(wait_until(lambda: hangs_now(frames_in)), "it hangs")
        live.equal("dd", writer.wait(), 0)
        live.check(wait_until(lambda: not hangs_now(frames_in)), "it does not hang any longer")
        run.send_signal(signal.SIGINT)
        live.equal("status", run.wait(), 3)
    with open(frames_in, encoding="utf-8") as file:
        found = [json.loads(line) for line in file]
    hung = [frame for frame in found if frame["hangs"]]
    row = next(row for row in hung[-1]["rows"] if row["name"] == disk.name)
    live.check(row["hang"] and row["util_percent"] > 99.9 and row["ops_per_s"] == 0 and row["inflight"] == 1, f"row: {row}")
    who = hung[-1]["hangs"][0]
    live.equal("who", (who["name"], who["pid"], who["tid"], who["comm"], who["user"], who["group"], who["call"], who["file"]),
               (disk.name, writer.pid, writer.pid, "dd", "root", "root", "write", disk.path))
    live.check(who["age_s"] > 0.6 and who["wchan"] and who["stack"], f"{who}")


def foreign_words(live):
    """A thread gives itself a name of two lines. It sets no variable for the command that --on-hang runs."""
    out = live.path("environment")
    nap = "nap: syscalls:sys_enter_clock_nanosleep -> syscalls:sys_exit_clock_nanosleep by tid,comm"
    code = "import ctypes, time\nctypes.CDLL(None).prctl(15, b'a\\nEVIL=1', 0, 0, 0)\ntime.sleep(1.5)"
    ran = live.run([IOTRACE, "stat", f"--source={SOURCE}", "--span", nap, "--hang", "0.4s", "-i", "0.2", "--on-hang", f"env > {out}", "--",
                    sys.executable, "-S", "-c", code])
    live.equal("status", ran.returncode, 3)
    with open(out, encoding="utf-8") as file:
        lines = file.read().splitlines()
    live.equal("variables of the thread's making", [line for line in lines if line.startswith("EVIL")], [])
    live.equal("its key", [line.split(" ", 1)[1] for line in lines if line.startswith("IOTRACE_HANG_KEY=")], ["comm=a EVIL=1"])


def in_flight(live):
    """A call that waits is in flight, all of the time."""
    found = frames(live, "-i", "0.2", "-n", "4", "--syscalls=data", command=["sh", "-c", "sleep 3 | cat"])
    live.equal("tables", len(found), 4)
    row = found[-1]["by"]["read(0)"]
    live.equal("in flight", (row["inflight"], found[-1]["total"]["inflight"]), (1, 1))
    live.check(row["util_percent"] > 99.9 and row["ops_per_s"] == 0, f"busy: {row}")
    live.check(0.5 < row["oldest_s"] < 30, f"age: {row}")
    ages = [frame["by"]["read(0)"]["oldest_s"] for frame in found if "read(0)" in frame["by"]]
    live.check(ages == sorted(ages) and len(set(ages)) == len(ages), f"it gets older: {ages}")


def killed(live):
    """Who was killed in a call is in none."""
    code = "import os, subprocess, time\nc = subprocess.Popen(['cat'], stdin=subprocess.PIPE)\ntime.sleep(0.3)\nc.kill()\nc.wait()\ntime.sleep(0.7)"
    found = frames(live, "-i", "0.2", "--by", "process", "--syscalls=data", command=[sys.executable, "-S", "-c", code])
    # Before it executes cat it has another name, and the kernel says the new one some time later.
    numbers = {name[3:] for frame in found for name in frame["by"] if name.startswith("cat(")}
    of_cat = [row for frame in found for name, row in frame["by"].items() if name[name.rfind("("):] in numbers]
    live.check(any(row["inflight"] for row in of_cat), f"it waits first: {of_cat}")
    live.equal("in the end", [row["inflight"] for row in of_cat][-1], 0)


WORK = """
import os, sys, threading
data, null = os.open('/etc/passwd', os.O_RDONLY), os.open('/dev/null', os.O_WRONLY)
slow, feed = os.pipe()
def wait():
    for i in range(5):
        os.read(slow, 100)
def work():
    for i in range(400):
        os.pread(data, 10 + i, 0)
        os.write(null, b'x' * i)
        if i % 4 == 0:
            try:
                os.pread(null, 1, 0)
            except OSError:
                pass
os.read(0, 100)
threads = [threading.Thread(target=target) for target in (wait, work, work)]
for thread in threads:
    thread.start()
import time
for i in range(5):
    time.sleep(0.1)
    os.write(feed, b'y' * 7)
for thread in threads:
    thread.join()
"""


def both(live, *words, waits=True):
    """The kernel counts, and iotrace pairs the events of perf: at the same time, of the same process."""
    work = subprocess.Popen([sys.executable, "-S", "-c", WORK], stdin=subprocess.PIPE)
    while "pipe" not in wchan(work.pid):
        time.sleep(0.01)
    runs = []
    for source in ("bpf", "perf"):
        ready, gives = os.pipe()
        runs.append(subprocess.Popen([IOTRACE, "stat", f"--source={source}", f"--ready-fd={gives}", "-i", "0.2", *words, "-p", str(work.pid),
                                      f"--json={live.path(source)}"], pass_fds=[gives], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE))
        os.close(gives)
        with os.fdopen(ready, "rb") as file:
            live.equal(f"{source}: ready", file.readline(), b"ready\n")
    work.communicate(b"go\n")
    said = [run.communicate()[1] for run in runs]
    live.equal("status", [run.returncode for run in runs], [0, 0])
    live.equal("who counts", [b"counting in the kernel" in text for text in said], [False, True])
    (kernel, kernel_busy), (user, user_busy) = (numbers(live.path(source)) for source in ("bpf", "perf"))
    live.equal(f"{words}: numbers", kernel, user)
    for name, row in kernel.items():
        if row[0] < 100:  # each call of a recorder of the other one is a little longer
            live.check(abs(kernel_busy[name] - user_busy[name]) < 0.02, f"{words}: {name}: busy {kernel_busy[name]} {user_busy[name]}")
    live.check(max(user_busy.values()) > 0.4 or not waits, f"it waits: {user_busy}")


def same(live):
    if SOURCE != "bpf":
        return
    for view in ("op", "process", "thread"):
        both(live, "--by", view)
    both(live, "--by", "fs", waits=False)


def tables(live):
    """The table, and lines of values."""
    ran = live.run([IOTRACE, "stat", f"--source={SOURCE}", f"--csv={live.path('stat.csv')}", "--", *DD])
    text = ran.stderr.decode()
    live.check("op " in text and "svctm/us" in text and "TOTAL" in text and " read(0)" in text, text)
    live.check(not text.startswith("\n"), text)
    with open(live.path("stat.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    totals = collections.Counter(row["name"] for row in rows)
    live.check(totals["TOTAL"] >= 1 and rows[-1]["name"] == "TOTAL", f"{totals}")
    live.equal("the same numbers", int(rows[-1]["ops_total"]),
               sum(int(row["ops_total"]) for row in rows if row["time_ns"] == rows[-1]["time_ns"] and row["name"] != "TOTAL"))
    for words, what in ((["--by", "ops"], "there is no view 'ops'; did you mean 'op'?"),
                        (["--by", "op", "--span", "fuse"], "one of them says what the rows are"),
                        (["--interval", "1us"], "invalid interval '1us': expected 10ms to 1h"),
                        (["-n", "0"], "expected 1 to")):
        ran = live.run([IOTRACE, "stat", *words, "--", "true"])
        live.equal(f"{words}", (ran.returncode, what in " ".join(ran.stderr.decode().split())), (125, True))


def user_defined(live):
    """Any span: its groups are the rows."""
    span = "seek: syscalls:sys_enter_lseek -> syscalls:sys_exit_lseek by tid group whence result ret"
    code = "import os\nf = os.open('/etc/passwd', 0)\nfor i in range(90): os.lseek(f, 0, i % 3)\ntry: os.lseek(f, -1, 0)\nexcept OSError: pass"
    last = frames(live, "--span", span, command=[sys.executable, "-S", "-c", code])[-1]
    live.equal("view", last["view"], "span seek")
    live.check(last["by"]["2"]["ops_total"] == 30, f"{last['rows']}")
    live.check(last["by"]["0"]["errors_total"] >= 1, f"{last['rows']}")
    # A cancel takes all of them, more than there are slots; the group is a text.
    span = ("held: syscalls:sys_enter_lseek if offset > 0 && whence == 0 -> syscalls:sys_enter_lseek if whence == 1 or"
            " syscalls:sys_enter_lseek if whence == 2 by pid,offset group comm cancel syscalls:sys_exit_getppid by pid")
    code = ("import ctypes, os, time\nctypes.CDLL(None).prctl(15, b'the holder', 0, 0, 0)\nf = os.open('/etc/passwd', 0)\n"
            "for i in range(1000): os.lseek(f, 10 ** 6 + i, 0)\ntime.sleep(0.7)\nos.getppid()\ntime.sleep(0.5)")
    counts = [frame["by"]["the holder"]["inflight"] for frame in frames(live, "--interval", "200ms", "--span", span,
                                                                       command=[sys.executable, "-S", "-c", code])
              if "the holder" in frame["by"]]
    live.equal("held, and cancelled", (max(counts), counts[-1]), (1000, 0))


def reader_gone(live):
    """As with any program in front of head(1), the end of the reader is the end of the recording. The command continues."""
    done = live.path("done")
    for words in (["stat", "-i", "100ms"], ["stat", "-i", "100ms", "--json"], ["latency", "--interval", "100ms"],
                  ["leaks", "--every", "100ms"]):
        took = time.monotonic()
        ran = live.run(["sh", "-c", '"$@" | head -n 1 >/dev/null', "sh", "timeout", "12", IOTRACE, *words, "-a", f"--source={SOURCE}"])
        live.check(b"ERROR" not in ran.stderr, f"{words}: {ran.stderr!r}")
        live.check(time.monotonic() - took < 10, f"{words}: it went on without a reader")
    ran = live.run(["sh", "-c", '"$@" 2>&1 >/dev/null | head -n 1 >/dev/null', "sh", IOTRACE, "stat", "-i", "100ms", f"--source={SOURCE}",
                    "--", "sh", "-c", f"sleep 1; echo >{done}"])
    live.check(os.path.exists(done), "the command was not left alone")


def losses(live):
    """A ring of one page is too small for four programs that do nothing but calls, and the tables do not have what was lost."""
    if SOURCE != "perf":
        return
    storm = "for i in 1 2 3 4; do dd if=/dev/zero of=/dev/null bs=1 count=100000 status=none & done; wait"
    path = live.path("losses.json")
    ran = live.run([IOTRACE, "stat", f"--source={SOURCE}", "-m", "4K", f"--json={path}", "--", "sh", "-c", storm])
    with open(path, encoding="utf-8") as file:
        rows = {row["name"]: row["ops_total"] for row in json.loads(file.readlines()[-1])["rows"]}
    said = re.search(r"iotrace: incomplete: ([\d,]+) of [\d,]+ events are missing \(the kernel's ring buffers were full\)", ran.stderr.decode())
    live.check(rows["read(0)"] < 400000 and said, f"losses: {rows['read(0)']} reads: {ran.stderr.decode()}")


def fuses(live):
    """One after the other: each counts the requests of all FUSE file systems."""
    by_fuse(live)
    by_library(live)
    hang(live)
    hung_path(live)
    idle_fuse(live)
    begun_before(live)


def misused(live):
    """What cannot be written or does not go together is said."""
    for words, said in ((["--json=/dev/full", "-n", "1", "-i", "200ms", "-a"], "cannot write the numbers to /dev/full: No space left on device"),
                        (["-a", "--since", "-10min"], "it goes without -a"), (["-a", "--device", "nosuch"], "--device needs --by device, or")):
        ran = live.run([IOTRACE, "stat", *words])
        live.equal(f"{words}", (ran.returncode, said in " ".join(ran.stderr.decode().split())), (125, True))


def whole_machine(live):
    """Without anything to follow and without a daemon: the whole machine for root, and what to type for others."""
    if os.path.exists("/run/iotrace/stat"):
        return
    ran = live.run([IOTRACE, "stat", f"--source={SOURCE}", "-n", "2", "-i", "300ms", "--json"])
    live.equal("whole machine: status", (ran.returncode, ran.stdout.count(b"\n")), (0, 2))
    live.check(json.loads(ran.stdout.splitlines()[0])["total"]["ops_total"] > 0, "whole machine: nothing was counted")
    ran = live.run(["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups", "--inh-caps=-all", live.for_all(PROGRAM), "stat",
                    "-n", "1"])
    live.equal("nobody: status", ran.returncode, 125)
    live.equal("nobody: what to type", ran.stderr.decode().splitlines()[1:],
               ["iotrace: To follow a command: iotrace stat -- COMMAND",
                "iotrace: To see the whole machine, as root: iotrace stat, or for all users: iotrace daemon"])


def sleeps(pid):
    """How often the threads of a process have waited for something."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status", encoding="ascii") as file:
            total += int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", file.read(), re.MULTILINE)[1])
    return total


def own_processes(live):
    """The process that looks at hangs, and all others of the run, are no rows of the whole machine."""
    path = live.path("own.json")
    with started(live, "-a", "--by", "process", "--hang", "0.3s", "-i", "0.2", "-n", "10", f"--json={path}", stdout=subprocess.DEVNULL) as stat:
        cat = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
        with open(f"/proc/{stat.pid}/task/{stat.pid}/children", encoding="ascii") as file:
            own = {str(stat.pid), *file.read().split()}
        stat.wait()
        cat.communicate()
    with open(path, encoding="utf-8") as file:
        found = [json.loads(line) for line in file]
    live.check(any(hang["pid"] == cat.pid and hang["call"] == "read" for frame in found for hang in frame["hangs"]), "it was looked at")
    live.equal("its own", [(row["name"], row["ops_total"]) for row in found[-1]["rows"] if set(re.findall(r"\d+", row["name"])) & own], [])
    live.check(len(own) > 1, f"{own}")


def idle(live):
    """If the kernel counts everything, there is nothing to look for between two frames."""
    if SOURCE != "bpf":
        return
    with started(live, "-i", "1", "--json=/dev/null", "--", "sleep", "60") as stat:
        time.sleep(3)
        before = sleeps(stat.pid)
        time.sleep(5)
        found = sleeps(stat.pid) - before
        stat.send_signal(signal.SIGTERM)
    live.check(0 < found < 40, f"idle: its threads woke {found} times in 5 s")


TESTS = (whole_machine, misused, by_op, by_process, by_thread, reused, by_user, by_cgroup, chosen, by_file, by_file_system, asynchronous,
         overflow, fuses, hung_request, executed, foreign_words, same, in_flight, killed, tables, user_defined, reader_gone, own_processes, idle,
         losses)

with Live() as all_tests:
    together(all_tests, [one for one in TESTS if one.__name__ in sys.argv[1:]] or TESTS)
