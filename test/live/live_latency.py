#!/usr/bin/python3
"""iotrace latency and iotrace leaks live: against strace, the summary of the same archive, perf script of the same capture, fio, and a
program that leaks."""

import collections
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from live import CALMED, IOTRACE, Live, SOURCE, together, workload  # noqa: E402
from terminal import Terminal  # noqa: E402

FATES = ("ended", "cancelled", "died", "left", "open", "begun_again", "lost")


def told(live, verb, *options, status=0, **more):
    ran = live.run([IOTRACE, verb, f"--json={live.path('told.json')}", *options], **more)
    if not live.equal(f"{verb} {options}: exit status", ran.returncode, status):
        print((ran.stderr or b"").decode(errors="replace"))
    with open(live.path("told.json"), encoding="utf-8") as file:
        numbers = json.load(file)
    for span in numbers["books"]["spans"]:
        live.equal(f"{span}: balance", span["begun"], sum(span[fate] for fate in FATES))
    return numbers


def rows(numbers, span=None):
    return {row["group"]: (row["count"], row["min_ns"], row["max_ns"], row["sum_ns"]) for row in numbers["spans"]
            if span in (None, row["span"])}


def calls(live):
    """As many of each call as strace counts, and the same numbers from the archive and from the capture of one run."""
    command = ["dd", "if=/dev/zero", f"of={live.path('out')}", "bs=4k", "count=300"]
    live.run(["strace", "-f", "-c", "-o", live.path("strace"), *command])
    counted = {}
    with open(live.path("strace"), encoding="ascii") as file:
        for line in file:
            words = line.split()
            if len(words) in (5, 6) and words[3].isdigit():
                counted[words[-1]] = int(words[3])
    for options in ([], ["--syscalls=all"]):  # the kernel counts the default
        mine = rows(told(live, "latency", *options, f"--source={SOURCE}", "--", *command))
        for call in ("read", "write", "openat", "close"):
            live.equal(f"{options}: {call}: count", mine[call][0], counted[call])
    live.record(live.path("trace"), command, "-q", "--capture", live.path("capture"), f"--source={SOURCE}")
    archive, capture = (rows(told(live, "latency", live.path(name))) for name in ("trace", "capture"))
    live.equal("archive and capture", archive, capture)
    report = json.loads(live.run([IOTRACE, "report", "--json", live.path("trace")]).stdout)
    for name, of in (("read", ("read", "pread64")), ("write", ("write",))):
        live.equal(f"report: {name}", report["calls"][name]["calls"], sum(archive[call][0] for call in of if call in archive))


def script(live, capture, events):
    """perf script's lines of these events: [(ns, tid, event, {field: value})]."""
    ran = live.run(["perf", "script", "--ns", "-F", "comm,pid,tid,time,event,trace", "-i", capture])
    found = []
    for line in ran.stdout.decode(errors="replace").splitlines():
        match = re.match(r"\s*.*?\s+(-?\d+)/(-?\d+)\s+(\d+)\.(\d{9}):\s+([\w-]+:[\w-]+):\s*(.*)", line)
        if match and match.group(5) in events:
            found.append((int(match.group(3)) * 10**9 + int(match.group(4)), int(match.group(2)), match.group(5), match.group(6)))
    return sorted(found, key=lambda row: row[0])


def exact(live):
    """Counts, minima, maxima and sums as a calculation from perf script of the same capture gives them."""
    capture = live.path("perf.data")
    for _ in range(5):  # where perf came too late to a ring, its records are in no order that can be compared
        ran = live.run(["perf", "record", "-q", "-a", "-k", "mono", "-m", "4M", "-e", "sched:sched_wakeup,sched:sched_switch", "-o", capture,
                        "--", "sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.02; ls /usr/bin >/dev/null; done"])
        live.equal("perf record", ran.returncode, 0)
        counters = told(live, "latency", "--span", "sched", capture)["books"]["counters"]
        if not counters["late"] and not counters["lost"]:
            break
    woken, waits = {}, collections.defaultdict(list)
    for time, _, event, text in script(live, capture, ("sched:sched_wakeup", "sched:sched_switch")):
        if event == "sched:sched_wakeup":
            name, pid = re.match(r"(?:comm=)?(.*?)(?: pid=|:)(\d+) (?:prio=|\[)", text).groups()
            woken[int(pid)] = (time, name)
        else:
            pid = int(re.search(r"(?:next_pid=| ==> .*:)(\d+) (?:next_prio=|\[)", text).group(1))
            if pid in woken:
                begin, name = woken.pop(pid)
                waits[name].append(time - begin)
    expected = {name: (len(values), min(values), max(values), sum(values)) for name, values in waits.items()}
    live.check(sum(row[0] for row in expected.values()) > 20, "hardly any wakeups")
    live.equal("sched from perf.data", rows(told(live, "latency", "--span", "sched", capture)), expected)
    own = "mine: sched:sched_wakeup -> sched:sched_switch by pid/next_pid group comm"
    live.equal("a span of one's own", rows(told(live, "latency", "--span", own, capture)), expected)
    some = own.replace("sched_wakeup", 'sched_wakeup if comm == "sleep"', 1)
    live.equal("with a condition", rows(told(live, "latency", "--span", some, capture)),
               {name: row for name, row in expected.items() if name == "sleep"})


def tracepoints(live):
    """Spans of tracepoints of a command: only its own, though the events are those of the whole machine."""
    numbers = told(live, "latency", "--span", "sched", "--by", "process", "--", "sh", "-c", "sleep 0.1; sleep 0.1")
    live.check(numbers["books"]["spans"][0]["ended"] >= 2, f"two sleeps woke up: {numbers['books']['spans']}")
    own = "s: syscalls:sys_enter_nanosleep -> syscalls:sys_exit_nanosleep by tid"
    other = "s: syscalls:sys_enter_clock_nanosleep -> syscalls:sys_exit_clock_nanosleep by tid group which_clock"
    numbers = told(live, "latency", "--span", other, "--", "sleep", "0.2")
    live.equal("one sleep", [row["count"] for row in numbers["spans"]], [1])
    live.check(0.2e9 <= numbers["spans"][0]["min_ns"] < 1e9, f"0.2 seconds: {numbers['spans'][0]['min_ns']}")
    numbers = told(live, "latency", "--span", own, "--", "true")
    live.equal("no sleep", numbers["spans"], [])
    ran = live.run([IOTRACE, "latency", "--span", own.replace("nanosleep by", "nanosleeb by"), "--", "true"])
    live.equal("a wrong event", (ran.returncode, b"did you mean 'syscalls:sys_exit_nanosleep'?" in ran.stderr), (125, True))
    ran = live.run([IOTRACE, "latency", "--span", other.replace("which_clock", "which_clok"), "--", "true"])
    live.equal("a wrong field", (ran.returncode, b"did you mean 'which_clock'?" in ran.stderr), (125, True))


def block(live):
    """Requests of a loop device against fio's own latencies of completion."""
    image, device = live.path("image"), None
    if not shutil.which("fio"):
        live.lacks("fio")
        return
    with open(image, "wb") as file:
        file.truncate(32 << 20)
    try:
        device = live.run(["losetup", "--find", "--show", image]).stdout.decode().strip()
        if not device:
            live.lacks("a loop device")
            return
        command = ["fio", "--name=a", f"--filename={device}", "--rw=randwrite", "--bs=4k", "--size=4m", "--direct=1", "--ioengine=sync",
                   "--randrepeat=1", "--output-format=json", f"--output={live.path('fio')}"]
        numbers = told(live, "latency", "--span", "block", "--span", "block-service", "--by", "mode", "--device", os.path.basename(device),
                       f"--source={SOURCE}", "--", *command)
    finally:
        if device:
            live.run(["losetup", "-d", device])
    with open(live.path("fio"), encoding="utf-8") as file:
        text = file.read()
    clat = json.loads(text[text.index("{"):])["jobs"][0]["write"]
    mine = {row["span"]: row for row in numbers["spans"] if row["group"] == "write"}
    live.equal("requests", mine["block"]["count"], clat["total_ios"])
    live.check(mine["block"]["avg_ns"] <= clat["clat_ns"]["mean"], f"a request is a part of fio's latency: "
               f"{mine['block']['avg_ns']} and {clat['clat_ns']['mean']}")
    # Each span reads the clock itself, and an interrupt may come between the two. So a single request may have a longer service.
    live.check(mine["block-service"]["p50_ns"] <= mine["block"]["p50_ns"], f"the service is a part: {mine}")


LEAKER = """
import os, signal, socket, sys
socket.socket(socket.AF_UNIX).detach()
kept = [os.open(path, os.O_RDONLY) for path in ['/etc/passwd'] * 3 + ['/etc/hostname'] * 4]
for i in range(200):
    os.close(os.open('/etc/group', os.O_RDONLY))
os.waitpid(os.posix_spawn('/bin/true', ['true'], {}), 0)  # loses its copies of what is kept
if sys.argv[1] == 'kill':
    os.kill(os.getpid(), signal.SIGKILL)
"""


def leaks(live):
    """Seven of some hundred, from two files, and a socket; killed, they died."""
    command = ["/usr/bin/python3", "-S", "-c", LEAKER]
    numbers = told(live, "leaks", f"--source={SOURCE}", "--", *command, "exit", status=1)
    found = collections.Counter(leak["file"] for leak in numbers["leaks"] if leak["file"] in ("/etc/passwd", "/etc/hostname", "/etc/group"))
    live.equal("leaks", found, {"/etc/passwd": 3, "/etc/hostname": 4})
    live.equal("sockets", sum(leak["file"].startswith("socket:") for leak in numbers["leaks"]), 1)
    live.check(all(leak["process_ended"] for leak in numbers["leaks"]), "the process has ended")
    live.check(numbers["begun"] >= 207 and numbers["ended"] >= 200, f"begun and ended: {numbers['begun']}, {numbers['ended']}")
    if SOURCE == "bpf":
        numbers = told(live, "leaks", f"--source={SOURCE}", "--", *command, "kill", status=137)
        live.equal("leaks of a killed process", numbers["leaks"], [])
        live.check(numbers["died"] >= 8, f"died: {numbers['died']}")
    live.record(live.path("leaks"), [*command, "exit"], "-q", f"--source={SOURCE}")
    archive = told(live, "leaks", live.path("leaks"), status=1)
    again = collections.Counter(leak["file"] for leak in archive["leaks"])
    live.equal("leaks in an archive", {path: again[path] for path in found}, dict(found))
    none = live.run([IOTRACE, "leaks", f"--source={SOURCE}", "--", "cat", "/etc/hostname"])
    live.equal("no leaks", (none.returncode, b"fd: no leaks of" in none.stderr, b"sure: no event is missing" in none.stderr),
               (0, True, True))


def leaks_of_requests(live):
    """A request of io_uring opens a file, and another one closes a descriptor. Through perf nobody says which, and so the answer is not sure."""
    ran = live.run([IOTRACE, "leaks", f"--source={SOURCE}", f"--json={live.path('uring.json')}", "--", workload("uring"), live.dir,
                    "descriptors"])
    with open(live.path("uring.json"), encoding="utf-8") as file:
        found = collections.Counter(os.path.basename(leak["file"]) for leak in json.load(file)["leaks"])
    if SOURCE == "bpf":
        live.equal("leaks of requests", found, {"kept": 1, "anon_inode:[io_uring]": 1})
    said = b"sure: no event is missing" if SOURCE == "bpf" else b"not sure: requests of io_uring may have closed descriptors"
    live.check(said in ran.stderr, f"leaks of requests: {ran.stderr}")


def running(live):
    """A process that runs on: what is open is a leak once it is older than the limit."""
    with open(live.path("script"), "w", encoding="ascii") as file:
        file.write("import time\na = open('/etc/passwd')\ntime.sleep(1)\nb = open('/etc/hostname')\ntime.sleep(1)\n")
    ran = live.run([IOTRACE, "leaks", f"--source={SOURCE}", "--duration", "1.6", "--older-than", "1s", f"--json={live.path('now.json')}",
                    "--every", "500ms", "--", "/usr/bin/python3", "-S", live.path("script")])
    live.equal("status", ran.returncode, 1)
    with open(live.path("now.json"), encoding="utf-8") as file:
        files = [leak["file"] for leak in json.load(file)["leaks"]]
    live.check("/etc/passwd" in files, f"old: {files}")
    live.check("/etc/hostname" not in files, f"too young: {files}")


class Follower:
    """An iotrace whose reports are read while it records."""

    def __init__(self, *words, stream="stderr"):
        pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: subprocess.PIPE}
        self.process = subprocess.Popen([IOTRACE, *words], stdin=subprocess.PIPE, env=CALMED, text=True, **pipes)
        self.stream = getattr(self.process, stream)
        self.patience = threading.Timer(60, self.process.kill)
        self.patience.start()
        self.said = []

    def says(self, word, times=1):
        """Reads until `times` lines have had the word from now on. Returns whether they came."""
        for line in self.stream:
            self.said.append(line)
            times -= word in line
            if not times:
                return True
        return False

    def ends(self):
        """Returns all that it said."""
        self.said += self.stream.readlines()
        self.process.wait()
        self.patience.cancel()
        return "".join(self.said)


HOLDER = "sh -c 'exec 6</etc/hostname'; exec 5</etc/passwd; read line"


def looks(live):
    """While nothing happens, what is open gets older, and what ended with its process is not open."""
    run = Follower("leaks", f"--source={SOURCE}", "--every", "200ms", "--older-than", "300ms", "--", "sh", "-c", HOLDER)
    live.check(run.says("/etc/passwd"), f"an idle command's open file: {run.said}")
    live.check(run.says("after ", 2), f"more reports of an idle command: {run.said}")
    run.process.stdin.close()
    *parts, last = re.split("^after .* s:$", run.ends(), flags=re.MULTILINE)
    last, _, whole = last.partition("the whole recording:")
    for part in [*parts, last]:
        live.check("contradict" not in part and "sure" not in part and "iotrace was killed" not in part, f"judges too early: {part}")
        live.check("/etc/hostname" not in part, f"it is not open any more: {part}")
    live.check("no event is missing so far" in last and re.search(r"^fd: .* of .* begun ha(s|ve) been open for 300 ms or longer$", last, re.MULTILINE),
               f"what is open: {last}")
    live.check("/etc/hostname" in whole and "sure: no event is missing" in whole, f"at the end: {whole}")

    with subprocess.Popen(["sh", "-c", f"echo begun; read line; {HOLDER}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        live.equal("a process", holder.stdout.readline(), "begun\n")
        run = Follower("leaks", f"--source={SOURCE}", "--every", "200ms", "--older-than", "300ms", "-p", str(holder.pid), stream="stdout")
        live.check(run.says("after "), f"a report of an idle process: {run.said}")
        holder.stdin.write("go\n")
        holder.stdin.flush()
        live.check(run.says("/etc/passwd"), f"an idle process's open file: {run.said}")
        run.process.send_signal(signal.SIGINT)
        live.check("the whole recording:" in run.ends(), f"the end: {run.said}")
        holder.stdin.close()


def intervals(live):
    """Each part says of which time it is, has rates of that time, and with the others adds up to the whole."""
    run = Follower("latency", f"--source={SOURCE}", "--interval", "200ms", "--", "sh", "-c", "cat /etc/hostname; read line; cat /etc/passwd")
    live.check(run.says("from ", 3), f"parts of an idle command: {run.said}")
    run.process.stdin.close()
    _, *parts = re.split("^(from .* s|the whole recording):$", run.ends(), flags=re.MULTILINE)
    parts = list(zip(parts[::2], parts[1::2]))
    live.equal("the last of them", parts[-1][0], "the whole recording")
    counts, end = [], "0.000"
    for title, text in parts:
        row = re.search(r"^ *(\d+) +(\S+) .*  openat$", text, re.MULTILINE)
        counts.append(int(row.group(1)) if row else 0)
        if title != parts[-1][0]:
            begin, to = re.fullmatch(r"from (\S+) s to (\S+) s", title).groups()
            live.equal("where a part begins", begin, end)
            end = to
            lasted = float(to) - float(begin)
            if row and lasted > 0.1:  # a title has milliseconds
                rate = float(row.group(2).replace(",", ""))
                live.check(abs(rate * lasted / counts[-1] - 1) < 0.03, f"{title}: {row.group()}")
    live.equal("the parts and the whole", sum(counts[:-1]), counts[-1])
    live.check(sum(count > 0 for count in counts[:-1]) >= 2, f"openat, before and after the idle time: {counts}")

    run = Follower("latency", f"--source={SOURCE}", "--interval", "200ms", "-a", stream="stdout")
    live.check(run.says("from 0.000 s to "), f"the first part: {run.said}")
    run.process.send_signal(signal.SIGINT)
    parts = re.findall("^from .* s to (.*) s:$|^the whole recording:$", run.ends(), re.MULTILINE)
    live.check(len(parts) >= 3 and not parts[-1], f"the part after the last interval, and the whole: {parts}")


def lines(live):
    """A report begins at the begin of a line, and has no empty one before it."""
    live.record(live.path("lines"), ["cat", "/etc/hostname"], "-q", f"--source={SOURCE}")
    told_first = live.run([IOTRACE, "latency", live.path("lines")]).stdout.decode().split("\n", 1)[0]
    live.check("count" in told_first, f"the first line: {told_first!r}")
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as idle:
        for words in (["latency"], ["leaks"], ["-o", live.path("interrupted")]):
            terminal = Terminal(80, [IOTRACE, *words, f"--source={SOURCE}", "-p", str(idle.pid)])
            live.check(terminal.shows(b"Ctrl-C"), f"{words}: it does not begin")
            terminal.types(b"\x03")
            terminal.ends()
            after = terminal.lines().partition("^C")[2].replace("\r", "")
            live.check(after.startswith("\n"), f"{words}: behind ^C: {after[:60]!r}")
        idle.stdin.close()


TESTS = (running, looks, lines, tracepoints, exact, intervals, leaks, leaks_of_requests, calls, block)

with Live() as all_tests:
    together(all_tests, [one for one in TESTS if one.__name__ in sys.argv[1:]] or TESTS)
