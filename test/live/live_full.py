#!/usr/bin/python3
"""A full disk tells one story: summary, iotrace.json, exit status and messages agree on what is missing, every archive that
stands under its name verifies, and what stays beside it is named. Disks are small tmpfs, mounted for this test alone."""

import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from live import IOTRACE, Live, workload  # noqa: E402

MANY, FEW = 50000, 1000  # calls of a thread: more than the disk has room for, and fewer


class Small:
    """A file system with these limits, while the block lasts."""

    def __init__(self, live, options):
        self.path = live.path("small")
        os.makedirs(self.path, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "iotrace-live", self.path], check=True)

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", self.path], check=True)


def data(live):
    with open(live.path("data"), "wb") as file:
        file.write(b"x" * 4096)
    return live.path("data")


def storm(live, calls):
    """Two threads make so many calls each."""
    return [workload("storm"), data(live), "2", str(calls)]


def capture(live, calls):
    path = live.path(f"capture-{calls}")
    if not os.path.exists(path):
        live.record(live.path(f"whole-{calls}"), storm(live, calls), "-q", "--capture", path)
    return path


def check_names(live, what, place, said):
    for name in os.listdir(place):
        live.check(name == "trace" or name in said, f"{what}: {name} is left, and no sentence says so: {said}")


def check_archive(live, what, archive, summary, ran):
    """What the archive, the summary and the status say of its end."""
    about = live.examine(archive, lossless=False)
    sentence, is_short = about["books"]["sentence"], about["books"]["counters"].get("sink_unwritten", 0) > 0
    with open(summary, encoding="utf-8") as file:
        top = json.load(file)
    complete, duration = top["completeness"], top["run"]["duration_ns"]
    live.equal(f"{what}: sentence of the summary", complete["sentence"], sentence)
    live.equal(f"{what}: counters of the summary", complete["counters"], about["books"]["counters"])
    live.equal(f"{what}: is_complete", about["is_complete"], ran.returncode == 0)
    live.equal(f"{what}: state", complete["state"], "incomplete" if ran.returncode else "complete")
    report = json.loads(live.run([IOTRACE, "report", "--json", archive]).stdout)
    for who, text in ("summary", top), ("report", report):
        early = [remark for remark in text["remarks"] if remark.startswith(("recorded until ", "the archive ends at "))]
        live.equal(f"{what}: the {who} says that it ends early", len(early), 1 if ran.returncode else 0)
    until = about["archive_end"]["duration_ns"] if about["archive_end"] else duration
    live.equal(f"{what}: duration of the report", report["run"]["duration_ns"], until)
    said = live.run([IOTRACE, "check-archive", archive]).stdout
    live.equal(f"{what}: the archive says that it ends early", b"ends early" in said, is_short)
    if ran.returncode:
        live.check(sentence in ran.stderr.decode(), f"{what}: the message is not the summary's: {ran.stderr!r}")


def try_record(live, what, small, source, calls):
    summary = live.path("summary.json")
    ran = live.run([IOTRACE, f"--source={source}", f"--summary=json:{summary}", "-o", f"{small}/trace", "--", *storm(live, calls)])
    live.check(ran.returncode in (0, 125), f"{what}: exit status {ran.returncode}: {ran.stderr!r}")
    live.check(not ran.returncode or b"space left" in ran.stderr,
               f"{what}: the cause is not in: {ran.stderr!r}")
    check_names(live, what, small, ran.stderr.decode())
    if os.path.exists(f"{small}/trace"):
        live.equal(f"{what}: what the command said", ran.stdout, b"ready\n%d\n" % (2 * calls))
        check_archive(live, what, f"{small}/trace", summary, ran)
    return ran


def try_convert(live, what, small, calls):
    summary = live.path("summary.json")
    ran = live.run([IOTRACE, "convert", capture(live, calls), f"--summary=json:{summary}", "-o", f"{small}/trace"])
    live.check(ran.returncode in (0, 125), f"{what}: exit status {ran.returncode}: {ran.stderr!r}")
    check_names(live, what, small, "")
    if os.path.exists(f"{small}/trace"):
        check_archive(live, what, f"{small}/trace", summary, ran)


def try_text(live, what):
    with Small(live, "size=1m") as less:
        ran = live.run([IOTRACE, "convert", capture(live, MANY), "--format", "text", "-o", f"{less}/text"])
        live.equal(f"{what}: exit status", ran.returncode, 125)
        live.equal(f"{what}: what is left", os.listdir(less), [])
        said = ran.stderr.decode()
        live.check("its output could not be written" in said, f"{what}: the summary names no cause: {said}")
        live.check("the capture has no end" not in said, f"{what}: the summary blames the capture: {said}")
        live.check("still running" not in said, f"{what}: nothing is known of the processes at the end: {said}")


def test_refusal(live):
    """What iotrace itself has used already counts as free and as needed. An archive begins where there is as much as it asks for."""
    size = 400
    with Small(live, f"size={size}k") as small:
        ran = live.run([IOTRACE, "-q", "-o", f"{small}/trace", "--", "true"])
        said = re.search(rb"(\d+) KiB are free there, and it needs (\d+) KiB", ran.stderr)
        live.check(said, f"refused: {ran.stderr!r}")
        has, needs = (int(number) for number in said.groups()) if said else (0, 0)
        live.check(size - 8 <= has <= size, f"refused: {has} KiB are free of {size}")
    with Small(live, f"size={needs + 64}k") as small:
        ran = live.run([IOTRACE, "-q", "-o", f"{small}/trace", "--", "true"])
        live.equal(f"with {needs} KiB: exit status", (ran.returncode, ran.stderr), (0, b""))


def test_sizes(live):
    refused = 0
    for size in range(1, 13):
        for source in ("bpf", "perf"):
            with Small(live, f"size={size}m") as small:
                refused += try_record(live, f"{size} MiB, {source}", small, source, MANY).returncode != 0
        with Small(live, f"size={size}m") as small:
            try_convert(live, f"{size} MiB, convert", small, MANY)
    live.check(refused > 8, f"only {refused} recordings found too little room: the disks are too large for this test")


def test_inodes(live):
    for inodes in range(1, 16):
        for source in ("bpf", "perf", "convert"):
            what = f"{inodes} inodes, {source}"
            with Small(live, f"size=64m,nr_inodes={inodes}") as small:
                if source == "convert":
                    try_convert(live, what, small, FEW)
                else:
                    try_record(live, what, small, source, FEW)


if os.environ.get("IOTRACE_FULL") is None:  # the mounts are seen by nobody else
    os.execvpe("unshare", ["unshare", "-m", "--propagation", "private", sys.executable, "-B", *sys.argv],
               dict(os.environ, IOTRACE_FULL="1"))
with Live() as test:
    test_refusal(test)
    test_sizes(test)
    try_text(test, "text")
    test_inodes(test)
