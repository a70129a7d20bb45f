#!/usr/bin/python3
"""The machine's own disk: what is recorded of it is what its counters say between the two moments at which iotrace reads
them, whatever else the machine does; of others nothing is said; and of chosen commands it is their requests alone."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
import block  # noqa: E402
from live import IOTRACE, Live  # noqa: E402

TRIES = 4
WRITES = 64


def dd(live, name):
    return f"dd if=/dev/zero of={live.path(name)} bs=64k count={WRITES} oflag=direct status=none"


def record(live, name, command, *options):
    """Again, if the kernel did not deliver a step, which must be told. Returns what the archive says."""
    for attempt in range(TRIES):
        directory = live.path(f"{name}{attempt}")
        with block.Busy():
            ran = live.record(directory, command, "-a", *options)
        with open(f"{directory}/iotrace.json", encoding="utf-8") as file:
            about = json.load(file)
        live.balance(about["books"], lossless=False)
        ours, kernel = block.counted(about["devices"][0])
        said = ran.stderr.decode(errors="replace")
        is_reported = "the kernel itself counted" in said or "without an end" in said
        live.equal(f"{name}: a difference is reported", is_reported, ours != kernel)
        if ours == kernel and not about["books"]["counters"]["unseen"]:
            break
        print(f"{name}: {ours}, by its counters {kernel}: once more")
    return directory, about


def test_counters(live, disk):
    _, about = record(live, "all", block.script(dd(live, "out")), f"--block={disk}")
    live.equal("devices", [device["name"] for device in about["devices"]], [disk])
    ours, kernel = block.counted(about["devices"][0])
    print(f"{disk}: {ours}, by its counters {kernel}")
    live.equal("unseen", about["books"]["counters"]["unseen"], 0)
    live.same_counts(disk, ours, kernel)
    live.check(kernel["writes"] >= WRITES, f"{disk}: {kernel['writes']} writes")
    live.equal("balanced", about["devices"][0]["balanced"], True)


def test_others(live, disk):
    """Another command works as well; its requests are counted, but not recorded."""
    cat = f"cat {live.path('out')} >/dev/null; cp {live.path('out')} {live.path('copy')}; sync {live.path('copy')}"
    directory, about = record(live, "dd", block.script(cat, dd(live, "out2")), f"--device={disk}", "--comm=dd")
    requests = block.requests(directory)[disk]
    live.equal("--comm=dd: commands of requests", {request.command for request in requests}, {"dd"})
    live.check(len(requests) >= WRITES, f"--comm=dd: {len(requests)} requests")
    excluded = about["books"]["counters"]["requests_excluded"]
    live.check(excluded > 0, "--comm=dd: nothing was excluded")
    ours, kernel = block.counted(about["devices"][0])
    live.same_counts(f"--comm=dd: {disk}", ours, kernel)


def test_cache(live, disk):
    """What the page cache served is in the report as well, though the disk itself may have had no request."""
    directory, text = live.path("cached"), live.path("cached.json")
    command = ["sh", "-c", f"exec cat {live.path('out')} >/dev/null"]
    live.record(directory, command, "-a", "--comm=cat", f"--block={disk}", f"--summary=json:{text}")
    with open(text, encoding="utf-8") as file:
        summary = json.load(file)
    report = json.loads(live.run([IOTRACE, "report", "--json", directory]).stdout)
    programs = [{device["device"]["name"]: device["programs"] for device in of["devices"]} for of in (summary, report)]
    live.equal("cache table of the report", programs[1], programs[0])
    live.check(programs[0][disk]["asked_read"] > 0, f"nothing was read from {disk}: {programs[0]}")


def main():
    with Live() as live:
        disk = block.disk_of(live.dir)
        if not disk:
            live.lacks("a disk under the test's folder")
            return
        test_counters(live, disk)
        test_others(live, disk)
        test_cache(live, disk)


main()
