#!/usr/bin/python3
"""-a: known calls of two users, begun before the recording and in it, are in the archive, each of them and once; iotrace
is not. And what the choices leave: by user, command, control group, path, device; events of -e; how it ends."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
import block  # noqa: E402
from archive import Archive  # noqa: E402
from groups import CGROUP2, hierarchy  # noqa: E402
from live import CALMED, IOTRACE, SOURCE, Live, wait_until, workload  # noqa: E402
from otf2 import events  # noqa: E402

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

# Has a file open, waits for a line, writes so many times.
BEFORE = """
import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
os.lseek(fd, 1000, os.SEEK_SET)
print("ready", flush=True)
os.read(0, 1)
for i in range(int(sys.argv[2])):
    os.write(fd, b"0123456789")
print("done", flush=True)
os.read(0, 1)
"""


class Bystander:
    """A process that runs before the recording and after it."""

    def __init__(self, file, writes):
        self.process = subprocess.Popen(["/usr/bin/python3", "-c", BEFORE, file, str(writes)], env=CALMED,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.pid = self.process.pid
        self.process.stdout.readline()

    def go(self):
        os.write(self.process.stdin.fileno(), b"x")
        self.process.stdout.readline()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def record_while(live, directory, options, act, quiet="-q"):
    """Records the machine until an interrupt, and acts meanwhile. Returns iotrace's pid."""
    said = open(live.path("said"), "wb+")
    recorder = live.start("-a", quiet, "-o", directory, *options, stderr=said)
    act()
    recorder.send_signal(signal.SIGINT)
    status = recorder.wait(120)
    said.seek(0)
    words = said.read().decode()
    said.close()
    if not live.equal(f"{options}: status after an interrupt", status, 0):
        print(words)
    return recorder.pid, words


def examine(live, directory):
    about = live.examine(directory, lossless=False)
    live.equal(f"{directory}: lost", about["books"]["counters"]["lost"], 0)
    return about


def sums(archive, path, word):
    return sum(p.whole().files[path][word] for p in archive.groups.values())


def dd(data, count, *wrapper):
    subprocess.run([*wrapper, "dd", f"if={data}", "of=/dev/null", "bs=1", f"count={count}", "status=none"], check=True)


def test_all(live, data):
    held = live.path("held")
    bystander = Bystander(held, 100)

    def act():
        bystander.go()
        dd(data, 50, *NOBODY)
        dd(data, 70)

    directory = live.path("all")
    own, _ = record_while(live, directory, ["--no-block"], act)
    bystander.end()
    about = examine(live, directory)
    archive = Archive(directory)
    processes = archive.processes()
    live.check(own not in processes, "iotrace recorded itself")
    live.check(bystander.pid in processes, "what ran before is not there")
    if bystander.pid in processes:
        seen = processes[bystander.pid].whole().files[held]
        live.equal("before: writes", (seen["writes"], seen["written_bytes"]), (100, 1000))
        live.equal("before: offsets", seen["offset_total"], sum(1000 + 10 * i for i in range(100)))
        live.check((held, True) in archive.handles, "before: its file was not known to be open")
    live.equal("in it: reads", sorted(p.whole().files[data]["reads"] for p in processes.values()
                                      if p.whole().files[data]["reads"]), [50, 70])
    live.equal("devices in spite of --no-block", [e["name"] for e in about["events"] if e["name"].startswith("block:")], [])


class Forks:
    """Many short programs of root, before a recording begins and while it goes on: none of them is chosen.

    With a pause there are fewer, for a filter that is applied so late that each of them takes a location: beyond 448 threads, several
    share one.
    """

    def __init__(self, pause=None):
        self.round = "cat /dev/null; (cat /dev/null)" + (f"; sleep {pause}" if pause else "")

    def __enter__(self):
        self.shell = subprocess.Popen(["sh", "-c", f"while :; do {self.round}; done"])

    def __exit__(self, *_):
        self.shell.kill()
        self.shell.wait()


def test_choices(live, data):
    left = live.path("left")
    with open(left, "wb") as file:
        file.write(bytes(100))
    cases = {
        # BPF looks at the user in each call, perf's recorder when a program has begun.
        "uid": (["--uid", "nobody"], [30, 50] if SOURCE == "bpf" else [50]),
        "comm": (["--comm", "d[a-d]"], [50, 70]),
        "none": (["--comm", "no-such-*"], []),
        "path": (["--path", data], [50, 70]),
        "exclude": (["--exclude-path", live.path("*")], []),
    }
    for name, (options, expected) in cases.items():
        directory = live.path(name)

        def act():
            if expected == [30, 50]:
                dd(data, 30, *NOBODY)
            time.sleep(1.5 if name == "uid" else 0)  # a recorder without work looks less often, but not for users
            # A program of another user is known for that when it has begun.
            subprocess.run([*NOBODY, "sh", "-c", f"sleep 0.3; dd if={data} of=/dev/null bs=1 count=50 status=none; :"],
                           check=True)
            dd(data, 70)
            # Opened, moved and made current by a shell.
            subprocess.run(["sh", "-c", 'exec 3<"$1"; cd /; dd of=/dev/null bs=1 count=9 status=none <&3', "sh", left],
                           check=True)

        with Forks(0.05 if name == "path" else None):
            record_while(live, directory, ["--no-block", *options], act)
        live.equal(f"{options}: source", examine(live, directory)["source"], SOURCE)
        archive = Archive(directory)
        live.equal(f"{options}: reads", sorted(p.whole().files[data]["reads"] for p in archive.groups.values()
                                               if p.whole().files[data]["reads"]), expected)
        names = {p.name for p in archive.groups.values() if p.pid is not None}
        live.check(name == "exclude" or "cat" not in names, f"{options}: processes {names}")
        if name == "path":
            live.equal(f"{options}: files of handles", {file for file, _ in archive.handles}, {data})
            threads = [location.split()[2:] for location in archive.locations if location.startswith("thread ")]
            live.equal(f"{options}: threads", threads, [["dd"], ["dd"]])
        if name == "comm":
            live.equal(f"{options}: what another left to it", [p.whole().files[left]["reads"] for p in archive.groups.values()
                                                               if p.whole().files[left]["reads"]], [9])
            live.equal(f"{options}: processes", names, {"dd"})


def test_cgroup(live, data):
    """perf cannot record by the first version, which a machine need not have any more."""
    with hierarchy(live, CGROUP2) as (_, place):
        choose_group(live, data, CGROUP2, place, False)
    with hierarchy(live, "pids") as (kind, place):
        if kind:
            choose_group(live, data, kind, place, True)


def is_in(group, pid):
    with open(f"{group}/cgroup.procs", encoding="ascii") as file:
        return str(pid) in file.read().split()


def choose_group(live, data, kind, place, remark):
    name = f"iotrace-live-{os.getpid()}"
    group = f"{place}/{name}"
    os.mkdir(group)
    inside = subprocess.Popen(["sh", "-c", f"echo $$ >{group}/cgroup.procs; read go; "
                               f"dd if={data} of=/dev/null bs=1 count=30 status=none; echo done; read end"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    live.check(wait_until(lambda: is_in(group, inside.pid)), f"{kind}: it does not enter its group")

    def act():
        os.write(inside.stdin.fileno(), b"go\n")
        dd(data, 70)
        live.equal(f"{kind}: what the one in the group says", inside.stdout.readline(), b"done\n")

    try:
        directory = live.path(kind)
        _, said = record_while(live, directory,
                               ["--no-block", "--cgroup", name if kind == CGROUP2 else group], act)
        live.equal(f"{kind}: source", examine(live, directory)["source"], SOURCE)
        live.equal(f"{kind}: reads", sums(Archive(directory), data, "reads"), 30)
        ran = live.run([IOTRACE, "-a", "--no-block", "-o", live.path(kind + "-said"), "--cgroup", group,
                        "--duration", "0.2", "--summary", "none"])
        live.equal(f"{kind}: a remark", b"cannot filter by this hierarchy" in ran.stderr, remark)
        live.check(said == "", f"{kind}: -q, and yet {said!r}")
    finally:
        inside.communicate(b"end\n")
        for _ in range(50):
            try:
                os.rmdir(group)
                break
            except OSError:
                time.sleep(0.1)


def test_command(live, data):
    """A command ends it, and its status is handed on."""
    directory = live.path("command")
    live.record(directory, ["sh", "-c", f"dd if={data} of=/dev/null bs=1 count=40 status=none; exit 7"], "-a", "-q",
                "--no-block", status=7)
    about = examine(live, directory)
    live.equal("the command's words", about["command"]["argv"][:2], ["sh", "-c"])
    live.equal("the command's reads", sums(Archive(directory), data, "reads"), 40)


def test_duration(live):
    begun = time.monotonic()
    live.record(live.path("duration"), [], "-a", "-q", "--no-block", "--duration", "1")
    took = time.monotonic() - begun
    about = examine(live, live.path("duration"))
    live.check(took >= 1, f"--duration 1: {took} s")
    live.check(10**9 <= about["duration_ns"] < 10**10, f"--duration 1: {about['duration_ns']} ns in the archive")


def test_device(live):
    """Only the disk that is named; what its counters say is there, but for what the kernel delivers no sample of."""
    directory, name = live.path("device"), block.disk_of(live.dir)
    if not name:
        live.lacks("a disk under the test's folder")
        return
    live.record(directory, ["dd", "if=/dev/zero", f"of={live.path('out')}", "bs=64k", "count=16", "oflag=direct",
                            "conv=fsync", "status=none"], "-a", "-q", "--device", name)
    about = examine(live, directory)
    # Through BPF all ends are seen; through perf, what was issued.
    ended = [device["write"]["requests"] for device in about["devices"] if device["name"] == name]
    issued = [e["samples"] for e in about["events"] if e["name"] == "block:block_rq_issue"]
    live.check(sum(issued or ended) >= 16, f"--device {name}: {issued}, {ended}")
    devices = [p.name for p in Archive(directory).groups.values() if p.pid is None]
    disks = [device.split()[-1] for device in devices if os.path.exists(f"/sys/block/{device.split()[-1]}")]
    live.equal(f"--device {name}", disks, [name])


class Parameters:
    def __init__(self):
        self.values = []
        self.metrics = []

    def on_event(self, process, location, event):
        if isinstance(event, events.ParameterString):
            self.values.append((event.parameter.name, event.string))
        elif isinstance(event, events.Metric):
            self.metrics.extend(member.name for member in event.metric.members)


def test_events(live):
    for mode in ([], ["-a", "--no-block"]):
        directory = live.path("events" + str(len(mode)))
        live.record(directory, ["sh", "-c", "dd if=/dev/null of=/dev/null status=none; env true; :"], "-q", *mode,
                    "-e", "sched:sched_process_exec=filename,pid")
        about = examine(live, directory)
        seen = Parameters()
        Archive(directory, seen.on_event)
        names = [os.path.basename(value) for name, value in seen.values if name == "sched:sched_process_exec:filename"]
        for program in ("dd", "env", "true"):
            live.check(names.count(program) >= 1 if mode else names.count(program) == 1, f"-e {mode}: {program} in {names}")
        live.equal(f"-e {mode}: metrics", set(seen.metrics) - {"dirty", "writeback", "some", "full"} >= {"pid"}, True)
        counted = [e for e in about["events"] if "sched_process_exec" in e["name"]]
        live.equal(f"-e {mode}: samples", [e["samples"] for e in counted], [len(names)])


ASKS = "import os, select\nselect.select([], [], [], 1)\nfor i in range({}):\n    os.getppid()"


def test_user_events(live):
    """Events of -e and spans do not say of which user they are. Those of others are not in the archive."""
    span = "asked: syscalls:sys_enter_getppid -> syscalls:sys_exit_getppid by tid"

    def act():
        time.sleep(1)
        both = [subprocess.Popen([*user, "/usr/bin/python3", "-S", "-c", ASKS.format(n)]) for user, n in ((NOBODY, 5), ([], 7))]
        for one in both:
            one.wait()

    for what, options in (("events", ["-e", "syscalls:sys_enter_getppid"]), ("spans", ["--span", span])):
        directory = live.path(f"{what} of nobody")
        _, said = record_while(live, directory, ["--no-block", "--uid", "nobody", *options], act, quiet="--no-defaults")
        live.equal(f"{what}: who can look up users", examine(live, directory)["source"], "perf")
        if what == "events":
            text = live.run([IOTRACE, "convert", "--format", "text", directory, "-o", "-"]).stdout.decode()
            series = re.search(r'^series (s\d+) "syscalls:sys_enter_getppid"', text, re.MULTILINE)[1]
            live.equal("events in the archive", len(re.findall(rf"@.* METRIC {series} ", text)), 5)
            live.check(re.search(r"\d+ of syscalls:sys_enter_getppid, of all users\. Only those of 'nobody' are in the output", " ".join(said.split())), said)
        else:
            ran = live.run([IOTRACE, "latency", "--json", "--span", "asked", directory])
            live.equal("spans in the archive", [row["count"] for row in json.loads(ran.stdout)["spans"]], [5])
        ran = live.run([IOTRACE, "record", "--source=bpf", "-a", "--duration=1", "--uid", "nobody", *options, "-o", live.path("refused")])
        live.equal(f"{what}: with BPF", (ran.returncode, b"--source=bpf cannot be combined with" in ran.stderr), (125, True))


def test_crowd(live):
    """10,000 processes that live for a moment: nothing of them is missing, and the archive is one that can be read."""
    directory, path = live.path("crowd"), live.path("three")
    with open(path, "wb") as file:
        file.write(b"abc")
    live.record(directory, [workload("forks"), "10000", path], "-a", "-q", "--no-block", timeout=250)
    begun = resource.getrusage(resource.RUSAGE_CHILDREN)
    about = examine(live, directory)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = ended.ru_utime - begun.ru_utime + ended.ru_stime - begun.ru_stime
    live.check(took < 30, f"10,000 processes: all readers together took {took:.0f} s")
    live.check(about["trace"]["processes_seen"] >= 10000, f"processes seen: {about['trace']['processes_seen']}")
    live.equal("10,000 processes: reads", sums(Archive(directory), path, "reads"), 10000)


def ticks_of_init():
    with open("/proc/1/stat") as file:
        user, kernel = file.read().rpartition(")")[2].split()[11:13]
    return int(user) + int(kernel)


def keep_init_busy():
    """Leaves processes to process 1, which waits for them, until it has used CPU time."""
    before, most = ticks_of_init(), time.monotonic() + 30
    while ticks_of_init() < before + 2 and time.monotonic() < most:
        subprocess.run(["sh", "-c", "for i in $(seq 500); do (true &); done"], check=True)


def test_init(live):
    """Some kernels run no BPF program in process 1: then its calls are missing, and that is said."""
    directory, summary = live.path("init"), live.path("init.json")
    options = [f"--summary=json:{summary}", "--top=10000"]
    record_while(live, directory, options, keep_init_busy, quiet="--no-block")
    with open(summary) as file:
        about = json.load(file)
    is_seen = any(process["pid"] == 1 for process in about["processes"]["rows"])
    is_said = any("process 1 " in note for note in about["remarks"])
    live.check(SOURCE == "perf" or is_seen != is_said, f"process 1: seen {is_seen}, said to be missing {is_said}")


def main():
    with Live() as live:
        os.chmod(live.dir, 0o755)
        data = live.path("data")
        with open(data, "wb") as file:
            file.write(b"d" * 4096)
        os.chmod(data, 0o644)
        test_all(live, data)
        test_choices(live, data)
        test_cgroup(live, data)
        test_command(live, data)
        test_duration(live)
        test_device(live)
        test_events(live)
        test_user_events(live)
        test_crowd(live)
        test_init(live)


if __name__ == "__main__":
    main()
