#!/usr/bin/python3
"""iotrace record --flight live: what an archive contains, what makes it, how many there are, and that nothing is written before."""

import contextlib
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import block  # noqa: E402
from fuse import RawFuse, has_fuse  # noqa: E402
from live import CALMED, IOTRACE, Live, PROGRAM, SOURCE, together, wait_until, without_others, workload  # noqa: E402

PATIENCE = 60
OWN = [os.path.realpath(path) for path in (IOTRACE, PROGRAM)]
# Opens a file, and then writes N bytes each time, N counting up, with the time of each on standard output.
WRITER = """import os, sys, time
f = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
n = 0
while n < int(sys.argv[2]):
    n += 1
    before = time.monotonic_ns()
    os.pwrite(f, b"x" * n, 0)
    print(n, before, flush=True)
    time.sleep(0.02)
"""
# Reads a device for a part of each 0.2 s.
READER = """import mmap, os, sys, time
device, buffer = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 1 << 22)
while True:
    begin = time.monotonic()
    while time.monotonic() < begin + float(sys.argv[2]):
        os.preadv(device, [buffer], 0)
    time.sleep(max(0, begin + 0.2 - time.monotonic()))
"""


class Flight:
    """A flight recorder of a command, or of what options say."""

    def __init__(self, live, name, *options, command=(), **more):
        self.live, self.archive = live, live.path(name)
        more.setdefault("stdout", subprocess.PIPE)
        self.run = live.start(f"--source={SOURCE}", "-o", self.archive, *options, *(["--", *command] if command else []),
                              stderr=subprocess.PIPE, cwd=live.dir, text=True, **more)
        self.said = ""

    def made(self):
        """The archives in the order of their numbers."""
        names = [name for name in os.listdir(self.live.dir) if name.startswith(os.path.basename(self.archive) + "-")]
        return [self.live.path(name) for name in sorted(names, key=lambda name: int(name.rpartition("-")[2]))]

    def has(self, number):
        return wait_until(lambda: len(self.made()) >= number, PATIENCE)

    def snapshot(self, status=0):
        ran = self.live.run([IOTRACE, "snapshot", str(self.run.pid)])
        self.live.equal("snapshot: status", ran.returncode, status)

    def end(self, status=0):
        """Returns what the command wrote to its output."""
        if self.run.poll() is None and not self.run.stdout:
            self.run.send_signal(signal.SIGINT)
        out, self.said = self.run.communicate(timeout=PATIENCE)
        self.live.equal(f"{self.archive}: status ({self.said})", self.run.returncode, status)
        return out

    def kill_command(self):
        with open(f"/proc/{self.run.pid}/task/{self.run.pid}/children", encoding="ascii") as file:
            for pid in map(int, file.read().split()):
                if os.readlink(f"/proc/{pid}/exe") not in OWN:
                    os.kill(pid, signal.SIGKILL)
        return self.end(status=128 + signal.SIGKILL)

    def stop(self, status=0):
        self.live.run([IOTRACE, "stop", str(self.run.pid)])
        return self.end(status)


def lines(live, archive):
    text = live.run([IOTRACE, "convert", "--format", "text", "-o", "-", archive]).stdout
    return text.decode(errors="surrogateescape").splitlines()


def operations(live, archive):
    """(time, thread, direction, bytes, file) of each operation that began, in the order of time."""
    files, found = {}, []
    text = lines(live, archive)
    for line in text:
        known = re.match(r'handle (h\d+) \S+ \S+ "(.*?)"', line)
        if known:
            files[known[1]] = known[2]
    for line in text:
        op = re.match(r"(\d+) (\d+)@\d+ OP_BEGIN (h\d+) #\d+ (\w+) (\S+)", line)
        if op:
            found.append((int(op[1]), int(op[2]), op[4], op[5], files.get(op[3])))
    return sorted(found)


def marks(live, archive):
    return [line.split(" - ", 1)[1] for line in lines(live, archive) if " - MARK " in line]


def examined(live, archive):
    """A part of a recording has no counts of the kernel."""
    return live.examine(archive, lossless=False)


def writes_of(text):
    return {int(n): int(before) for n, before in (line.split() for line in text.splitlines())}


def window(live):
    """The archive has each write of the window, and no other, and the name of a file that was opened before it."""
    flight = Flight(live, "window", "--flight", "2s", command=[sys.executable, "-c", WRITER, live.path("data"), "250"])
    time.sleep(4)
    flight.snapshot()
    live.check(flight.has(1), "window: no archive")
    written = writes_of(flight.end())
    archive = flight.made()[0]
    about = examined(live, archive)
    found = operations(live, archive)
    sizes = [int(size) for _, _, way, size, file in found if way == "WRITE" and file == live.path("data")]
    live.check(sizes and sizes == list(range(sizes[0], sizes[-1] + 1)), f"window: not one piece: {sizes}")
    trigger = int([line for line in lines(live, archive) if " - MARK " in line][0].split()[0])
    begin = (trigger - written[sizes[0]]) / 1e9
    live.check(1.9 < begin < 2.7, f"window: begins {begin} s before the snapshot")
    last = max(n for n, before in written.items() if before < trigger)
    live.check(sizes[-1] >= last - 1, f"window: ends with {sizes[-1]}, not {last}")
    live.equal("window: files without a name", [op for op in found if op[4] is None], [])
    live.equal("window: marks", marks(live, archive), ['MARK "snapshot: a user asked for it"'])
    live.check("a user asked for it" in subprocess.run(["otf2-marker", f"{archive}/traces.otf2"], check=True,
                                                       stdout=subprocess.PIPE).stdout.decode(), "window: otf2-marker")
    live.check(about["duration_ns"] < 3.5e9, f"window: lasts {about['duration_ns']}")
    live.equal("window: one archive", len(flight.made()), 1)


def no_writes(live):
    """Nothing is written to a disk, and nothing is created, until a trigger comes."""
    before = sorted(os.listdir(live.dir))
    subprocess.run([workload("storm"), "/etc/passwd", "1", "1"], check=True)  # a first read of a file may write its time of access
    flight = Flight(live, "nothing", "--flight", "1s", "--trigger", "hang", "--trigger", "slow=10s",
                    command=[workload("storm"), "/etc/passwd", "1", "1500000"])
    seen = set()
    while flight.run.poll() is None:
        with open(f"/proc/{flight.run.pid}/io", encoding="ascii") as file:
            seen.add([line for line in file if line.startswith("write_bytes")][0].split()[1])
        live.equal("no writes: files", sorted(os.listdir(live.dir)), before)
        time.sleep(0.1)
    flight.end()
    live.equal("no writes: bytes", seen, {"0"})
    live.equal("no writes: archives", flight.made(), [])


def programs(live):
    """A flight recorder sees of real programs what a plain recording of the same run sees."""
    work = "exec 3<>a; for i in $(seq 1 300); do if [ -e stop ]; then break; fi; echo $i >&3; dd if=a of=b bs=3 2>/dev/null; sqlite3 db " \
           "'create table if not exists t(x); insert into t values(1)'; tar cf c.tar a b db; tar xf c.tar b; sleep 0.05; done"
    whole = live.path("whole")
    flight = Flight(live, "part", "--flight", "4s", "--after", "200ms", command=[IOTRACE, "-q", f"--source={SOURCE}", "--alone", "-o", whole,
                                                                             "--", "sh", "-c", work])
    time.sleep(5.5)
    flight.run.send_signal(signal.SIGUSR2)
    live.check(flight.has(1), "programs: no archive")
    with open(live.path("stop"), "wb"):
        flight.end()
    archive = flight.made()[0]
    examined(live, archive)
    mine, all_of = {}, {}
    for into, found in ((mine, operations(live, archive)), (all_of, operations(live, whole))):
        for _, thread, way, size, file in found:
            into.setdefault(thread, []).append((way, size, file))
    shared = [thread for thread in mine if thread in all_of]
    live.check(len(shared) > 20, f"programs: {len(shared)} threads")
    live.check(sum(len(mine[thread]) for thread in shared) > 200, "programs: too few operations")
    for thread in shared:
        part, total = mine[thread], all_of[thread]
        pieces = [total[i:i + len(part)] for i in range(len(total) - len(part) + 1)]
        live.check(part in pieces, f"programs: thread {thread}: {part[:5]} is no part of {total[:5]}")


def signals(live):
    """SIGUSR2 makes an archive. What comes too soon after one is ignored, which is said; --keep removes the oldest."""
    flight = Flight(live, "kept", "--flight", "1s", "--spacing", "500ms", "--keep", "2", command=["sh", "-c", "echo x > y; read x; :"],
                    stdin=subprocess.PIPE)
    for number in (1, 2):
        flight.run.send_signal(signal.SIGUSR2)
        want = [f"{flight.archive}-{n}" for n in range(max(1, number - 1), number + 1)]
        live.check(wait_until(lambda: flight.made() == want, PATIENCE), f"signals: {flight.made()}, not {want}")
        if number == 1:
            with open(f"{flight.archive}-1/mine", "w", encoding="ascii") as file:
                file.write("x")
        time.sleep(0.6)
    flight.run.send_signal(signal.SIGUSR2)
    live.check(wait_until(lambda: f"{flight.archive}-3" in flight.made(), PATIENCE), "signals: no third")
    for _ in range(8):  # on a busy machine, several may arrive as one
        flight.run.send_signal(signal.SIGUSR2)
        time.sleep(0.15)
    flight.end()
    live.equal("signals: what is left of the first", os.listdir(f"{flight.archive}-1"), ["mine"])
    numbers = [int(name.rpartition("-")[2]) for name in flight.made()]
    live.check(len(numbers) == 3 and numbers[0] == 1 and numbers[1] + 1 == numbers[2], f"signals: {numbers}")
    live.check("ignored, because the last trigger was less than" in flight.said, f"signals: {flight.said}")


def disk_bytes(path):
    return sum(os.lstat(os.path.join(folder, name)).st_blocks * 512 for folder, _, names in os.walk(path) for name in names)


def limit(live):
    """All archives together keep the limit: the oldest go, and one that needs more than is left is cut short, which is said."""
    most = 4 << 20
    flight = Flight(live, "limited", "--flight", "1s", "--limit", "4M", "--spacing", "100ms", command=[workload("storm"), "/etc/passwd", "1", "1000000000"])
    for number in range(1, 6):
        time.sleep(1)
        flight.snapshot()
        live.check(wait_until(lambda last=f"{flight.archive}-{number}": last in flight.made(), PATIENCE), f"limit: no archive {number}")
        used = sum(disk_bytes(path) for path in flight.made())
        live.check(0 < used <= most + (most >> 2), f"limit: {used} bytes after archive {number}")
    live.check(f"{flight.archive}-1" not in flight.made(), f"limit: the oldest is there: {flight.made()}")
    flight.kill_command()
    live.check("ends early, because of --limit" in flight.said, f"limit: {flight.said}")
    for path in flight.made():
        live.equal(f"{path} is an archive", live.run([IOTRACE, "check-archive", path]).returncode, 0)


def unfinished(live):
    """What a recorder left when it was killed while it wrote is removed by the next one; what another one writes stays."""
    command = ["timeout", "9", workload("storm"), "/etc/passwd", "1", "1000000000"]
    writing = lambda name: os.path.isdir(live.path(f".{name}-1.iotrace", "archive"))  # noqa: E731
    killed = Flight(live, "cut", "--flight", "5s", command=command)
    time.sleep(3)
    killed.run.send_signal(signal.SIGUSR2)
    live.check(wait_until(lambda: writing("cut"), PATIENCE), "unfinished: it does not write")
    killed.run.kill()
    killed.run.wait()
    live.check(writing("cut") and not killed.made(), "unfinished: it had finished before")
    other = Flight(live, "cut", "--flight", "5s", "--after", "1s", command=["sleep", "2"])
    live.check(wait_until(lambda: not writing("cut"), PATIENCE), "unfinished: it is still there")
    other.end()


def own_memory(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"^RssAnon:\s+(\d+)", file.read(), re.MULTILINE)[1]) << 10


def forgets(live):
    """Names of files and processes that are gone take no memory, however many there were."""
    rounds, files = 16, 20000 if SOURCE == "bpf" else 10000  # perf looks up each name
    place = tempfile.mkdtemp(prefix="iotrace-live-", dir="/dev/shm")
    folder = os.path.join(place, "a-name-that-is-long-" * 12)
    os.mkdir(folder)
    work = f'while read -r go; do mkdir "$2/$go"; "$1" {files} "$2/$go" </dev/null; "$3" 1000 /etc/passwd; echo "end of a round"; done'
    # Freed memory of a build with AddressSanitizer is kept for a while otherwise.
    env = dict(CALMED, ASAN_OPTIONS=CALMED.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1")
    flight = Flight(live, "forgets", "--flight", "500ms,8M", stdin=subprocess.PIPE, env=env,
                    command=["sh", "-c", work, "sh", workload("distinct"), folder, workload("forks")])
    sizes = []
    try:
        for number in range(rounds):
            flight.run.stdin.write(f"{number}\n")
            flight.run.stdin.flush()
            while flight.run.stdout.readline() not in ("end of a round\n", ""):
                pass
            time.sleep(0.6)
            sizes.append(own_memory(flight.run.pid))
        flight.snapshot()
        live.check(flight.has(1), "forgets: no archive")
        flight.run.stdin.close()
        flight.run.stdin = None
        flight.end()
    finally:
        shutil.rmtree(place)
    # Buffers grow in a few rounds, when more records wait than ever before. What is kept of each file grows in all rounds.
    grown = statistics.median(later - size for size, later in zip(sizes[rounds // 2:], sizes[rounds // 2 + 1:]))
    live.check(grown < files * 50, f"forgets: memory grew by {grown} bytes in most rounds: {sizes}")
    examined(live, flight.made()[0])


def after(live):
    """With --after, the archive has what follows, too."""
    command = ["sh", "-c", "read x; echo 1 > first; read x; echo 2 > second; read x; :"]
    flight = Flight(live, "after", "--flight", "5s", "--after", "1.5s", command=command, stdin=subprocess.PIPE)
    flight.run.stdin.write("go\n")
    flight.run.stdin.flush()
    time.sleep(0.5)
    flight.run.send_signal(signal.SIGUSR2)
    time.sleep(0.7)
    flight.run.stdin.write("go\n")
    flight.run.stdin.flush()
    live.check(flight.has(1), "after: no archive")
    flight.end()
    files = {file for _, _, way, _, file in operations(live, flight.made()[0]) if way == "WRITE"}
    live.check({live.path("first"), live.path("second")} <= files, f"after: {files}")


def ended(live):
    """A trigger whose time has not passed when the command ends makes its archive then."""
    flight = Flight(live, "ended", "--flight", "5s", "--after", "60s", command=["sh", "-c", "echo 1 > first; read x; exit 3"],
                    stdin=subprocess.PIPE)
    flight.snapshot()
    flight.run.stdin.write("end\n")
    flight.end(status=3)
    live.equal("ended: archives", len(flight.made()), 1)
    examined(live, flight.made()[0])


def short(live):
    """If the records of the window do not fit into memory, the recorder says how much time is there."""
    flight = Flight(live, "short", "--flight", "60s,4M", command=[workload("storm"), "/etc/passwd", "1", "10000000"])
    time.sleep(1.5)
    flight.snapshot()
    live.check(flight.has(1), "short: no archive")
    flight.kill_command()
    live.check(re.search(r"has only \d+\.\d s before the trigger, not 60\.0 s", flight.said), f"short: {flight.said}")
    examined(live, flight.made()[0])


def error(live):
    """A call that fails makes an archive; others do not."""
    script = "import os, time\nfd = os.open('/', os.O_RDONLY)\ntime.sleep(1.5)\n" \
             "try: open('/none/of/it')\nexcept OSError: pass\ntime.sleep(1)\n" \
             "try: os.read(fd, 1)\nexcept OSError: pass\ninput()"
    flight = Flight(live, "error", "--flight", "1s", "--trigger", "error=EISDIR", "--trigger", "error=ENOENT:file=/some/*",
                    command=[sys.executable, "-c", script], stdin=subprocess.PIPE)
    live.check(flight.has(1), "error: no archive")
    flight.run.stdin.write("end\n")
    flight.end()
    live.equal("error: archives", len(flight.made()), 1)
    said = marks(live, flight.made()[0])
    live.check(len(said) == 1 and re.match(r'MARK "error=EISDIR: read of / by python3\S* \(process \d+\) failed: ', said[0]), f"error: {said}")


def missed(live):
    """Where the records of a possible trigger leave memory before somebody looks at them, the recorder says so. One round of perf's takes
    more than this memory, and the recorder goes on."""
    script = "import os, sys, time\nend = time.time() + int(sys.argv[1])\nwhile time.time() < end:\n    for i in range(2000): os.pread(0, 1, 0)\n" \
             "    try: os.open('/none/of/it', os.O_RDONLY)\n    except OSError: pass\n"
    with open("/etc/passwd", "rb") as file:
        flight = Flight(live, "missed", "--flight", "60s,1M", "--trigger", "error=ENOENT:file=/none/*", "--spacing", "300ms",
                        command=[sys.executable, "-c", script, "8" if SOURCE == "perf" else "3"], stdin=file)
        flight.end()
    live.check(flight.made() or SOURCE == "perf", "missed: no archive")
    live.check("triggers may have been missed: records of" in flight.said, f"missed: {flight.said[:2000]}")


def locks(live):
    """A call that waits for a lock of another process is slow, as other calls on files are."""
    script = "import fcntl, os, time\none, two = (os.open('lock', os.O_RDWR | os.O_CREAT) for _ in '12')\nfcntl.flock(one, fcntl.LOCK_EX)\n" \
             "if not os.fork():\n    fcntl.flock(two, fcntl.LOCK_EX)\n    os._exit(0)\n" \
             "time.sleep(2)\nfcntl.flock(one, fcntl.LOCK_UN)\nos.wait()\ninput()"
    flight = Flight(live, "locks", "--flight", "5s", "--trigger", "slow=1s:op=flock", command=[sys.executable, "-c", script], stdin=subprocess.PIPE)
    live.check(flight.has(1), "locks: no archive")
    flight.run.stdin.write("end\n")
    flight.end()
    said = marks(live, flight.made()[0])
    live.check(said and re.match(r'MARK "slow=1s:op=flock: flock of /\S*/lock by python3\S* \(process \d+\) took [12]\.', said[0]), f"locks: {said}")


def fuse_triggers(live):
    """A read that the server of a FUSE file system answers late is slow, and while it does not answer, it hangs."""
    with RawFuse(live) as fuse:
        if not has_fuse(live, fuse):
            return
        script = "import os, sys\nsys.stdin.readline()\nos.read(os.open(sys.argv[1], os.O_RDONLY), 100)\nsys.stdin.readline()"
        flight = Flight(live, "hang", "--flight", "10s", "--trigger", "hang=1s:fs=" + fuse.place, "--trigger", "slow=1.5s:file=*/hang",
                        "--spacing", "100ms", command=[sys.executable, "-c", script, f"{fuse.place}/hang"], stdin=subprocess.PIPE)
        time.sleep(2)  # a wait for a pipe is no hang
        live.equal("hang: before", flight.made(), [])
        flight.run.stdin.write("go\n")
        flight.run.stdin.flush()
        begin = time.monotonic()
        live.check(flight.has(1), "hang: no archive")
        hung = flight.made()[0]
        time.sleep(max(0, begin + 2 - time.monotonic()))  # the read is to be slow
        fuse.asked("answer")
        live.check(flight.has(2), "slow: no archive")
        flight.run.stdin.write("end\n")
        flight.run.stdin.close()
        flight.run.stdin = None
        flight.end()
        said = marks(live, hung)
        live.check(len(said) == 1 and re.match(rf'MARK "hang=1s:fs={fuse.place}: read of {fuse.place}/hang by python3\S* \(process \d+\) '
                                               r'has hung for [1-9]', said[0]), f"hang: {said}")
        live.check(any(line.endswith(" RECORDING") and "OP_CANCELLED" in line for line in lines(live, hung)), "hang: it is not in flight")
        live.equal("hang: the file", [op[4] for op in operations(live, hung) if op[2] == "READ" and op[3] == "100"], [f"{fuse.place}/hang"])
        said = marks(live, flight.made()[1])
        live.check(len(said) == 1 and re.match(r'MARK "slow=1.5s:file=\*/hang: read of ', said[0]), f"slow: {said}")


def fuse_server(live):
    """The server of a FUSE file system waits for requests, and does not hang."""
    if not shutil.which("bindfs") or not os.path.exists("/dev/fuse"):
        live.lacks("bindfs and FUSE")
        return
    below, above = live.made("below"), live.made("above")
    flight = Flight(live, "server", "--flight", "10s", "--trigger", "hang=500ms", command=["bindfs", "-f", below, above])
    time.sleep(2.5)
    live.equal("server: hangs", [mark for archive in flight.made() for mark in marks(live, archive)], [])
    live.run(["umount", above])
    flight.end()


def hung_paths(live):
    """A call in flight has the path that it was given, and its file system. It is a trigger once, however long it hangs."""
    with RawFuse(live) as fuse:
        if not has_fuse(live, fuse):
            return
        script = "import os, sys\nsys.stdin.readline()\nif not os.fork(): os.stat(sys.argv[1] + '/lost2')\nos.stat(sys.argv[1] + '/lost1')\n"
        flight = Flight(live, "paths", "--flight", "10s", "--trigger", "hang=1s:file=*/lost1", "--trigger", f"hang=2500ms:fs={fuse.place}",
                        "--spacing", "100ms", command=[sys.executable, "-c", script, fuse.place], stdin=subprocess.PIPE)
        flight.run.stdin.write("go\n")
        flight.run.stdin.flush()
        live.check(flight.has(2), "paths: no archive")
        time.sleep(3)
        fuse.asked("answer")
        flight.run.stdin.close()
        flight.run.stdin = None
        flight.end(status=1)
    said = [mark for archive in flight.made() for mark in marks(live, archive)]
    how = r"newfstatat of {}/lost{} by python3\S* \(process \d+\) has hung for {}\.\d s"
    live.check(len(said) == 2 and re.search(r"=\*/lost1: " + how.format(fuse.place, 1, "1"), said[0]) and
               re.search(f"fs={fuse.place}: " + how.format(fuse.place, 2, "[23]"), said[1]), f"paths: {said}")


def busy(live):
    """util: a device that has been busy for more than a share of some time makes an archive, and one that was less busy makes none."""
    with block.Disk(live.path("disk"), 64 << 20) as disk:
        wrong = disk.name.replace("oo", "o")
        ran = live.run([IOTRACE, "record", "-a", "--flight", "5s", "--trigger", f"util={wrong}>60%:1s"])
        live.equal("busy: status", ran.returncode, 125)
        live.check(f"no block device {wrong}; did you mean 'loop" in ran.stderr.decode(), f"busy: {ran.stderr.decode()}")
        trigger = f"util={disk.name}>60%:1s"
        flight = Flight(live, "busy", "--flight", "5s", "-a", "--comm", "python3*", "--trigger", trigger)
        time.sleep(1)
        before, begin = block.stat(disk.name)["busy_ms"], time.monotonic()
        with subprocess.Popen([sys.executable, "-c", READER, f"/dev/{disk.name}", "0.06"]) as reader:
            time.sleep(3)
            share = (block.stat(disk.name)["busy_ms"] - before) / 10 / (time.monotonic() - begin)
            reader.kill()
        live.check(10 < share < 60, f"busy: {share} % are no load for this test")
        live.equal("busy: below the share", flight.made(), [])
        begin = time.monotonic_ns()
        with subprocess.Popen([sys.executable, "-c", READER, f"/dev/{disk.name}", "0.2"]) as reader:
            live.check(flight.has(1), "busy: no archive")
            reader.kill()
        flight.stop()
        archive = flight.made()[0]
        said = [line for line in lines(live, archive) if " - MARK " in line]
        live.equal("busy: marks", [line.split(" - ", 1)[1] for line in said],
                   [f'MARK "{trigger}: {disk.name} was busy for more than 60 % of 1 s"'])
        # The load before it counts, too.
        took = (int(said[0].split()[0]) - begin) / 1e9
        live.check(0.3 < took < 3, f"busy: the trigger came after {took} s")
        live.check(any(way == "READ" and file == f"/dev/{disk.name}" for _, _, way, _, file in operations(live, archive)), "busy: no read")


def request_triggers(live):
    """Block requests and asynchronous operations that hang, are slow or fail make an archive, by the name of their device or file."""
    fio = "fio --name=x --output=/dev/null --direct=1 --bs=4k --size=4k --filename={} --ioengine={} --rw={}"
    with block.disk_on_disk(live) as (place, disk):
        writes = [("device", disk.name, f"of device {disk.name}.* by dd", f"dd if=/dev/zero of={disk.path} bs=4k count=1 oflag=direct")]
        reads = [("device", disk.name, f"of device {disk.name}.* by dd", f"dd if={disk.path} of=/dev/null bs=4k count=1 iflag=direct")]
        for engine in ("libaio", "io_uring") if SOURCE == "bpf" else ("io_uring",):  # perf has no iocbs
            for into, way in ((writes, "write"), (reads, "read")):
                into.append(("file", disk.path, f"of {disk.path} by fio", fio.format(disk.path, engine, way)))
        for view, name, words, work in writes:
            triggered(live, f"hang=500ms:{view}={name}", f"write {words}.* has hung for [0-9]", work, place, disk)
            triggered(live, f"slow=300ms:{view}={name}", f"write {words}.* took 0\\.[3-9]|write {words}.* took [1-9]", work, place, disk)
        os.truncate(f"{place}/image", 0)
        for view, name, words, work in reads:
            triggered(live, f"error=EIO:{view}={name}", f"read {words}.* failed: Input/output error", work)


def triggered(live, trigger, words, work, frozen=None, disk=None):
    """The work, which waits for a disk on a frozen file system for a while, makes an archive with these words."""
    name = f"request-{len(os.listdir(live.dir))}"
    flight = Flight(live, name, "--flight", "5s", "--syscalls=+uring", "--trigger", trigger, "--trigger", "slow=100s", "--spacing", "100ms",
                    command=["sh", "-c", f"read x; {work} 2>/dev/null; read x; :"], stdin=subprocess.PIPE)
    with block.Frozen(frozen) if frozen else contextlib.nullcontext():
        flight.run.stdin.write("go\n")
        flight.run.stdin.flush()
        if disk:
            live.check(wait_until(lambda: block.stat(disk.name)["in_flight"]), f"{work} waits")
            time.sleep(0.6)
            if trigger.startswith("hang"):
                live.check(flight.has(1), f"{trigger} for {work}: no archive while it waits")
    live.check(flight.has(1), f"{trigger} for {work}: no archive")
    flight.run.stdin.write("end\n")
    flight.end()
    said = [mark for archive in flight.made() for mark in marks(live, archive)]
    live.check(said and re.match(f'MARK "{trigger}: ({words})', said[0]), f"{trigger}: {said} for {work}")


def refused(live):
    """What does not go together is refused before the command runs."""
    for words, sentence in ((["--flight", "5s", "--capture", "c"], "--capture cannot be combined with --flight"),
                            (["--flight", "5s", "--each"], "--each cannot be combined with --flight"),
                            (["--flight", "5s,64K"], "--flight needs at least 1M of memory"),
                            (["--flight", "5s,x"], "invalid size 'x'"),
                            (["--keep", "3"], "--trigger, --after, --keep and --spacing work only with --flight"),
                            (["--flight", "5s", "--trigger", "noise"], "unknown trigger 'noise'"),
                            (["--flight", "5s", "--trigger", "error=ENONE"], "expected the name of an error"),
                            (["--flight", "5s", "--trigger", "slow=1s:op=read:file=/x"], "a trigger has one restriction"),
                            (["--flight", "5s", "--trigger", "util=sda"], "expected util=DEVICE>PERCENT%:TIME"),
                            (["--flight", "5s", "--block=none", "--trigger", "slow=1s:device=sda"], "cannot be combined with --block=none"),
                            (["--flight", "5s", "-o", live.path("no", "where")], "/no: No such file or directory")):
        ran = live.run([IOTRACE, "record", *words, "--", "touch", live.path("ran")])
        live.equal(f"{words}: status", ran.returncode, 125)
        live.check(sentence in ran.stderr.decode(), f"{words}: {ran.stderr.decode()}")
    live.check(not os.path.exists(live.path("ran")), "refused: the command ran")
    plain = subprocess.Popen([IOTRACE, f"--source={SOURCE}", "-q", "-o", live.path("plain"), "--", "sleep", "5"], env=CALMED)
    wait_until(lambda: live.run([IOTRACE, "status", str(plain.pid)]).returncode == 0)
    ran = live.run([IOTRACE, "snapshot", str(plain.pid)])
    live.equal("snapshot of a plain recording", ran.returncode, 1)
    live.check("only one with --flight makes snapshots" in ran.stderr.decode(), f"snapshot: {ran.stderr}")
    plain.send_signal(signal.SIGTERM)
    plain.wait()


def behind(live):
    """While the reader gets hardly any time, and when it is back, calls that have ended since do not hang. It reads BPF's records too fast
    for this."""
    if SOURCE != "perf":
        return
    storm = subprocess.Popen([workload("storm"), "/etc/passwd", "1", "1000000000"], stdout=subprocess.DEVNULL)
    flight = Flight(live, "behind", "--flight", "3s", "--trigger", "hang=300ms", "-p", str(storm.pid), stdout=None)
    time.sleep(1)
    for task in os.listdir(f"/proc/{flight.run.pid}/task"):
        os.setpriority(os.PRIO_PROCESS, int(task), 19)
    others = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2 * os.cpu_count())]
    for number in (signal.SIGSTOP, signal.SIGCONT) * 4:
        time.sleep(1.5 if number == signal.SIGSTOP else 0.5)
        for other in others:
            other.send_signal(number)
    for process in (*others, storm):
        process.kill()
        process.wait()
    flight.end()
    live.check(not flight.made(), f"behind: {flight.said}")


# The longest is the first.
TESTS = (forgets, window, no_writes, programs, signals, limit, unfinished, after, ended, short, error, locks, missed, fuse_triggers,
         fuse_server, hung_paths, busy, request_triggers, refused)

if __name__ == "__main__":
    without_others()
    with Live() as test:
        chosen = [one for one in (*TESTS, behind) if one.__name__ in sys.argv[1:]] or (*TESTS, behind)
        together(test, [one for one in chosen if one != behind])
        if behind in chosen:
            behind(test)
