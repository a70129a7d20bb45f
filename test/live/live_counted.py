#!/usr/bin/python3
"""Spans that are counted in the kernel: two recorders follow the same process at the same time, one counts in the kernel, one pairs the
events of perf itself. Both must find the same."""

import itertools
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import block  # noqa: E402
from latency_recorder import LatencyRecorder  # noqa: E402
from live import IOTRACE, Live, SOURCE  # noqa: E402

FATES = ("ended", "cancelled", "died", "left", "open", "begun_again", "lost")
SLEEPS, SLEEP_NS = 20, 3000000  # of usleep(): Python sleeps until a time that it reads before the call, which may be late

WORK = f"""
import ctypes, os, signal, sys
usleep = ctypes.CDLL(None).usleep
fd = os.open('/etc/passwd', os.O_RDONLY)
signal.signal(40, lambda *_: None)
sys.stdin.readline()
for i in range(3000):
    os.lseek(fd, i % 7, i % 3)
for i in range(500):
    os.kill(os.getpid(), 40)
ctypes.CDLL(None).prctl(15, b'another name', 0, 0, 0)
for i in range(300):
    os.lseek(fd, 4, 0)
    if i % 3 == 0:
        os.kill(os.getpid(), 40)
    if i % 2 == 0:
        os.getppid()
        os.getppid()
for i in range({SLEEPS}):
    usleep({SLEEP_NS // 1000})
os.lseek(fd, 1, 0)
"""

SPANS = {
    # At the two tracepoints of all calls, with fields that are arguments and results.
    "seek": "syscalls:sys_enter_lseek -> syscalls:sys_exit_lseek by tid group whence size ret",
    "some": "syscalls:sys_enter_lseek if whence == 0 && offset > 2 || whence == 2 -> syscalls:sys_exit_lseek if ret >= 0 by tid group offset",
    "result": "syscalls:sys_enter_lseek -> syscalls:sys_exit_lseek by tid group ret",
    "bits": "syscalls:sys_enter_lseek -> syscalls:sys_exit_lseek by tid,offset&1/ret&1",
    # At tracepoints of their own, with numbers of several sizes and signs.
    "signal": "signal:signal_generate if sig == 40 -> signal:signal_deliver if sig == 40 by tid group code size sig",
    "number": "signal:signal_generate if pid > 0 && sig > 39 && sig <= 40 -> signal:signal_deliver by sig group errno",
    # Groups and keys that are texts: of the tracepoint, and of the task.
    "sender": "signal:signal_generate if sig == 40 -> signal:signal_deliver if sig == 40 by comm,tid group comm",
    "task": "syscalls:sys_enter_lseek -> syscalls:sys_exit_lseek by tid,comm group comm",
    # Conditions that are texts.
    "named": 'signal:signal_generate if comm ~ "*ot[gh]er ?ame" && sig == 40 -> signal:signal_deliver if sig == 40 by tid',
    "not": 'syscalls:sys_enter_lseek if comm != "another name" && comm ~ "*" -> syscalls:sys_exit_lseek by tid group comm',
    # One at each. Others may send signals, too, so only those of the workload count.
    "mixed": "syscalls:sys_enter_kill -> signal:signal_deliver if sig == 40 by tid,sig group sig",
    # Begins that begin again, ends without begin, cancels.
    "odd": "syscalls:sys_enter_lseek -> syscalls:sys_exit_getppid by tid",
    "gone": "syscalls:sys_enter_lseek -> syscalls:sys_exit_getppid by tid cancel signal:signal_deliver if sig == 40",
    "between": "syscalls:sys_exit_getppid -> syscalls:sys_exit_getppid by tid",
    "last": "syscalls:sys_exit_getppid -> syscalls:sys_exit_getppid by tid cancel syscalls:sys_exit_getppid",
    "sleep": "syscalls:sys_enter_clock_nanosleep -> syscalls:sys_exit_clock_nanosleep by tid",
}


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def rows(numbers, *keys):
    return {(row["span"], row["group"]): [row[key] for key in keys] for row in numbers["spans"]}


def balanced(live, name, numbers):
    for span in numbers["books"]["spans"]:
        live.equal(f"{name}: {span['span']}: balance", span["begun"], sum(span[fate] for fate in FATES))
    for row in numbers["spans"]:
        buckets = row["histogram"]
        live.equal(f"{name}: {row['span']}: histogram", sum(bucket["count"] for bucket in buckets), row["count"])
        live.check(buckets[0]["from_ns"] <= row["min_ns"] <= buckets[0]["to_ns"], f"{name}: least {row}")
        live.check(buckets[-1]["from_ns"] <= row["max_ns"] <= buckets[-1]["to_ns"], f"{name}: most {row}")
        low = sum(bucket["from_ns"] * bucket["count"] for bucket in buckets)
        high = sum(bucket["to_ns"] * bucket["count"] for bucket in buckets)
        live.check(low <= row["sum_ns"] <= high, f"{name}: sum {row}")
        live.check(row["min_ns"] <= row["avg_ns"] <= row["max_ns"] and row["stddev_ns"] <= row["max_ns"], f"{name}: {row}")


def books(numbers, is_of_all):
    """What is compared: ends of others have no begin, and perf is not told of them where a span stays within a task."""
    excluded = ("counted_in_kernel", "excluded", "died", "left") + (("ends_without_begin",) if is_of_all else ())
    return {span["span"]: {key: value for key, value in span.items() if key not in excluded} for span in numbers["books"]["spans"]
            if (span["span"] == "number") == is_of_all}


def both(live, *options):
    """The same process, at the same time."""
    work = subprocess.Popen([sys.executable, "-S", "-c", WORK], stdin=subprocess.PIPE)
    recorders = [LatencyRecorder(live, source, SPANS, f"--source={source}", "-p", str(work.pid), *options) for source in ("bpf", "perf")]
    for recorder in recorders:
        live.check(recorder.is_ready, "ready")
    work.communicate(b"go\n")
    kernel, user = [recorder.numbers(live) for recorder in recorders]
    live.equal("by the kernel", {span["counted_in_kernel"] for span in kernel["books"]["spans"]}, {True})
    live.equal("by iotrace", {span["counted_in_kernel"] for span in user["books"]["spans"]}, {False})
    live.equal("nothing is lost", (kernel["books"]["balanced"], user["books"]["balanced"]), (True, True))
    balanced(live, "kernel", kernel)
    balanced(live, "user", user)
    return kernel, user


def same(live):
    kernel, user = both(live)
    live.equal("counts and bytes", rows(kernel, "count", "bytes"), rows(user, "count", "bytes"))
    for is_of_all in (False, True):
        live.equal("what became of them", books(kernel, is_of_all), books(user, is_of_all))
    found = {span["span"]: span for span in kernel["books"]["spans"]}
    live.check(found["seek"]["ended"] >= 3301 and found["signal"]["ended"] == 600, f"the workload's own numbers: {found}")
    live.check(all(found["odd"][key] for key in ("begun_again", "ends_without_begin")) and found["gone"]["cancelled"],
               f"each fate was tried: {found}")
    texts = {span: {group for of, group in rows(kernel, "count") if of == span} for span in ("sender", "task")}
    live.equal("texts", texts, {span: {os.path.basename(sys.executable)[:15], "another name"} for span in texts})
    live.equal("by name", rows(kernel, "count")["named", ""], [100])
    live.equal("not", {group for of, group in rows(kernel, "count") if of == "not"}, {os.path.basename(sys.executable)[:15]})
    for numbers in (kernel, user):
        count, least, total = rows(numbers, "count", "min_ns", "sum_ns")["sleep", ""]
        live.equal("sleeps", count, SLEEPS)
        live.check(least >= SLEEP_NS and total >= SLEEPS * SLEEP_NS, f"a sleep takes its time: {least}, {total}")


def grouped(live):
    for by in ("none", "process", "thread"):
        kernel, user = both(live, "--by", by)
        live.equal(f"by {by}", rows(kernel, "count", "bytes"), rows(user, "count", "bytes"))
    kernel, user = both(live, "--above", "2ms")
    for numbers in (kernel, user):
        live.equal("above, and not", numbers["not_above"] + sum(row["count"] for row in numbers["spans"]),
                   sum(span["ended"] for span in numbers["books"]["spans"]))
        live.check(rows(numbers, "count")["sleep", ""] == [SLEEPS], "sleeps are above")
        live.check(all(row["min_ns"] > 2000000 for row in numbers["spans"]), "all are above")


def told(live, *options, status=0, wrapper=()):
    ran = live.run([*wrapper, IOTRACE, "latency", "-v", f"--json={live.path('told.json')}", *options])
    if not live.equal(f"{options}: status", ran.returncode, status):
        print(ran.stderr.decode(errors="replace"))
    return read(live.path("told.json")), ran.stderr.decode(errors="replace")


def in_parts(live):
    """What ended in each interval. The parts add up to the whole, also while events arrive without a pause."""
    code = ("import os, time; fd = os.open('/etc/passwd', 0); end = time.monotonic() + 2\n"
            "while time.monotonic() < end: [os.lseek(fd, i % 7, i % 3) for i in range(100)]")
    numbers, text = told(live, "--source=bpf", "--interval", "50ms", "--span", f"seek: {SPANS['seek']}", "--", sys.executable, "-S", "-c", code)
    live.equal("in parts: by the kernel", [span["counted_in_kernel"] for span in numbers["books"]["spans"]], [True])
    _, *parts = re.split("^(from .* s|the whole recording):$", text, flags=re.MULTILINE)
    titles, tables = parts[::2], parts[1::2]
    live.equal("in parts: the last", titles[-1], "the whole recording")
    live.check(len(titles) > 20, f"in parts: {titles}")
    found = [{row[1]: row[0] for row in re.findall(r"^ *([0-9,]+) .* ([0-2])$", table, re.MULTILINE)} for table in tables]
    for title, table in list(zip(titles, tables))[5:-2]:
        begin, end = (float(time) for time in re.fullmatch(r"from (\S+) s to (\S+) s", title).groups())
        row = re.search(r"^ *([0-9,]+) +([0-9,]+) .* 0$", table, re.MULTILINE)
        if not row:  # others had the CPUs
            continue
        count, rate = (float(word.replace(",", "")) for word in row.groups())
        live.check(abs(rate * (end - begin) / count - 1) < 0.05, f"in parts: the rate of {title}: {table}")
    for group in "012":
        counts = [int(part.get(group, "0").replace(",", "")) for part in found]
        live.equal(f"in parts: {group}", sum(counts[:-1]), counts[-1])
        live.check(sum(count > 0 for count in counts) > 15, f"in parts: {group}: {counts}")
        live.equal(f"in parts: {group}: of JSON", rows(numbers, "count")["seek", group], [counts[-1]])
    balanced(live, "in parts", numbers)


def fates(live):
    """A process that a signal killed, and more keys than there is room for."""
    code = "import os; os.kill(os.getpid(), 9)"
    numbers, _ = told(live, "--source=bpf", "--span", "k: syscalls:sys_enter_kill -> syscalls:sys_exit_getppid by tid", "--",
                      sys.executable, "-S", "-c", code, status=137)
    live.equal("died", [(span["begun"], span["died"], span["counted_in_kernel"]) for span in numbers["books"]["spans"]], [(1, 1, True)])
    code = "import os; fd = os.open('/etc/passwd', 0); [os.lseek(fd, 1000 + i, 0) for i in range({})]"
    for count, room in ((1000, 100), (10, 3)):
        numbers, text = told(live, "--source=bpf", "--room", str(room), "--span",
                             "k: syscalls:sys_enter_lseek if offset >= 1000 && whence == 0 -> syscalls:sys_exit_getppid by offset/ret", "--",
                             sys.executable, "-S", "-c", code.format(count))
        live.equal("no room", [(span["begun"], span["found_no_room"]) for span in numbers["books"]["spans"]], [(room, count - room)])
    live.check("7 begins of spans found no room in the kernel" in numbers["books"]["sentence"], numbers["books"]["sentence"])
    live.check("7 more found no room in the kernel" in text, text)


# More keys than there are slots, by several processes at once.
RANDOM = """
import collections, json, os, random, sys
KEYS, STEPS, PROCESSES, PART = 12000, 30000, 3, 5000

def steps(seed):
    chosen = random.Random(seed)
    return [(chosen.choices((0, 1, 2), (50, 35, 15))[0], chosen.randrange(1, KEYS)) for _ in range(STEPS)]

def expected(seed):
    found, is_open = collections.Counter(), set()
    for what, key in steps(seed):
        if what == 0:
            found.update(("begun", "begun_again") if key in is_open else ("begun",))
            is_open.add(key)
        elif key in is_open:
            found["ended" if what == 1 else "cancelled"] += 1
            is_open.remove(key)
        elif what == 1:
            found["ends_without_begin"] += 1
    found["left"] = len(is_open)
    return found

# 1 and 2 end it, and after each PART all are cancelled. An end by the other event is a part of the one before if the key is the same.
def expected_of_parts(seed):
    found, is_open, last = collections.Counter(), set(), None
    for i, (what, key) in enumerate(steps(seed)):
        if i % PART == 0:
            found["cancelled"] += len(is_open)
            is_open.clear()
        if what == 0:
            found.update(("begun", "begun_again") if key in is_open else ("begun",))
            is_open.add(key)
        elif key in is_open:
            found["ended"] += 1
            is_open.remove(key)
        elif last == (3 - what, key):
            continue
        else:
            found["ends_without_begin"] += 1
        last = (what, key) if what else last
    found["left"] = len(is_open)
    return found
"""
CHILD = RANDOM + """
fd = os.open('/etc/passwd', os.O_RDONLY)
todo = [steps(seed) for seed in range(PROCESSES)]
sys.stdin.readline()
for mine in todo:
    if not os.fork():
        for i, (what, key) in enumerate(mine):
            os.getppid() if i % PART == 0 else None
            os.lseek(fd, 0, os.SEEK_SET) if what == 1 else None
            os.lseek(fd, key, what)
        os._exit(0)
for _ in todo:
    os.wait()
"""
MANY = ("syscalls:sys_enter_lseek if whence == 0 && offset > 0 -> syscalls:sys_enter_lseek if whence == 1 by pid,offset"
        " cancel syscalls:sys_enter_lseek if whence == 2")
PARTS = ("syscalls:sys_enter_lseek if whence == 0 && offset > 0 -> syscalls:sys_enter_lseek if whence == 1 or syscalls:sys_enter_lseek if"
         " whence == 2 by pid,offset cancel syscalls:sys_exit_getppid by pid")


def many(live):
    """More open keys than slots: what the program did, by both."""
    known = {}
    exec(RANDOM, known)  # pylint: disable=exec-used
    expected = {span: sum((known[of](seed) for seed in range(known["PROCESSES"])), start=known["collections"].Counter())
                for span, of in (("many", "expected"), ("parts", "expected_of_parts"))}
    work = subprocess.Popen([sys.executable, "-S", "-c", CHILD], stdin=subprocess.PIPE)
    recorders = [LatencyRecorder(live, source, {"many": MANY, "parts": PARTS}, f"--source={source}", "-m", "8M", "-p", str(work.pid)) for source in ("bpf", "perf")]
    for recorder in recorders:
        live.check(recorder.is_ready, "many: ready")
    work.communicate(b"go\n")
    for recorder, is_counted in zip(recorders, (True, False)):
        numbers = recorder.numbers(live)
        live.equal(f"many: complete: {numbers['books']['sentence']}", numbers["books"]["balanced"], True)
        for span in numbers["books"]["spans"]:
            live.equal("many: whose", span["counted_in_kernel"], is_counted)
            live.equal(f"{span['span']}: {is_counted}",
                       {key: span[key] for key in (*FATES, "begun", "ends_without_begin", "found_no_room") if span[key]},
                       dict(expected[span["span"]]))


def forgotten(live):
    """What processes leave open when they end needs no room any more, as many as there are."""
    code = ("import os\nf = os.open('/etc/passwd', 0)\nfor i in range(40):\n    if not os.fork():\n"
            "        for k in range(100): os.lseek(f, 1000 + k, 0)\n        os.kill(os.getpid(), 9) if i % 4 == 0 else os._exit(0)\n"
            "    os.wait()")
    found = []
    for source in ("bpf", "perf"):
        numbers, _ = told(live, f"--source={source}", "--room", "300", "--span",
                          "k: syscalls:sys_enter_lseek if offset >= 1000 && whence == 0 -> syscalls:sys_exit_getppid by pid,offset/ret", "--",
                          sys.executable, "-S", "-c", code)
        found += [(span["begun"], span["left"], span["died"], span["found_no_room"]) for span in numbers["books"]["spans"]]
    # Perf does not say how children end.
    live.equal("forgotten", found, [(4000, 3000, 1000, 0), (4000, 4000, 0, 0)])


def waits(live):
    """Waits for a CPU, of the whole machine by the names of threads."""
    code = ("import ctypes, os, resource, sys, time; ctypes.CDLL(None).prctl(15, b'the sleeper', 0, 0, 0)\n"
            "os.sched_setaffinity(0, [max(os.sched_getaffinity(0))])\n"
            "for _ in range(100): time.sleep(0.005)\n"
            "open(sys.argv[1], 'w').write(str(resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw))")
    with block.Busy():  # wake-ups of a CPU that does nothing are not delivered
        numbers, _ = told(live, "--source=bpf", "-a", "--span", "sched", "--top", "1000", "--", sys.executable, "-S", "-c", code,
                          live.path("sleeps"))
    with open(live.path("sleeps"), encoding="ascii") as file:
        slept = int(file.read())
    live.check(slept > 50, f"waits: {slept} sleeps")
    live.equal("waits: by the kernel", [span["counted_in_kernel"] for span in numbers["books"]["spans"]], [True])
    # A thread that is woken before it has left the CPU does not wait for it.
    live.check(rows(numbers, "count").get(("sched", "the sleeper"), [0])[0] >= slept - 10, f"waits: {slept} sleeps: {rows(numbers, 'count')}")
    balanced(live, "waits", numbers)


# Threads of a process, of its child, and of a program that another thread than the first one executes. Each says how often it slept.
SLEEPERS = """
import ctypes, os, resource, sys, threading
libc = ctypes.CDLL(None)
def sleeps(name):
    libc.prctl(15, name, 0, 0, 0)
    of = resource.RUSAGE_THREAD
    before = resource.getrusage(of).ru_nvcsw
    for _ in range(50):
        libc.usleep(2000)
    print(name.decode(), resource.getrusage(of).ru_nvcsw - before, flush=True)
os.sched_setaffinity(0, [max(os.sched_getaffinity(0))])
if sys.argv[1] == 'executed':
    sleeps(b'the executor')
    sys.exit()
sys.stdin.readline()
thread = threading.Thread(target=sleeps, args=[b'the thread'])
thread.start()
thread.join()
child = os.fork()
if not child:
    sleeps(b'the child')
    again = [sys.executable, '-S', '-c', sys.argv[2], 'executed', '']
    threading.Thread(target=os.execv, args=(sys.executable, again)).start()
    threading.Event().wait()
os.waitpid(child, 0)
sleeps(b'the parent')
"""


def followed(live):
    """Another thread wakes one up, so the key says whose a wait for a CPU is. Only those of some processes are counted."""
    with block.Busy(), subprocess.Popen([sys.executable, "-S", "-c", SLEEPERS, "first", SLEEPERS], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True) as work:
        recorders = [LatencyRecorder(live, source, {}, "--span", "sched", f"--source={source}", "-p", str(work.pid), "--top", "1000")
                     for source in ("bpf", "perf")]
        slept = [line.rsplit(" ", 1) for line in work.communicate("go\n")[0].splitlines()]
        kernel, user = [recorder.numbers(live) for recorder in recorders]
    live.equal("followed: by the kernel", [numbers["books"]["spans"][0]["counted_in_kernel"] for numbers in (kernel, user)], [True, False])
    balanced(live, "followed", kernel)
    found = rows(kernel, "count")
    live.equal("followed: counts", found, rows(user, "count"))
    live.equal("followed: ends without begin", *[numbers["books"]["spans"][0]["ends_without_begin"] for numbers in (kernel, user)])
    live.equal("followed: sleepers", len(slept), 4)
    for name, count in slept:
        live.check(int(count) - 5 <= found.get(("sched", name), [0])[0] <= 100, f"followed: {name} slept {count} times: {found}")
    live.check({name for _, name in found} <= {name for name, _ in slept} | {os.path.basename(sys.executable)[:15]}, f"followed: others: {found}")


LEAVES_A_NUMBER = """
import os, sys, time
sys.stdin.readline()
child = os.fork()
if not child:
    for _ in range(20): time.sleep(0.002)
    os._exit(0)
os.waitpid(child, 0)
print(child, flush=True)
sys.stdin.readline()
"""
TAKES_A_NUMBER = """
import time
with open("/proc/self/comm", "w") as file: file.write("another")
for _ in range(20): time.sleep(0.002)
"""


def with_number(live, number, words):
    """Runs a program as the process with this number, which is free."""
    for _ in range(100):
        with open("/proc/sys/kernel/ns_last_pid", "w", encoding="ascii") as file:
            file.write(str(number - 1))
        with subprocess.Popen(words) as process:
            pass
        if process.pid == number:
            return
    live.check(False, f"no process has got the number {number}")


def numbers_used_again(live):
    """The number of a followed thread that has ended is that of a thread of somebody else."""
    with block.Busy(), subprocess.Popen([sys.executable, "-S", "-c", LEAVES_A_NUMBER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True) as work:
        recorder = LatencyRecorder(live, "again", {}, "--span", "sched", "-p", str(work.pid), "--top", "1000")
        work.stdin.write("go\n")
        work.stdin.flush()
        with_number(live, int(work.stdout.readline()), [sys.executable, "-S", "-c", TAKES_A_NUMBER])
        work.communicate("end\n")
        numbers = recorder.numbers(live)
    live.equal("again: by the kernel", numbers["books"]["spans"][0]["counted_in_kernel"], True)
    found = rows(numbers, "count")
    name = os.path.basename(sys.executable)[:15]
    live.check(list(found) == [("sched", name)] and found["sched", name][0] >= 15, f"again: {found}")


NAMES = """
import os
file = os.open("/etc/passwd", os.O_RDONLY)
for i in range(120):
    with open("/proc/self/comm", "w") as comm: comm.write(f"name {i % 40}")
    for _ in range(i % 40 + 1): os.lseek(file, 7, 0)
os._exit(0)
"""


def more_texts_than_a_cpu_remembers(live):
    """A thread with forty names, three times each."""
    numbers, _ = told(live, "--span", "k: syscalls:sys_enter_lseek if offset == 7 -> syscalls:sys_exit_lseek by tid group comm",
                      "--top", "100", "--", sys.executable, "-S", "-c", NAMES)
    live.equal("names: by the kernel", numbers["books"]["spans"][0]["counted_in_kernel"], True)
    found = {group: count for (_, group), (count,) in rows(numbers, "count").items() if group.startswith("name ")}
    live.equal("names", found, {f"name {i}": 3 * (i + 1) for i in range(40)})


def texts_of_any_length(live):
    """A text may be as long as 254 bytes."""
    names = {length: "/".join([live.dir, *["d" * 60] * 3]) for length in (100, 254, 255)}
    os.makedirs(names[255])
    names = {length: f"{path}/{'n' * length}"[:length] for length, path in names.items()}
    for name in names.values():
        shutil.copy("/bin/true", name)
    execve = 59 if os.uname().machine == "x86_64" else 221
    spans = ["k: sched:sched_process_exec -> sched:sched_process_exit by pid group filename",
             f"k: raw_syscalls:sys_enter if id == {execve} -> sched:sched_process_exec by pid group filename"]  # of the end
    command = ["sh", "-c", 'for n in 1 2 3; do for f; do "$f"; done; done', "sh", *names.values()]
    for source, span in itertools.product(("bpf", "perf"), spans):
        numbers, _ = told(live, f"--source={source}", "--span", span, "--", *command)
        live.equal(f"texts: {source}: by the kernel", [span["counted_in_kernel"] for span in numbers["books"]["spans"]], [source == "bpf"])
        found = {group: count for (_, group), (count,) in rows(numbers, "count").items() if not group or not group.endswith("sh")}
        live.equal(f"texts: {source}", found, {names[100]: 3, names[254]: 3, None if source == "bpf" else names[255]: 3})


def chosen_names(live):
    """Another field of the event says which names its groups have, as `isa` of kvm:kvm_exit. Here, the format file of a tracepoint that
    each machine has says so."""
    names = '(REC->code == 0) ? __print_symbolic(REC->sig, { 40, "KILLED" }) : __print_symbolic(REC->sig, { 40, "RAISED" })'
    place = "/sys/kernel/tracing/events/signal/signal_generate/format"
    with open(place, encoding="utf-8") as file:
        format = re.sub("^print fmt: .*", lambda _: f'print fmt: "%s", {names}', file.read(), flags=re.MULTILINE)
    with open(live.path("format"), "w", encoding="utf-8") as file:
        file.write(format)
    wrapper = ["unshare", "-m", "--propagation", "private", "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"', live.path("format"), place]
    for how, group in (("os.kill(os.getpid(), 40)", "KILLED(40)"), ("signal.raise_signal(40)", "RAISED(40)")):
        code = f"import os, signal; signal.signal(40, lambda *_: None); [{how} for _ in range(9)]"
        for source in ("bpf", "perf"):
            numbers, _ = told(live, f"--source={source}", "--span",
                              "k: signal:signal_generate if sig == 40 -> signal:signal_deliver if sig == 40 by tid group sig", "--",
                              sys.executable, "-S", "-c", code, wrapper=wrapper)
            live.equal(f"{group}: {source}: by the kernel", [span["counted_in_kernel"] for span in numbers["books"]["spans"]], [source == "bpf"])
            live.equal(f"{group}: {source}", rows(numbers, "count"), {("k", group): [9]})


def refused(live):
    """What the kernel cannot count is counted all the same, and -v says why."""
    seek = "k: syscalls:sys_enter_lseek -> syscalls:sys_exit_lseek by tid"
    code = "import os, time; os.lseek(os.open('/etc/passwd', 0), 1, 0); [time.sleep(0.01) for _ in range(9)]"
    for why, options in (
            ("--slowest needs each of them", ["--span", seek, "--slowest", "3"]),
            ("--heatmap needs their times", ["--span", seek, "--heatmap"]),
            ("--source=perf", ["--span", seek, "--source=perf"]),
            ("its field 'args' is not a single number", ["--span", "k: raw_syscalls:sys_enter -> raw_syscalls:sys_exit by tid group args"]),
            ("tracepoint syscalls:sys_enter_lseek: its field 'comm' is not a short text", ["--span", seek.replace("lseek ->", f'lseek if comm != "{"n" * 31}" ->', 1)])):
        numbers, text = told(live, *options, "--", sys.executable, "-S", "-c", code)
        live.check(f"is not counted in the kernel: {why}" in " ".join(text.split()), f"{options}: {text}")
        live.equal(f"{options}: whose", [span["counted_in_kernel"] for span in numbers["books"]["spans"]], [False])
        live.check(numbers["books"]["spans"][0]["begun"], f"{options}: begun")


with Live() as test:
    if SOURCE == "bpf":
        for each in (same, grouped, in_parts, many, fates, forgotten, waits, followed, numbers_used_again, more_texts_than_a_cpu_remembers,
                     texts_of_any_length, chosen_names, refused):
            each(test)
    else:
        test.lacks("BPF")
