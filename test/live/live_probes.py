#!/usr/bin/python3
"""Spans of probes live: functions and static probes of a program that says how often it called them, and a sentence for each program
that cannot be probed."""

import json
import os
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from live import BIN, CALMED, IOTRACE, SOURCE, Live, workload  # noqa: E402

KEYS = workload("keys")
FUNCTIONS = f"keys: uprobe:{KEYS}:keys_take%return -> uprobe:{KEYS}:keys_give by pid,retval:x64/arg2:x64"
MARKERS = f"keys: usdt:{KEYS}:keys:take -> usdt:{KEYS}:keys:give by pid,arg1"
FATES = ("ended", "cancelled", "died", "left", "open", "begun_again", "lost")


def told(live, verb, span, *command, status=0, options=()):
    """Returns the numbers, and what the program said."""
    ran = live.run([IOTRACE, verb, "--span", span, f"--json={live.path('told.json')}", *options, *command])
    if not live.equal(f"{span}: exit status", ran.returncode, status):
        print(ran.stderr.decode(errors="replace"))
    with open(live.path("told.json"), encoding="utf-8") as file:
        numbers = json.load(file)
    return numbers, ran.stdout.decode()


def refused(live, span, *sentences, options=(), command=("true",)):
    ran = live.run([IOTRACE, "latency", "--span", span, *options, *command])
    said = ran.stderr.decode(errors="replace")
    live.equal(f"{span}: refused", ran.returncode, 125)
    for sentence in sentences:
        live.check(sentence in said, f"{span}: {sentence!r} is not in {said!r}")


def book_of(numbers):
    return {fate: count for fate, count in numbers["books"]["spans"][0].items() if fate in ("begun", *FATES) and count}


def probes(live):
    """The kernel's probes of iotrace: a list of lines of uprobe_events. It may be mounted nowhere."""
    place = live.path("tracefs")
    os.makedirs(place, exist_ok=True)
    ran = live.run(["unshare", "-m", "sh", "-c", 'mount -t tracefs none "$0" && cat "$0/uprobe_events"', place])
    return [line for line in ran.stdout.decode().splitlines() if ":iotrace_" in line]


def functions(live):
    numbers, said = told(live, "leaks", f"{FUNCTIONS} group +4(arg1):u32 as fuse_opcode size arg2", "--", KEYS, status=1)
    live.check("taken 1000" in said, said)
    live.equal("functions", book_of(numbers), {"begun": 1000, "ended": 993, "left": 7})
    live.equal("leaks by opcode", [leak["group"] for leak in numbers["leaks"]], ["OPEN(14)"] * 7)
    live.check(all(leak["key"].startswith(f"pid={leak['pid']} retval:x64=0x") for leak in numbers["leaks"]), "keys of leaks")
    numbers, _ = told(live, "latency", f"{FUNCTIONS} group +0(arg1):u32 size arg2", "--", KEYS)
    rows = {row["group"]: (row["count"], row["bytes"]) for row in numbers["spans"]}
    sizes = [sum(range(first, 993, 2)) for first in (0, 1)]
    live.equal("by box", rows, {"1": (497, sizes[0]), "2": (496, sizes[1])})
    numbers, _ = told(live, "latency", FUNCTIONS.replace("%return", "%return if arg2 >= 100 && arg2 < 200", 1), "--", KEYS)
    live.equal("with a condition of the entry", book_of(numbers), {"begun": 100, "ended": 100})


def markers(live):
    """They are switched on while they are probed. A key has the box behind it, and that its name."""
    numbers, said = told(live, "latency", f"{MARKERS} group +0(+8(+0(arg1))):string", "--", KEYS)
    live.equal("switched on", "switched_on 1000" in said, True)
    live.equal("markers", book_of(numbers), {"begun": 1000, "ended": 993, "left": 7})
    live.equal("names", {row["group"]: row["count"] for row in numbers["spans"]}, {"first": 497, "second": 496})
    numbers, _ = told(live, "latency", f"{MARKERS} group arg2", "--", KEYS, "quiet", "3")
    live.equal("a signed number of 4 bytes", sorted(row["group"] for row in numbers["spans"]), ["0", "1", "2"])
    live.equal("switched off", "switched_on 0" in live.run([KEYS]).stdout.decode(), True)


def cancel(live):
    """What was open when a cancel came is no leak; that of another box is none of it."""
    begin = f"keys: uprobe:{KEYS}:keys_take%return -> uprobe:{KEYS}:keys_give by pid,arg1/+0(arg2),retval/arg2"
    numbers, _ = told(live, "leaks", f"{begin} cancel uprobe:{KEYS}:keys_reset by pid,arg1", "--", KEYS, "reset")
    live.equal("cancelled", book_of(numbers), {"begun": 1000, "ended": 993, "cancelled": 7})
    live.equal("cancelled: leaks", numbers["leaks"], [])
    numbers, _ = told(live, "leaks", f"{begin} cancel uprobe:{KEYS}:keys_reset if +0(arg1):u32 == 2 by pid,arg1", "--", KEYS, "reset",
                      status=1)
    live.equal("another box", book_of(numbers), {"begun": 1000, "ended": 993, "left": 7})


def wrong(live):
    """A sentence for each mistake, with the nearest name."""
    refused(live, FUNCTIONS.replace("keys_take", "keys_tale"), "there is no function 'keys_tale'; did you mean 'keys_take'?")
    refused(live, MARKERS.replace("keys:take", "keys:tale"), "there is no static probe 'keys:tale'; did you mean 'keys:take'?")
    refused(live, FUNCTIONS.replace("usdt", "uprobe").replace("arg2:x64", "arg7:x64"), "only the first 6 arguments")
    refused(live, MARKERS.replace("arg1", "arg3"), "has no arg3; its arguments are: ")
    refused(live, FUNCTIONS.replace("arg2:x64", "retval:x64"), "'retval:x64' is known only when the function returns", "keys_give%return")
    refused(live, FUNCTIONS.replace("arg2:x64", "bytes"), "'bytes' is not a field of a probe")
    refused(live, FUNCTIONS.replace(KEYS, "/nonexistent/program"), "there is no file /nonexistent/program")
    refused(live, FUNCTIONS.replace(KEYS, "nonexistent-program"), "there is no program 'nonexistent-program' in PATH")
    refused(live, FUNCTIONS.replace(KEYS, "/etc/passwd"), "/etc/passwd: it is no program and no library")
    small = os.path.join(BIN, "workload_32")
    if os.path.exists(small):
        refused(live, FUNCTIONS.replace(KEYS, small), "it is a 32-bit program; only 64-bit programs can be probed")
    refused(live, FUNCTIONS, "its probes are made while programs run", command=[recorded(live) + ".data"])
    ran = live.run([IOTRACE, "latency", "--span", FUNCTIONS, recorded(live)])
    live.check(ran.returncode == 0 and b"the archive has no such spans" in ran.stdout, f"an archive without them: {ran}")


def recorded(live):
    if not os.path.exists(live.path("trace")):
        live.record(live.path("trace"), ["true"], "-q", "--capture", live.path("trace.data"))
    return live.path("trace")


def stripped(live):
    """Without names: a sentence, and addresses; the exported names of a library stay."""
    bare = live.path("a program", "bare")
    os.makedirs(os.path.dirname(bare))
    live.run(["strip", "-s", "-o", bare, KEYS])
    quoted = FUNCTIONS.replace(f"uprobe:{KEYS}:keys_take%return", f'"uprobe:{bare}:keys_take%return"')
    quoted = quoted.replace(f"uprobe:{KEYS}:keys_give", f'"uprobe:{bare}:keys_give"')
    refused(live, quoted, "It is stripped: install its debug information, or give the address")
    named = live.run(["nm", KEYS]).stdout.decode().split("\n")
    address = {line.split()[2]: int(line.split()[0], 16) for line in named if len(line.split()) == 3}
    for name in ("keys_take", "keys_give"):
        quoted = quoted.replace(f":{name}", f":{address[name]:#x}")
    numbers, _ = told(live, "leaks", quoted, "--", bare, status=1)
    live.equal("by address", book_of(numbers), {"begun": 1000, "ended": 993, "left": 7})


def in_a_file(live):
    """Definitions in a file: all of them, or those that are named."""
    path = live.path("spans")
    with open(path, "w", encoding="ascii") as file:
        file.write(f"# Keys.\n\n\t{FUNCTIONS.replace('keys:', 'functions:', 1)}\n{MARKERS.replace('keys:', 'markers:', 1)}  \n")
    numbers, _ = told(live, "latency", "markers", "--", KEYS, options=("--spans", path))
    live.equal("one of a file", [(span["span"], span["ended"]) for span in numbers["books"]["spans"]], [("markers", 993)])
    found = live.path("all.json")
    live.run([IOTRACE, "latency", "--spans", path, f"--json={found}", "--", KEYS])
    with open(found, encoding="utf-8") as file:
        spans = json.load(file)["books"]["spans"]
    live.equal("all of a file", [(span["span"], span["ended"]) for span in spans], [("functions", 993), ("markers", 993)])
    with open(path, "a", encoding="ascii") as file:
        file.write("broken: a:b\n")
    ran = live.run([IOTRACE, "latency", "--spans", path, "--", KEYS])
    live.equal("a wrong line", (ran.returncode, f"{path}:5: span 'broken': " in ran.stderr.decode()), (125, True))
    ran = live.run([IOTRACE, "latency", "--spans", live.path("nowhere"), "--", KEYS])
    live.equal("no such file", (ran.returncode, b"--spans: cannot open " in ran.stderr), (125, True))


def places(live):
    """Where the program says that it loses keys: {(function, line): keys}."""
    with open(os.path.join(HERE, "workload_keys.c"), encoding="ascii") as file:
        for number, line in enumerate(file, 1):
            words = line.partition("/* leak ")[2].split()
            if words:
                yield (words[0], number), int(words[1])


def stacks(live):
    """The seven keys that leak, by the three places where they were taken, with function and line; one of them is inlined."""
    expected = dict(places(live))
    live.equal("places in the source", (len(expected), sum(expected.values())), (3, 7))
    for span, first in ((FUNCTIONS, 0), (MARKERS.replace("arg1", "arg1:x64"), 1)):
        numbers, _ = told(live, "leaks", span, "--", KEYS, status=1, options=("--stacks",))
        found = {}
        for leak in numbers["leaks"]:
            place = leak["stack"][first]
            live.equal(f"{span}: source", os.path.basename(place["source"]), "workload_keys.c")
            live.equal(f"{span}: inlined", place["inline"], place["function"] == "lose_inline")
            live.check(any(frame["function"] == "main" for frame in leak["stack"]), f"{span}: main is not in {leak['stack']}")
            key = place["function"], place["line"]
            found[key] = found.get(key, 0) + 1
        live.equal(f"{span}: leaks by place", found, expected)
    said = live.run([IOTRACE, "leaks", "--stacks", "--span", FUNCTIONS, "--", KEYS]).stderr.decode()
    rows = [line.split()[0] for line in said.splitlines() if line.split()[2:4] and line.split()[3:4] == ["keys"]]
    live.equal("groups", rows, ["3", "2", "2"])
    live.equal("functions in the text", [said.count(f"          {name} at ") for name in ("lose_some", "lose_inline", "lose_more")], [1] * 3)
    ran = live.run([IOTRACE, "leaks", "--stacks", "--span", "fault", "--", "true"])
    live.equal("spans without stacks", (ran.returncode, b"span 'fault' is made of have no stacks" in ran.stderr), (125, True))
    ran = live.run([IOTRACE, "leaks", "--stacks", "--span", "block", "--span", "block-queue", "--", "true"])
    live.equal("spans of requests", (ran.returncode, b"block: no leaks" in ran.stdout + ran.stderr), (0, True))


def stacks_of_calls(live):
    """The same places, where each key is an open file. The stack is that of the call that opened it."""
    expected = dict(places(live))
    for source in ("bpf", "perf") if SOURCE == "bpf" else ("perf",):
        numbers, _ = told(live, "leaks", "fd", "--", KEYS, "files", status=1, options=("--stacks", f"--source={source}"))
        found = {}
        for leak in numbers["leaks"]:
            place = next((f for f in leak["stack"] if f["function"] and f["function"].startswith("lose_")), None)
            live.check(place, f"{source}: {leak['stack']}")
            live.equal(f"{source}: kernel", [f for f in leak["stack"] if f["file"] == "[kernel]"], [])
            key = (place["function"], place["line"]) if place else None
            found[key] = found.get(key, 0) + 1
        live.equal(f"{source}: files by place", found, expected)


def stacks_of_perf(live):
    """The same from files of perf record -g, with the tracepoints of all calls or of each."""
    if not shutil.which("perf"):
        live.lacks("perf")
        return
    of_each = ",".join(f"syscalls:sys_{side}_{call}" for call in ("openat", "close") for side in ("enter", "exit"))
    for events in ("raw_syscalls:sys_enter,raw_syscalls:sys_exit", of_each):
        capture, found = live.path("perf.data"), live.path("perf.json")
        live.run(["perf", "record", "-q", "-m", "8M", "-g", "-o", capture, "-e", events, "--", KEYS, "files"])
        ran = live.run([IOTRACE, "leaks", "--span", "fd", "--stacks", f"--json={found}", capture])
        live.equal(f"{events}: status", ran.returncode, 1)
        with open(found, encoding="utf-8") as file:
            leaks = json.load(file)["leaks"]
        names = [next((f["function"] for f in leak["stack"] or () if (f["function"] or "").startswith("lose_")), None) for leak in leaks]
        live.equal(events, {name: names.count(name) for name in names}, {"lose_some": 3, "lose_inline": 2, "lose_more": 2})


def kernel_stacks(live):
    """Tracepoints in the kernel have its functions, too, and then those of the program."""
    span = "w: sched:sched_wakeup_new -> sched:sched_migrate_task if dest_cpu == 99999 by tid"
    numbers, _ = told(live, "leaks", span, "--", "sh", "-c", "true & wait", status=1, options=("--stacks",))
    live.check(numbers["leaks"], "no process was made")
    for leak in numbers["leaks"]:
        kernel = [frame["function"] for frame in leak["stack"] if frame["file"] == "[kernel]"]
        live.check(any(name and "clone" in name for name in kernel), f"kernel: {leak['stack']}")


class Waiting:
    """The program, which waits before it begins."""

    def __init__(self, *argv):
        self.run = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=CALMED)
        while self.run.stdout.readline() != b"waiting\n":
            if self.run.poll() is not None:
                raise RuntimeError(f"{argv} ended with {self.run.returncode}")

    def go(self):
        self.run.communicate(b"go\n")


def attach(live, name, span, waiting, *options):
    """Returns a recorder that records."""
    ready, its_end = os.pipe()
    recorder = subprocess.Popen([IOTRACE, "leaks", "--span", span, "-p", str(waiting.run.pid), "--ready-fd", str(its_end), *options],
                                pass_fds=(its_end,), env=CALMED, cwd=live.dir, stderr=subprocess.PIPE,
                                stdout=subprocess.DEVNULL)
    os.close(its_end)
    with open(ready, "rb") as file:
        live.equal(f"{name}: recording", file.read(), b"ready\n")
    return recorder


def attached(live, name, span, waiting):
    """Probes of a process that runs already: what it has mapped is known, too."""
    found = live.path(f"{name}.json")
    recorder = attach(live, name, span, waiting, f"--json={found}", "--stacks")
    waiting.go()
    said = recorder.communicate()[1]
    if live.equal(f"{name}: status", recorder.returncode, 1):
        with open(found, encoding="utf-8") as file:
            numbers = json.load(file)
        live.equal(name, book_of(numbers), {"begun": 1000, "ended": 993, "left": 7})
        found = {leak["stack"][0]["function"] for leak in numbers["leaks"]}
        live.equal(f"{name}: functions", found, {"lose_some", "lose_inline", "lose_more"})
    else:
        print(said.decode(errors="replace"))


def running(live):
    """Processes that run already: by the path that they see, in a mount namespace of their own; one whose file was replaced."""
    attached(live, "a process", FUNCTIONS, Waiting(KEYS, "wait"))
    place = live.made("inside")
    inside = f'mount -t tmpfs none "$1" && cp "$0" "$1/program" && exec "$1/program" wait'
    span = FUNCTIONS.replace(KEYS, f"{place}/program")
    attached(live, "another namespace", span, Waiting("unshare", "-m", "sh", "-c", inside, KEYS, place))
    refused(live, span, f"there is no file {place}/program")
    copy = live.path("copy")
    shutil.copy(KEYS, copy)
    waiting = Waiting(copy, "wait")
    os.unlink(copy)
    shutil.copy(KEYS, copy)
    span = FUNCTIONS.replace(KEYS, copy)
    pid = str(waiting.run.pid)
    refused(live, span, f"{copy} was replaced: process {pid} runs the file that it was before", f"/proc/{pid}/exe", options=("-p", pid),
            command=())
    attached(live, "a replaced file", FUNCTIONS.replace(KEYS, f"/proc/{pid}/exe"), waiting)


def other_file(live):
    """The command runs another program than the one that is probed."""
    ran = live.run([IOTRACE, "latency", "--span", FUNCTIONS, "--", "true"])
    live.equal("never hit", (ran.returncode, b"span 'keys': none of its probes was hit" in ran.stderr), (0, True))


def remains(live):
    """No probe stays, also not of a recorder that was killed, once another one has run."""
    live.equal("probes of ended recorders", [line for line in probes(live) if not is_alive(line)], [])
    waiting = Waiting(KEYS, "wait")
    recorder = attach(live, "killed", FUNCTIONS, waiting)
    recorder.kill()
    recorder.communicate()
    mine = [line for line in probes(live) if f":iotrace_{recorder.pid}/" in line]
    live.equal("probes of a killed recorder", len(mine), 2)
    waiting.go()
    live.equal("the program goes on", waiting.run.returncode, 0)
    told(live, "latency", FUNCTIONS, "--", KEYS)
    live.equal("probes after the next", [line for line in probes(live) if f":iotrace_{recorder.pid}/" in line], [])


def is_alive(line):
    return os.path.exists(f"/proc/{line.split(':iotrace_')[1].split('/')[0]}")


def rights(live):
    """What a user without rights is told, and what `iotrace check` says."""
    said = live.run([IOTRACE, "check"]).stdout.decode()
    live.check(any(line.split()[:2] == ["ok", "uprobes"] for line in said.splitlines()), f"check: {said}")
    where = live.path("iotrace")
    shutil.copy(IOTRACE, where)
    os.chmod(live.dir, 0o755)
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    said = live.run([*user, where, "check"], cwd="/").stdout.decode()
    live.check(any(line.split()[:2] == ["limited", "uprobes"] for line in said.splitlines()), f"check of a user: {said}")


with Live() as test:
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    for each in (functions, markers, cancel, wrong, stacks, stacks_of_calls, stacks_of_perf, kernel_stacks, in_a_file, stripped, running, other_file, remains, rights):
        each(test)
