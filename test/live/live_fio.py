#!/usr/bin/python3
"""Latencies of devices and of FUSE: exactly those that a calculation from perf script of the same capture gives, and about those that fio
itself saw."""

import collections
import contextlib
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
from live import IOTRACE, Live, SOURCE  # noqa: E402

SIZE, REQUEST = 64 << 20, 512 << 10
REQUESTS = SIZE // REQUEST
BIN = 1 / 64 + 1 / 128  # fio's bins are 1/64 wide, iotrace's half of that


def told(live, *options):
    path = live.path("told.json")
    ran = live.run([IOTRACE, "latency", f"--json={path}", *options], stdout=subprocess.DEVNULL)
    live.equal(f"{options}: status ({(ran.stderr or b'').decode(errors='replace')})", ran.returncode, 0)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def fio(live, path):
    return ["fio", "--name=a", f"--filename={path}", "--rw=randwrite", f"--bs={REQUEST}", f"--size={SIZE}", "--direct=1", "--ioengine=sync",
            "--randrepeat=1", "--percentile_list=50:90", "--output-format=json", f"--output={live.path('fio')}"]


def clat(live):
    with open(live.path("fio"), encoding="utf-8") as file:
        text = file.read()
    return json.loads(text[text.index("{"):])["jobs"][0]["write"]


def script(live, capture):
    """perf script's lines: [(ns, event, text)], in the order of time."""
    ran = live.run(["perf", "script", "--ns", "-F", "time,event,trace", "-i", capture])
    found = re.findall(r"^\s*(\d+)\.(\d{9}):\s+([\w-]+:[\w-]+):\s*(.*)$", ran.stdout.decode(errors="replace"), re.MULTILINE)
    return sorted(((int(second) * 10**9 + int(ns), event, text) for second, ns, event, text in found), key=lambda row: row[0])


def recorded(live, capture, events, command):
    """Records until no record came too late for its order to be known."""
    for _ in range(5):
        ran = live.run(["perf", "record", "-q", "-a", "-k", "mono", "-m", "4M", "-e", ",".join(events), "-o", capture, "--", *command])
        live.equal(f"perf record ({(ran.stderr or b'').decode(errors='replace')})", ran.returncode, 0)
        counters = told(live, "--span", f"all: {events[0]} -> {events[1]} by pid", capture)["books"]["counters"]
        if not counters["late"] and not counters["lost"]:
            return


def calculated(rows, begin, key_and_group):
    """{group: (count, least, most, sum)} of what the lines say."""
    opened, values = {}, collections.defaultdict(list)
    for time, event, text in rows:
        key, group = key_and_group(text)
        if key is None:
            continue
        if event == begin:
            opened[key] = (time, group)
        elif key in opened:
            since, group = opened.pop(key)
            values[group].append(time - since)
    return {group: (len(each), min(each), max(each), sum(each)) for group, each in values.items()}


def measured(numbers):
    return {row["group"]: (row["count"], row["min_ns"], row["max_ns"], row["sum_ns"]) for row in numbers["spans"]}


def requests(live, disk):
    """Each request of fio, from its issue to its end."""
    events = ("block:block_rq_issue", "block:block_rq_complete")
    number = os.stat(disk.path).st_rdev
    name = f"{os.major(number)},{os.minor(number)} "
    capture = live.path("block.data")

    def key(text):
        match = re.search(r"\(.*?\) (\d+) \+ \d+", text)
        return (match.group(1), "") if match and text.startswith(name) else (None, None)

    with block.Busy():
        recorded(live, capture, events, fio(live, disk.path))
    expected = calculated(script(live, capture), events[0], key)
    own = f"r: {events[0]} if dev == {os.major(number) << 20 | os.minor(number)} -> {events[1]} by dev,sector"
    live.equal("requests from perf.data", measured(told(live, "--span", own, capture)), expected)
    live.equal("as many as fio's", expected[""][0], clat(live)["total_ios"])


def percentiles(live, disk):
    """fio's latencies are those of its calls. A request is a part of one: how large a part depends on how fast this machine wakes
    fio, so only requests() knows what is right there."""
    for span, least, options in (("block", 0.25, ["--by", "mode", "--device", disk.name]), ("call", 0.8, ["--by", "call"])):
        numbers = told(live, "--span", span, *options, f"--source={SOURCE}", "--", *fio(live, disk.path))
        his, mine = clat(live), next(row for row in numbers["spans"] if row["group"] == "write")
        # fio also writes its report: some calls more.
        few = range(1 if span == "block" else 10)
        live.check(mine["count"] - his["total_ios"] in few, f"{disk.name}: {span}: {mine['count']} of {his['total_ios']}")
        at = his["clat_ns"]["percentile"]
        # Another process may run between the end of a call and fio's look at its clock, but not half of the time.
        for what, ours, theirs, low in (("average", mine["avg_ns"], his["clat_ns"]["mean"], 0), ("p50", mine["p50_ns"], at["50.000000"], least),
                                        ("p90", mine["p90_ns"], at["90.000000"], 0)):
            print(f"{disk.name}: {span}: {what}: {ours:,.0f} and {theirs:,.0f} ns: {ours / theirs:.2f}")
            live.check(theirs * low <= ours <= theirs * (1 + BIN), f"{disk.name}: {span}: {what}: {ours} and fio's {theirs}")


def fuse(live):
    """Requests of bindfs, by their operation."""
    events = ("fuse:fuse_request_send", "fuse:fuse_request_end")
    if not shutil.which("bindfs") or not os.path.exists("/dev/fuse") or not os.path.exists("/sys/kernel/tracing/events/fuse/fuse_request_end"):
        live.lacks("bindfs and FUSE with tracepoints")
        return
    below, above, capture = live.path("below"), live.path("above"), live.path("fuse.data")
    os.mkdir(below)
    os.mkdir(above)
    live.equal("bindfs", live.run(["bindfs", below, above]).returncode, 0)
    try:
        recorded(live, capture, events, ["sh", "-c", 'dd if=/dev/zero of="$0/a" bs=64k count=200 conv=fsync status=none; ls -l "$0"; '
                                         'cat "$0/a" >/dev/null; rm "$0/a"', above])
    finally:
        live.run(["umount", above])

    def key(text):
        match = re.match(r"connection (\d+) req (\d+) (?:opcode (\d+) \((\w+)\))?", text)
        return match.group(1, 2), f"{match.group(4)}({match.group(3)})"

    expected = calculated(script(live, capture), events[0], key)
    live.equal("FUSE from perf.data", measured(told(live, "--span", "fuse", capture)), expected)
    live.check(expected.get("FUSE_WRITE(16)", (0,))[0] >= 100 and "FUSE_UNLINK(10)" in expected, f"the work: {sorted(expected)}")


with Live() as test:
    with contextlib.ExitStack() as stack:
        if shutil.which("fio"):
            loop = stack.enter_context(block.Disk(test.path("image"), SIZE))
            requests(test, loop)
            percentiles(test, loop)
            if block.Zram.is_known():
                percentiles(test, stack.enter_context(block.Zram(SIZE)))
            else:
                test.lacks("zram")
        else:
            test.lacks("fio")
    fuse(test)
