#!/usr/bin/python3
"""What measuring spans costs: a pair of events bare, counted in the kernel, paired from perf's events, and by bpftrace, in turn; the
same of block requests, and of a pair of probes, and what the probes alone cost; how long the kernel's programs of a pair of probes run;
with millions of open spans and thousands of groups; and how fast a capture is read.

As root: test/bench/spans.py [--iotrace build/iotrace] [--rounds N] [pairs|requests|probes|programs|open|groups|capture]..."""

import ctypes
import json
import os
import re
import resource
import shutil
import statistics
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
import block  # noqa: E402
from bench import HERE, Bench, main, program_times, run_times, told_times  # noqa: E402

CALLS = "syscalls:sys_enter_{0} -> syscalls:sys_exit_{0} by tid"
SEEK = "s: syscalls:sys_enter_lseek if whence == 0 -> syscalls:sys_enter_lseek if whence == 1 by pid,offset"
PAIRS = {
    "getppid": ("p: " + CALLS.format("getppid"), "tracepoint:syscalls:sys_enter_getppid", "tracepoint:syscalls:sys_exit_getppid"),
    "signal": ("p: signal:signal_generate -> signal:signal_deliver by tid", "tracepoint:signal:signal_generate",
               "tracepoint:signal:signal_deliver"),
}


# A span, and the same for bpftrace: PATH is the program's.
PROBES = {
    "function": ("p: uprobe:PATH:called -> uprobe:PATH:called%return by tid", ("uprobe:PATH:called", "uretprobe:PATH:called", "tid")),
    "marker": ("p: usdt:PATH:storm:begin -> usdt:PATH:storm:end by tid", ("usdt:PATH:storm:begin", "usdt:PATH:storm:end", "tid")),
    "marker by key": ("p: usdt:PATH:storm:begin -> usdt:PATH:storm:end by pid,arg1",
                      ("usdt:PATH:storm:begin", "usdt:PATH:storm:end", "pid, arg0")),
}
EVENT_OPEN = {"x86_64": 298, "aarch64": 241}


def open_probe(path, offset, is_return):
    """A perf event at a place of a program, disabled: the probe is there, and does nothing. Returns its descriptor."""
    kind = int(open("/sys/bus/event_source/devices/uprobe/type", encoding="ascii").read())
    name = ctypes.create_string_buffer(path.encode())
    attr = struct.pack("=IIQQQQQIIQQ", kind, 128, is_return, 1, 0, 0, 1, 0, 0, ctypes.addressof(name), offset).ljust(128, b"\0")
    fd = ctypes.CDLL(None, use_errno=True).syscall(EVENT_OPEN[os.uname().machine], attr, -1, 0, -1, 8)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "perf_event_open")
    return fd


class Work(Bench):
    def __init__(self, options, place):
        super().__init__(options, place)
        self.storm = f"{place}/span_storm"
        subprocess.run(["cc", "-O2", "-o", self.storm, f"{HERE}/span_storm.c"], check=True)

    def run(self, *command):
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        found = re.search(r"^\d+\.\d$", ran.stdout, re.MULTILINE)
        if not found:
            raise SystemExit(f"{command}: {ran.stdout}{ran.stderr}")
        return float(found.group()), ran.stderr

    def latency(self, span, *options):
        return [self.iotrace, "latency", "--span", span, *options, f"--json={self.place}/numbers", "--"]

    def told(self):
        with open(f"{self.place}/numbers", encoding="utf-8") as file:
            return json.load(file)

    def pairs(self):
        for work, (span, begin, end) in PAIRS.items():
            program = f"{begin} {{ @s[tid] = nsecs; }} {end} /@s[tid]/ {{ @h = hist(nsecs - @s[tid]); delete(@s[tid]); }}"
            storm = [self.storm, work, str(int(2000000 * self.scale))]
            self.compare(work, program, {
                "bare": storm, "counted": [*self.latency(span), *storm], "counted, -a": [*self.latency(span, "-a"), *storm],
                "perf's events": [*self.latency(span, "--source=perf", "-m", "32M"), *storm]})

    def requests(self):
        """One after the other, so that what each takes longer is what the programs add to it, on both sides."""
        with block.Disk(f"{self.place}/disk", 8 << 20) as disk:
            storm = [self.storm, "request", str(int(200000 * self.scale)), disk.path]
            key = "args->dev, args->sector"
            program = (f"tracepoint:block:block_rq_issue {{ @s[{key}] = nsecs; }} tracepoint:block:block_rq_complete /@s[{key}]/ "
                       f"{{ @h = hist(nsecs - @s[{key}]); delete(@s[{key}]); }}")
            ways = {"bare": storm}
            for span in ("block-service", "block"):
                ways[span] = [*self.latency(span, "-a", "--device", disk.name), *storm]
            ways["recorded"] = [*self.latency("block", "-a", "--device", disk.name, "--heatmap=/dev/null"), *storm]
            self.compare("request", program, ways)

    def compare(self, work, program, ways):
        if shutil.which("bpftrace"):
            ways["bpftrace"] = ["bpftrace", "-q", "-e", program, "-c", " ".join(ways["bare"])]
        found = {way: [] for way in ways}
        for _ in range(self.rounds):
            for way, command in ways.items():
                found[way].append(self.run(*command)[0])
        for what, of in (("median", statistics.median), ("least", min)):
            bare, theirs = of(found["bare"]), of(found.get("bpftrace", found["bare"]))
            for way, values in found.items():
                added = of(values) - bare
                print(f"{work:8} {what:6} {way:14} {of(values):8.0f} ns, added {added:6.0f}"
                      + (f", {added / (theirs - bare):.2f} of bpftrace's" if theirs > bare else ""))

    def places(self, work):
        """Where the probes of a pair are in the program's file."""
        sections = subprocess.run(["readelf", "-SW", self.storm], stdout=subprocess.PIPE, text=True, check=True).stdout
        address, offset = (int(word, 16) for word in re.search(r" \.text +PROGBITS +(\w+) (\w+)", sections).groups())
        if work == "function":
            names = subprocess.run(["nm", self.storm], stdout=subprocess.PIPE, text=True, check=True).stdout
            at = int(re.search(r"^(\w+) T called$", names, re.MULTILINE).group(1), 16) - address + offset
            return (at, False), (at, True)
        notes = subprocess.run(["readelf", "-n", self.storm], stdout=subprocess.PIPE, text=True, check=True).stdout
        return tuple((int(place, 16) - address + offset, False) for place in re.findall(r"Location: (\w+)", notes))

    def alone(self, work, storm):
        """The price of the probes themselves."""
        events = [open_probe(self.storm, *place) for place in self.places(work)]
        try:
            return self.run(*storm)[0]
        finally:
            for event in events:
                os.close(event)

    def probes(self):
        for name, (span, (begin, end, key)) in PROBES.items():
            work = name.split()[0]
            span = span.replace("PATH", self.storm)
            empty, program = (text.replace("PATH", self.storm) for text in (
                f"{begin} {{ }} {end} {{ }}",
                f"{begin} {{ @s[{key}] = nsecs; }} {end} /@s[{key}]/ {{ @h = hist(nsecs - @s[{key}]); delete(@s[{key}]); }}"))
            storm = [self.storm, work, str(int(1000000 * self.scale))]
            ways = {"bare": storm, "probes alone": None, "counted": [*self.latency(span), *storm],
                    "perf's events": [*self.latency(span, "--source=perf", "-m", "32M"), *storm]}
            if shutil.which("bpftrace"):
                ways["bpftrace, empty"] = ["bpftrace", "-q", "-e", empty, "-c", " ".join(storm)]
                ways["bpftrace"] = ["bpftrace", "-q", "-e", program, "-c", " ".join(storm)]
            found = {way: [] for way in ways}
            for _ in range(self.rounds):
                for way, command in ways.items():
                    found[way].append(self.run(*command)[0] if command else self.alone(work, storm))
            alone = statistics.median(found["probes alone"])
            for way, values in found.items():
                print(f"{name:14} {way:16} {statistics.median(values):8.0f} ns, more than the probes {statistics.median(values) - alone:6.0f}"
                      f"  ({min(values):.0f} to {max(values):.0f})")

    def programs(self):
        """The kernel takes the time before and after a program, which is a part of these numbers. Needs bpftool."""
        with program_times():
            for name, (span, _) in PROBES.items():
                if not name.startswith("marker"):
                    continue
                found = {"probe_begins": [], "probe_ends": []}
                for _ in range(self.rounds):
                    command = [*self.latency(span.replace("PATH", self.storm)), self.storm, "marker", str(int(1000000 * self.scale))]
                    for program, values in run_times(command, found).items():
                        found[program] += values
                print(f"{name:14} {told_times(found)}")

    def open(self):
        many, room = int(5000000 * self.scale), int(5100000 * self.scale) + 1000000
        found = {1000: [], many: []}
        memory = ""
        for _ in range(self.rounds):
            for count, values in found.items():
                time, text = self.run(*self.latency(SEEK, "--room", str(room), "-v"), self.storm, "seek", "1000000", str(count))
                values.append(time)
                memory = re.search(r"in ([\d.]+ MiB)", " ".join(text.split())).group(1)
                books = self.told()["books"]["spans"][0]
                print(f"  {count} open: {time:.0f} ns, {books['begun']} begun, {books['open'] + books['left']} open, "
                      f"{books['found_no_room']} without room")
        few, much = (statistics.median(values) for values in found.values())
        print(f"open     1,000: {few:.0f} ns for a pair, {many:,}: {much:.0f} ns, times {much / few:.2f}; room for {room:,}: {memory}")

    def groups(self):
        span = "g: " + CALLS.format("lseek")
        for _ in range(self.rounds):
            one = self.run(*self.latency(span), self.storm, "group", "1000000")[0]
            many = self.run(*self.latency(f"{span} group offset"), self.storm, "group", "1000000")[0]
            numbers = self.told()
            rest = sum(row["count"] for row in numbers["spans"] if row["group"] is None)
            print(f"groups   1: {one:.0f} ns, {len(numbers['spans']):,}: {many:.0f} ns; {rest:,} of {numbers['books']['spans'][0]['ended']:,} "
                  "found no room")

    def capture(self):
        count = int(2000000 * self.scale)
        capture, span = f"{self.place}/perf.data", "p: " + CALLS.format("getppid")
        subprocess.run(["perf", "record", "-q", "-k", "mono", "-m", "64M", "-o", capture, "-e",
                        "syscalls:sys_enter_getppid,syscalls:sys_exit_getppid", "--", self.storm, "getppid", str(count)], check=True,
                       stdout=subprocess.DEVNULL)
        for options in ([], ["--heatmap=/dev/null"], ["--slowest", "10"]):
            for _ in range(self.rounds):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run([self.iotrace, "latency", "--span", span, *options, f"--json={self.place}/numbers", capture], check=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                time = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                ended = self.told()["books"]["spans"][0]["ended"]
                print(f"capture  {' '.join(options):20} {ended:,} spans in {time:.2f} s of CPU: {ended / time / 1e6:.2f} million a second")


if __name__ == "__main__":
    main(Work, ("pairs", "requests", "probes", "programs", "open", "groups", "capture"))
