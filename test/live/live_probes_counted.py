#!/usr/bin/python3
"""Probes of programs that are counted in the kernel: two recorders follow the same threads at the same time, one counts in the kernel,
one pairs the samples of perf. Both must find the same, and as many as the program says that there are."""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from latency_recorder import LatencyRecorder  # noqa: E402
from live import CALMED, IOTRACE, Live, SOURCE, workload  # noqa: E402

PROBES = workload("probes")
THREADS, LOOPS, DEPTH, MORE = 4, 1000, 5, 100
ALL = THREADS * LOOPS
TWICE, DROPPED, CALLS = ALL // 100, ALL // 10, ALL // 50
FATES = ("ended", "cancelled", "died", "left", "open", "begun_again", "lost")
TAKE, GIVE = f"uprobe:{PROBES}:take", f"uprobe:{PROBES}:give"


def spans():
    """Each with what the program does: begun, ended, and what else became of them."""
    begin, end = f"usdt:{PROBES}:mark:begin", f"usdt:{PROBES}:mark:end"
    deep = f"uprobe:{PROBES}:deep"
    some = "arg2 >= 100 && arg2 < 200 || arg2 == 7"
    return {
        "keys": (f"{TAKE} -> {GIVE} by pid,arg1,tid group +0(+8(arg1)):u32 size arg2", ALL + TWICE, ALL, {"begun_again": TWICE}),
        "signed": (f"{TAKE} -> {GIVE} by tid group +4(+8(arg1)):s16 size +16(arg1)", ALL + TWICE, ALL, {"begun_again": TWICE}),
        "result": (f"{TAKE}%return -> {GIVE} by tid,retval:x64/arg1:x64 group arg2:u8 size arg2", ALL + TWICE, ALL,
                   {"begun_again": TWICE}),
        "some": (f"{TAKE}%return if {some} -> {GIVE} by tid,arg1/arg1 group arg2", 102 * THREADS, 101 * THREADS,
                 {"begun_again": THREADS, "ends_without_begin": ALL - 101 * THREADS}),
        "call": (f"{TAKE} -> {TAKE}%return by tid group arg2:u8", ALL + TWICE, ALL + TWICE, {}),
        "never": (f"{TAKE} if +16(arg1):s64 < 0 -> {GIVE} by tid", 0, 0, {"ends_without_begin": ALL}),
        "deep": (f"{deep} -> {deep}%return by tid group arg1", DEPTH * ALL, ALL,
                 {"begun_again": (DEPTH - 1) * ALL, "ends_without_begin": (DEPTH - 1) * ALL}),
        "each": (f"{deep} -> {deep}%return by tid,arg1/retval group arg1", DEPTH * ALL, DEPTH * ALL, {}),
        "kept": (f"{deep} -> {deep}%return if arg1 > 2 by tid,arg1", DEPTH * ALL, (DEPTH - 2) * ALL, {"begun_again": 2 * (ALL - THREADS)}),
        "gone": (f"{TAKE} -> {GIVE} by tid,arg1 cancel uprobe:{PROBES}:drop by tid,arg1", ALL + TWICE, ALL - DROPPED,
                 {"begun_again": TWICE, "cancelled": DROPPED, "ends_without_begin": DROPPED}),
        "marks": (f"{begin} -> {end} by pid,arg1 group arg2", ALL, ALL, {}),
        "mixed": (f"{TAKE} -> syscalls:sys_exit_getppid by tid", ALL + TWICE, CALLS, {"begun_again": ALL + TWICE - CALLS - THREADS}),
        "task": (f"{TAKE} -> {TAKE}%return by tid group comm", ALL + TWICE, ALL + TWICE, {}),
        "handed": (f"uprobe:{PROBES}:sent -> uprobe:{PROBES}:received by arg1", ALL, ALL, {}),
    }


def alternatives():
    """Several events that begin, end or cancel a span, and cancels of all spans with a part of a key."""
    sent, received, named, absent = (f"uprobe:{PROBES}:{name}" for name in ("sent", "received", "named", "absent"))
    either = f"uprobe:{PROBES}:drop or {GIVE}"
    return {
        # A drop ends it, and then the give of the same item is a part of that end.
        "either": (f"{TAKE} -> {either} by tid,arg1 group +0(+8(arg1)):u32 size arg2", ALL + TWICE, ALL, {"begun_again": TWICE}),
        "nested": (f"{TAKE}%return -> uprobe:{PROBES}:put or {GIVE} by pid,retval:x64/arg1:x64 group arg2:u8", ALL + TWICE, ALL,
                   {"begun_again": TWICE}),
        "apart": (f"{TAKE} -> uprobe:{PROBES}:drop if arg1 == 0 or {GIVE} by tid,arg1", ALL + TWICE, ALL, {"begun_again": TWICE}),
        "both": (f"{TAKE} or {sent} -> {GIVE} or {received} by pid,arg1", 2 * ALL + TWICE, 2 * ALL, {"begun_again": TWICE}),
        "mixed": (f"{TAKE} -> syscalls:sys_exit_getppid or {GIVE} by tid", ALL + TWICE, ALL, {"begun_again": TWICE}),
        "again": (f"{GIVE} -> {GIVE} by tid", ALL, ALL - THREADS, {"ends_without_begin": THREADS}),
        # At the same place, the kernel reports the probe that was made last first.
        "last": (f"{GIVE} -> {GIVE} by tid cancel {GIVE}", ALL, 0, {"ends_without_begin": ALL, "cancelled": ALL - THREADS}),
        "most": (f"{TAKE} or {TAKE}%return if retval == 0 -> {GIVE} if arg1 == 1 or {GIVE} if arg1 == 2 or {GIVE} if arg1 == 3 or "
                 f"{GIVE} if arg1 > 3 by tid cancel {named} or {absent}", ALL + TWICE, ALL, {"begun_again": TWICE}),
        # More open spans than there are slots, so the others are in the hash.
        "all": (f"{sent} -> {absent} by pid,arg1 cancel {named} by pid", ALL, 0, {"cancelled": ALL, "ends_without_begin": MORE}),
        "none": (f"{sent} -> {absent} by tid,arg1 cancel {named} or {named} by tid", ALL, 0, {"ends_without_begin": MORE}),
        "bits": (f"{sent} -> {absent} by arg1&15,pid,arg1 cancel {received} if arg1 == 3 by arg1&15,pid", ALL, 0,
                 {"cancelled": THREADS * len(range(3, LOOPS, 16)), "ends_without_begin": MORE}),
        "few": (f"{TAKE} -> {GIVE} by tid,arg1 cancel uprobe:{PROBES}:drop by tid", ALL + TWICE, ALL - DROPPED,
                {"begun_again": TWICE, "cancelled": DROPPED, "ends_without_begin": DROPPED}),
    }


SPANS, ALTERNATIVES = spans(), alternatives()


def rows(numbers):
    return {(row["span"], row["group"]): (row["count"], row["bytes"]) for row in numbers["spans"]}


def check_books(live, name, numbers, of=SPANS):
    for span in numbers["books"]["spans"]:
        _, begun, ended, rest = of[span["span"]]
        found = {key: span[key] for key in (*FATES, "begun", "ends_without_begin", "found_no_room", "unread", "missed") if span[key]}
        if begun > ended + sum(count for fate, count in rest.items() if fate in FATES):  # the process ended before
            rest = dict(rest, left=begun - ended - sum(count for fate, count in rest.items() if fate in FATES))
        expected = {key: count for key, count in {"begun": begun, "ended": ended, **rest}.items() if count}
        live.equal(f"{name}: {span['span']}", found, expected)


def both(live, of, *options):
    work = subprocess.Popen([PROBES], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    work.stdout.readline()
    recorders = [LatencyRecorder(live, source, {span: what[0] for span, what in of.items()}, "-m", "4M", f"--source={source}", "-p", str(work.pid), *options) for source in ("bpf", "perf")]
    for recorder in recorders:
        live.check(recorder.is_ready, "ready")
    work.communicate(b"go\n")
    kernel, user = [recorder.numbers(live) for recorder in recorders]
    for name, numbers, is_counted in (("kernel", kernel, True), ("user", user, False)):
        live.equal(f"{name}: counted", {span["span"]: span["counted_in_kernel"] for span in numbers["books"]["spans"]},
                   {span: is_counted for span in of})
        live.equal(f"{name}: nothing is lost: {numbers['books']['sentence']}", numbers["books"]["balanced"], True)
        check_books(live, name, numbers, of)
    return kernel, user


def same(live):
    kernel, user = both(live, SPANS)
    live.equal("counts and bytes", rows(kernel), rows(user))
    found = rows(kernel)
    live.equal("places of a static probe", {group: count for (span, group), (count, _) in found.items() if span == "marks"},
               {str(number): ALL // 4 for number in (-2, -1, 0, 1)})
    live.equal("signed memory", {group: count for (span, group), (count, _) in found.items() if span == "signed"},
               {"-7": ALL // 2, "-8": ALL // 2})
    for row in kernel["spans"]:
        live.equal(f"{row['span']}: histogram", sum(bucket["count"] for bucket in row["histogram"]), row["count"])
        live.check(row["min_ns"] <= row["avg_ns"] <= row["max_ns"] and row["stddev_ns"] <= row["max_ns"], f"{row}")
        live.check(row["histogram"][0]["from_ns"] <= row["min_ns"] <= row["histogram"][0]["to_ns"], f"least: {row}")
        live.check(row["histogram"][-1]["from_ns"] <= row["max_ns"] <= row["histogram"][-1]["to_ns"], f"most: {row}")


def grouped(live):
    for options in (("--by", "thread"), ("--by", "none", "--interval", "20ms")):
        kernel, user = both(live, SPANS, *options)
        live.equal(f"{options}", rows(kernel), rows(user))


def chosen(live):
    kernel, user = both(live, ALTERNATIVES)
    live.equal("alternatives", rows(kernel), rows(user))


def told(live, *options, status=0, env=None):
    path = live.path("told.json")
    ran = live.run([IOTRACE, "latency", "-v", f"--json={path}", *options], input=b"go\n", env=env or CALMED)
    if not live.equal(f"{options}: status", ran.returncode, status):
        print(ran.stderr.decode(errors="replace"))
    with open(path, encoding="utf-8") as file:
        return json.load(file), " ".join(ran.stderr.decode(errors="replace").split())


def commands(live):
    """A command, the whole machine, more keys than there is room for, and a program that does not call the function."""
    keys = f"keys: {SPANS['keys'][0]}"
    for options in ([], ["-a"]):
        numbers, _ = told(live, "--source=bpf", "--span", keys, *options, "--", PROBES)
        check_books(live, f"{options}", numbers)
        live.equal(f"{options}: by the kernel", numbers["books"]["spans"][0]["counted_in_kernel"], True)
    numbers, _ = told(live, "--source=bpf", "--room", "10", "--span", f"k: uprobe:{PROBES}:sent -> uprobe:{PROBES}:give by arg1", "--",
                      PROBES)
    live.equal("no room", [(span["begun"], span["found_no_room"], span["left"]) for span in numbers["books"]["spans"]],
               [(10, ALL - 10, 10)])
    ran = live.run([IOTRACE, "stat", "--interval", "100ms", "--source=bpf", "--span", keys, "--", PROBES], input=b"go\n")
    live.equal("stat", (ran.returncode, b"none of its probes" in ran.stderr), (0, False))
    _, text = told(live, "--source=bpf", "--span", keys, "--", "true")
    live.check("none of its probes was hit" in text, text)


def counts(numbers):
    return {row["group"]: row["count"] for row in numbers["spans"]}


def check_counts(live, name, span, expected, in_kernel):
    """expected: how many begin and end, and how many each group has."""
    begun, ended, groups = expected
    for source in ("bpf", "perf"):
        numbers, words = told(live, f"--source={source}", "--span", span, "--", PROBES)
        live.equal(f"{name}: {source} ({words})",
                   [(span["counted_in_kernel"], span["begun"], span["ended"]) for span in numbers["books"]["spans"]],
                   [(source == "bpf" and in_kernel, begun, ended)])
        live.equal(f"{name}: {source}: groups", counts(numbers), groups)


def texts(live):
    """Keys, groups and conditions that are texts, in the program's memory or the names of threads."""
    named = f"uprobe:{PROBES}:named"
    often, seldom = MORE * 3 // 4, MORE // 4
    for name, span, begun, ended, groups in (
            ("comm", f"{TAKE} -> {TAKE}%return by tid,comm", ALL + TWICE, ALL + TWICE, {"": ALL + TWICE}),
            ("group", f"{named} -> {named}%return by tid group +0(arg1):string", MORE, MORE, {"often": often, "seldom": seldom}),
            ("condition", f'{named} if +0(arg1):string ~ "se*" -> {named}%return by tid', seldom, seldom, {"": seldom}),
            ("other", f'{named} if +0(arg1):string != "seldom" -> {named}%return by tid group +0(arg1):string', often, often, {"often": often}),
            # The first text, which is the second of four, ends with each of its next ones.
            ("key", f'{named} -> {named} by +0(arg1):string', MORE, MORE - 2, {"": MORE - 2}),
            # A return has the texts of its entry.
            ("group of an entry", f"{named}%return -> uprobe:{PROBES}:absent by tid group +0(arg1):string", MORE, MORE,
             {"often": often, "seldom": seldom}),
            ("condition of an entry", f'{named}%return if +0(arg1):string == "seldom" -> uprobe:{PROBES}:absent by tid', seldom, seldom, {"": seldom}),
            ("others of an entry", f'{named}%return if +0(arg1):string != "seldom" && +0(arg1):string ~ "of*" -> uprobe:{PROBES}:absent by tid',
             often, often, {"": often}),
            ("key of an entry", f"{named}%return -> {named}%return by +0(arg1):string,tid", MORE, MORE - 2, {"": MORE - 2})):
        check_counts(live, f"texts: {name}", f"k: {span}", (begun, ended, groups), True)


def refused(live):
    """More events than the kernel has programs for are counted all the same."""
    many = f"k: {TAKE} -> {' or '.join([GIVE + ' if arg1 < 3'] * 4)} or {GIVE} by tid,arg1 group +0(+8(arg1)):u32"
    check_counts(live, "many", many, (ALL + TWICE, ALL, {"1": ALL // 2, "2": ALL // 2}), False)
    words = told(live, "--span", many, "--", PROBES)[1]
    live.check("is not counted in the kernel: more than 4 events end it" in words, words)


def absent(live):
    """Memory that the program has never touched is not there: a field of it is 0, and is counted."""
    span = f"k: uprobe:{PROBES}:absent -> uprobe:{PROBES}:absent%return by tid size +0(arg1)"
    numbers, words = told(live, "--source=bpf", "--span", span, "--", PROBES)
    live.equal("not in memory", [(span["counted_in_kernel"], span["ended"], span["unread"]) for span in numbers["books"]["spans"]],
               [(True, MORE, MORE)])
    live.equal("not in memory: bytes", [row["bytes"] for row in numbers["spans"]], [0])
    live.check(f"{MORE} fields were not in memory and count as 0" in words, words)


REFUSES = """
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <sys/syscall.h>

long syscall(long number, ...)
{
	long a[6], result;
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_bpf && a[0] == BPF_PROG_LOAD && ((union bpf_attr *)a[1])->prog_type == BPF_PROG_TYPE_KPROBE) {
		errno = EPERM;
		return -1;
	}
	register long r10 __asm__("r10") = a[3];
	register long r8 __asm__("r8") = a[4];
	register long r9 __asm__("r9") = a[5];

	__asm__ volatile("syscall" : "=a"(result) : "0"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	if (result < 0 && result > -4096) {
		errno = -result;
		return -1;
	}
	return result;
}
"""


def without_kprobes(live):
    """A kernel that refuses such programs: the probes are recorded, and -v says why. Here a library refuses them."""
    if os.uname().machine != "x86_64":
        print("not compared: the library is of x86-64")
        return
    source, library = live.path("refuses.c"), live.path("refuses.so")
    with open(source, "w", encoding="ascii") as file:
        file.write(REFUSES)
    live.run(["cc", "-shared", "-fPIC", "-o", library, source])
    sanitizer = CALMED.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    env = dict(CALMED, LD_PRELOAD=library, ASAN_OPTIONS=sanitizer)
    numbers, words = told(live, "--source=bpf", "--span", f"keys: {SPANS['keys'][0]}", "--", PROBES, env=env)
    check_books(live, "without kprobe programs", numbers)
    live.equal("without kprobe programs: whose", numbers["books"]["spans"][0]["counted_in_kernel"], False)
    live.check("is not counted in the kernel: cannot load the BPF programs that count spans" in words, words)


with Live() as test:
    if SOURCE == "bpf":
        for each in (same, grouped, chosen, commands, texts, refused, absent, without_kprobes):
            each(test)
    else:
        test.lacks("BPF")
