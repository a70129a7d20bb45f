#!/usr/bin/python3
"""Requests of io_uring are operations of the thread that submitted them, with their file and their bytes.

A workload says what it did; fio says how many operations it made and how many bytes it moved.
"""

import json
import os
import sys
from collections import Counter

import otf2
from otf2 import events

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive  # noqa: E402
from live import Live, workload  # noqa: E402

SOURCE = ("--syscalls=+uring",)
COUNTED = ("reads", "read_bytes", "writes", "written_bytes", "flushes")


class Requests:
    """The non-blocking operations of an archive."""

    def __init__(self, directory):
        self.locations = Counter()
        self.on_ring = Counter()  # by the names of handles without a file
        self.archive = Archive(directory, self._event)

    def _event(self, process, location, event):
        if not isinstance(event, events.IoOperationBegin):
            return
        if event.operation_flags.value & otf2.IoOperationFlag.NON_BLOCKING.value:
            self.locations[location.name.split(" ", 1)[-1]] += 1
            if event.handle.file is None:
                self.on_ring[event.handle.name] += 1

    def of(self, path):
        """What was done to a file, by calls as well."""
        sums = Counter()
        for process in self.archive.groups.values():
            sums.update(process.whole().files.get(path, {}))
        return {key: sums[key] for key in COUNTED if sums[key]}


def run_workload(live, how):
    folder, archive = live.made(f"files-{how}"), live.path(f"archive-{how}")
    ran = live.record(archive, [workload("uring"), folder, *([how] if how != "plain" else [])], *SOURCE)
    if ran.returncode:
        return
    said = json.loads(ran.stdout)
    live.examine(archive)
    requests = Requests(archive)
    for name in ("data", "flushed"):
        live.equal(f"{how}: {name}", requests.of(f"{folder}/{name}"), said[name])
    by_pid = requests.archive.processes()
    live.equal(f"{how}: cancelled", by_pid[said["pid"]].cancelled, said["cancelled"])
    live.equal(f"{how}: locations of requests", len(requests.locations), 1)
    live.equal(f"{how}: whose", next(iter(requests.locations)).startswith("iou-sqp"), how == "sqpoll")


def run_fio(live, name, *options):
    """fio's own totals are the witness."""
    folder, archive = live.made(f"fio-{name}"), live.path(f"archive-fio-{name}")
    job = ["fio", "--name=job", f"--filename={folder}/data", "--size=4m", "--bs=4k", "--iodepth=16", "--ioengine=io_uring",
           "--rw=randrw", "--output-format=json", "--fallocate=none", "--end_fsync=1", *options]
    live.run(job, cwd=folder)  # lays the file out
    ran = live.record(archive, job, *SOURCE, cwd=folder)
    if ran.returncode:
        return
    done = json.loads(ran.stdout)["jobs"][0]
    live.examine(archive)
    requests = Requests(archive)
    read, write = done["read"], done["write"]
    expected = {"reads": read["total_ios"], "read_bytes": read["io_bytes"], "writes": write["total_ios"],
                "written_bytes": write["io_bytes"]}
    if name == "fixed":  # which file that is no tracepoint tells: the ring stands for it
        told = read["total_ios"] + write["total_ios"] + done["sync"]["total_ios"]
        flush = requests.on_ring["anon_inode:[io_uring]"] - told
        live.check(flush in (0, 1), f"fio fixed: {flush} more than fio tells, which may leave out the flush at the end")
        return
    got = requests.of(f"{folder}/data")
    live.equal(f"fio {name}: flushes", got.pop("flushes", 0) > 0, True)
    live.equal(f"fio {name}: totals", got, expected)


with Live() as live:
    run_workload(live, "plain")
    run_workload(live, "sqpoll")
    run_fio(live, "buffered")
    run_fio(live, "fixed", "--sqthread_poll=1")
