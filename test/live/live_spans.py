#!/usr/bin/python3
"""iotrace record --span live: what programs say that they did, what iotrace latency says of the capture and of the archive of one run,
and what python3-otf2 reads."""

import json
import os
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import spans  # noqa: E402
from live import IOTRACE, Live, SOURCE, workload  # noqa: E402

KEYS = workload("keys")
HELD = f"held: uprobe:{KEYS}:keys_take%return -> uprobe:{KEYS}:keys_give by pid,retval:x64/arg2:x64 group +0(arg1):u32 size arg2"
TAKE = f"take: uprobe:{KEYS}:keys_take -> uprobe:{KEYS}:keys_take%return by tid"


def record(live, name, words, *command, options=()):
    """Returns the directory of an archive that is right, and what the command wrote."""
    archive = live.path(name)
    ran = live.record(archive, command, "-q", f"--source={SOURCE}", *options, *(part for word in words for part in ("--span", word)),
                      timeout=300)
    checked = live.run([IOTRACE, "check-archive", archive])
    live.equal(f"{name}: check-archive ({checked.stdout.decode()[:500]})", checked.returncode, 0)
    return archive, ran.stdout.decode()


def told(live, file, *names):
    ran = live.run([IOTRACE, "latency", "--json", *(part for name in names for part in ("--span", name)), file])
    live.equal(f"{file}: latency ({ran.stderr.decode()})", ran.returncode, 0)
    return json.loads(ran.stdout)


def numbers(live, file, *names):
    return {(row["span"], row["group"] or ""): (row["count"], row["min_ns"], row["max_ns"], row["sum_ns"])
            for row in told(live, file, *names)["spans"]}


def probes(live):
    """Keys of a program are in flight beside its calls; functions stand around what they call."""
    archive, said = record(live, "keys", [HELD, TAKE], KEYS)
    live.check("taken 1000" in said, said)
    latencies, keys, forms, cut = spans.read(archive)
    live.equal("forms", forms, {"held": [1000, 0], "take": [0, 1000]})
    live.equal("ended", {key: len(values) for key, values in latencies.items()},
               {("held", "1"): 497, ("held", "2"): 496, ("take", ""): 1000})
    live.equal("not ended", cut, {"held": ["the thread ended"] * 7})
    live.equal("each has a key of its process and an address", {len(key) for key in keys["held"]}, {2})
    live.equal("read back", numbers(live, archive, "held", "take"), spans.summed(latencies))
    row = {row["group"]: row["bytes"] for row in told(live, archive, "held")["spans"]}
    live.equal("sizes", row, {str(box): sum(range(first, 993, 2)) for box, first in ((1, 0), (2, 1))})
    ran = live.run([IOTRACE, "leaks", "--json", "--span", "held", archive])
    live.equal("leaks of the archive", len(json.loads(ran.stdout)["leaks"]), 7)
    report = json.loads(live.run([IOTRACE, "report", "--json", archive]).stdout)
    live.equal("spans are no I/O", report["calls"].get("async", {}).get("calls", 0), 0)


def captured(live, name, chosen, *command, options=()):
    """The archive and the capture of one run say the same."""
    capture = live.path(f"{name}.data")
    archive, said = record(live, name, chosen, *command, options=("--capture", capture, *options))
    latencies, _, forms, _ = spans.read(archive)
    expected = numbers(live, capture, *chosen)
    live.equal(f"{name}: archive and capture", numbers(live, archive, *chosen), expected)
    live.equal(f"{name}: python3-otf2", spans.summed(latencies), expected)
    again = live.path(f"{name}-again")
    live.run([IOTRACE, "convert", "-q", "-o", again, *(part for word in chosen for part in ("--span", word)), capture])
    live.equal(f"{name}: converted again", spans.summed(spans.read(again)[0]), expected)
    return latencies, forms, said


SHELL = "i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i + 1)); done; dd if=/dev/zero of=$0 bs=64k count=64 conv=fsync status=none"


def chosen(live):
    """--path chooses among files. Spans are of no file, so they are all there, beside the calls that concern a chosen file."""
    for option in ("--path=/nothing/*", "--exclude-path=*"):
        archive, _ = record(live, "chosen" + option[2], [HELD, TAKE], KEYS, options=(option,))
        latencies, _, forms, cut = spans.read(archive)
        live.equal(f"{option}: forms", forms, {"held": [1000, 0], "take": [0, 1000]})
        live.equal(f"{option}: ended", {key: len(values) for key, values in latencies.items()},
                   {("held", "1"): 497, ("held", "2"): 496, ("take", ""): 1000})
        live.equal(f"{option}: not ended", cut, {"held": ["the thread ended"] * 7})
        live.equal(f"{option}: read back", numbers(live, archive, "held", "take"), spans.summed(latencies))
        named = json.loads(live.run([IOTRACE, "report", "--json", archive]).stdout)["files"]
        live.equal(f"{option}: files", named["total"], 0)


def machine(live):
    """The work of kernel threads nests."""
    latencies, forms, _ = captured(live, "machine", ["workqueue"], "sh", "-c", SHELL, live.path("out"), options=("-a",))
    live.check(sum(map(len, latencies.values())), "work")
    live.equal("forms", forms["workqueue"][0], 0)


def waits(live):
    """Waits for a CPU begin in one thread and end in another. The archive lacks those of iotrace's own threads, and those at the begin of
    the recording whose thread no fact has named yet: they are counted."""
    archive, _ = record(live, "waits", ["sched"], "sh", "-c", SHELL, live.path("out"), options=("-a", "--capture", live.path("waits.data")))
    with open(f"{archive}/iotrace.json", encoding="utf-8") as file:
        unplaced = json.load(file)["books"]["counters"]["spans_unplaced"]
    ours, all_ = (numbers(live, file, "sched") for file in (archive, live.path("waits.data")))
    count = [sum(row[0] for row in rows.values()) for rows in (ours, all_)]
    latencies, _, forms, cut = spans.read(archive)
    # The command before its exec is not recorded, and the end of a process ends what it waited for.
    own = sum(row[0] for (_, task), row in numbers(live, live.path("waits.data"), "sched").items() if task.startswith("iotrace"))
    missing = unplaced + own + len(cut.get("sched", ())) + 2
    live.check(100 < count[0] <= count[1] <= count[0] + missing, f"{count}, {missing} without a thread")
    live.check(unplaced * 10 < count[1], f"{unplaced} of {count[1]} without a thread")
    live.check(own, "iotrace's own threads waited for no CPU")
    live.equal("python3-otf2", spans.summed(latencies), ours)
    live.equal("form", forms["sched"][1], 0)


def mappings(live):
    """Mappings of memory that nobody unmaps are leaks."""
    program = "import mmap, os, sys; a = [mmap.mmap(-1, 4096) for _ in range(int(sys.argv[1]))]; [m.close() for m in a[7:]]; os._exit(0)"

    def books(count):
        name = live.path("map.json")
        live.run([IOTRACE, "leaks", "--span", "map", f"--json={name}", f"--source={SOURCE}", "--", sys.executable, "-c", program, str(count)])
        with open(name, encoding="utf-8") as file:
            return json.load(file)["books"]["spans"][0]

    none, some = books(0), books(17)
    live.equal("mappings", {fate: some[fate] - none[fate] for fate in ("begun", "ended", "left", "cancelled")},
               {"begun": 17, "ended": 10, "left": 7, "cancelled": 0})


def kvm(live):
    """As many ways out to the program as it says."""
    if not os.path.exists("/dev/kvm"):
        print("not compared: there is no /dev/kvm")
        return
    latencies, forms, said = captured(live, "kvm", ["kvm", "kvm-user"], workload("kvm"), "2000")
    words = said.split()
    live.equal("writes", words[3], "2000")
    # The last way out has no entry behind it.
    ended = {group: len(values) for (span, group), values in latencies.items() if span == "kvm-user"}
    live.equal("kvm-user", ended, {"KVM_EXIT_IO(2)": 2000})
    live.equal("forms", forms["kvm-user"], [2001, 0])
    live.equal("exits", int(words[1]), 2001)
    if "kvm" not in forms:
        print("not compared: this KVM has no kvm_exit")
        return
    live.check(any(span == "kvm" and group.startswith(("io(", "IO_INSTRUCTION(")) and len(values) == 2000
                   for (span, group), values in latencies.items()), f"the reason of 2000 exits: {sorted(map(str, latencies))}")


def refused(live):
    for options, sentence in ((("--span", "io"), "these are in the archive without --span"),
                              (("--span", "block"), "with --block"),
                              (("--span", "nosuch"), "there is no span 'nosuch'")):
        ran = live.run([IOTRACE, "-o", live.path("refused"), *options, "--", "true"])
        live.equal(f"{options}: status", ran.returncode, 125)
        live.check(sentence in ran.stderr.decode(), f"{options}: {sentence!r} is not in {ran.stderr.decode()!r}")


with Live() as test:
    probes(test)
    chosen(test)
    machine(test)
    waits(test)
    mappings(test)
    kvm(test)
    refused(test)
