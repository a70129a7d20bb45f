#!/usr/bin/python3
"""Asynchronous requests are operations of the thread that submitted them, with their file and their bytes.

Workloads say what they did; fio says how many operations it made and how many bytes it moved. Through BPF offsets and
sizes are told, fixed files are files, and iocbs are operations; through tracepoints only io_uring is, and its fixed files
are booked on the ring.
"""

import errno
import json
import os
import sys
from collections import Counter

import otf2
from otf2 import events
from otf2.enums import IoOperationMode

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import UNDEFINED, Archive  # noqa: E402
from live import IOTRACE, Live, workload  # noqa: E402

BPF = ("--source=bpf",)
PERF = ("--source=perf", "--syscalls=+uring")
COUNTED = ("reads", "read_bytes", "writes", "written_bytes", "flushes")


class Requests:
    """The non-blocking operations of an archive."""

    def __init__(self, directory):
        self.locations = Counter()
        self.on_ring = Counter()  # by mode
        self.offsets = self.sizes = 0
        self.asked = Counter()    # by path
        self.archive = Archive(directory, self._event)

    def _event(self, process, location, event):
        if not isinstance(event, events.IoOperationBegin):
            return
        if not event.operation_flags.value & otf2.IoOperationFlag.NON_BLOCKING.value:
            return
        self.locations[location.name.split(" ", 2)[-1]] += 1
        if event.handle.file is None and "io_uring" in event.handle.name:
            self.on_ring[event.mode] += 1
        self.offsets += any(a.name == "Offset" for a in event.attributes or ())
        if event.mode != IoOperationMode.FLUSH and event.bytes_request != UNDEFINED:
            self.sizes += 1
            self.asked[event.handle.file.name if event.handle.file else None] += event.bytes_request

    def of(self, path):
        """What was done to a file, by calls as well."""
        sums = Counter()
        for process in self.archive.groups.values():
            sums.update(process.whole().files.get(path, {}))
        return {key: sums[key] for key in COUNTED if sums[key]}


def source_of(options):
    return "bpf" if options == BPF else "perf"


def run_uring(live, how, options):
    what = f"uring {how} {source_of(options)}"
    folder, archive = live.made(f"files {what}"), live.path(f"archive {what}")
    ran = live.record(archive, [workload("uring"), folder, *([how] if how != "plain" else [])], *options)
    if ran.returncode:
        return
    said = json.loads(ran.stdout)
    said["data"]["writes"] += options == BPF  # the one that was linked; without BPF it has no file
    live.examine(archive)
    requests = Requests(archive)
    for name in ("data", "flushed"):
        live.equal(f"{what}: {name}", requests.of(f"{folder}/{name}"), said[name])
    live.check(said["written"] in ("early", "late"), f"{what}: no file was written")
    other = {"early": "late", "late": "early"}[said["written"]]
    live.equal(f"{what}: not written", requests.of(f"{folder}/{other}"), {})
    live.equal(f"{what}: appended", requests.of(f"{folder}/appended"), {"writes": 2, "written_bytes": 8192})
    live.equal(f"{what}: cancelled", requests.archive.processes()[said["pid"]].cancelled, said["cancelled"])
    if how == "left":
        live.equal(f"{what}: bytes", requests.of(f"{folder}/left").get("read_bytes", 0), said["left"])
    live.equal(f"{what}: locations of requests", len(requests.locations), 1)
    live.equal(f"{what}: whose", next(iter(requests.locations)).startswith("iou-sqp"), how == "sqpoll")
    if options == BPF:
        live.equal(f"{what}: offsets", requests.offsets, said["offsets"])
        live.equal(f"{what}: sizes", requests.sizes, said["offsets"] + 6)
        for name in ("fixed", "direct"):
            live.equal(f"{what}: {name}", requests.of(f"{folder}/{name}"), {"writes": 1, "written_bytes": 4096})


def run_silent(live, options):
    """Nobody reports when a request ended whose success has no completion: it has no duration and no bytes."""
    what = f"uring silent {source_of(options)}"
    folder, archive, lost = live.made(f"files {what}"), live.path(f"archive {what}"), Counter()

    def count(process, location, event):
        if isinstance(event, events.IoOperationCancelled):
            lost[event.handle.name, *(value for key, value in event.attributes.items() if key.name == "OTF2::IO_CANCEL_REASON")] += 1

    ran = live.record(archive, [workload("uring"), folder, "silent"], *options)
    said = json.loads(ran.stdout)
    about = live.examine(archive)
    live.equal(f"{what}: unreported", about["books"]["counters"]["unreported"], 3)
    live.check(b"asynchronous requests that have ended at a time that is not known" in b" ".join(ran.stderr.split()), f"{what}: remark")
    Archive(archive, count)
    live.equal(f"{what}: why", dict(lost), {(f"{folder}/silent", "the kernel did not report its end"): 3})
    live.equal(f"{what}: bytes", Requests(archive).of(f"{folder}/silent"), {"writes": 4, "written_bytes": said["written"]})
    summary = json.loads(live.run([IOTRACE, "report", "--json", archive]).stdout)
    row = next(row for row in summary["files"]["rows"] if row["path"] == f"{folder}/silent")
    live.check(row["async_time_ns"] < 50000000, f"{what}: duration: {row}")


def run_bad(live, options):
    """Requests without a file fail on the ring. One that its process leaves behind, for a worker of the kernel, brings no other process."""
    what = f"uring bad {source_of(options)}"
    folder, archive, errors = live.made(f"files {what}"), live.path(f"archive {what}"), Counter()

    def count(process, location, event):
        if isinstance(event, events.IoOperationComplete) and "io_uring" in event.handle.name:
            errors.update(value for key, value in (event.attributes or {}).items() if key.name == "errno")

    live.record(archive, [workload("uring"), folder, "bad"], *options)
    about = live.examine(archive)
    Archive(archive, count)
    live.equal(f"{what}: errors", dict(errors), {errno.EBADF: 2})
    live.equal(f"{what}: processes", [about["trace"][key] for key in ("processes_seen", "processes_left")], [1, 0])
    summary = json.loads(live.run([IOTRACE, "report", "--json", archive]).stdout)
    live.equal(f"{what}: failed", summary["calls"]["async"]["failed"], 2)


def run_message(live):
    """A fixed file that another ring replaces: what it was before has nothing of what is written then."""
    folder, archive = live.made("files message"), live.path("archive message")
    live.record(archive, [workload("message"), folder], *BPF)
    live.examine(archive)
    requests = Requests(archive)
    live.equal("message: first", requests.of(f"{folder}/first"), {"writes": 2, "written_bytes": 11 + 12})
    live.equal("message: second", requests.of(f"{folder}/second"), {"writes": 1, "written_bytes": 13})
    live.equal("message: on the ring", requests.on_ring, {})


def run_direct(live):
    """Files and sockets that only requests opened, in the slots of the ring, have their names."""
    folder, archive, reads = live.made("files direct"), live.path("archive direct"), Counter()

    def count(process, location, event):
        if isinstance(event, events.IoOperationBegin) and event.mode == IoOperationMode.READ:
            reads[event.handle.name] += 1

    ran = live.record(archive, [workload("direct"), folder], *BPF)
    if ran.returncode:
        return
    said = json.loads(ran.stdout)
    live.examine(archive)
    requests = Requests(archive)
    written = said["files"] | {f"again-{i}": [1, 14] for i in range(said["again"])}
    for name, (writes, size) in written.items():
        live.equal(f"direct: {name}", requests.of(f"{folder}/{name}"), {"writes": writes, "written_bytes": size})
    live.equal("direct: on the ring", requests.on_ring, {IoOperationMode.WRITE: 1})  # it had no file
    Archive(archive, count)
    sockets = [f"socket:[{inode}]" for inode in said["sockets"]]
    if all(said["sockets"]):
        live.equal("direct: reads of each socket", {name: reads[name] for name in sockets}, dict.fromkeys(sockets, 1))


def run_accept(live):
    """What one request accepts again and again are descriptors with names."""
    archive, reads = live.path("archive accept"), Counter()

    def count(process, location, event):
        if isinstance(event, events.IoOperationBegin) and event.mode == IoOperationMode.READ:
            reads[event.handle.name] += 1

    ran = live.record(archive, [workload("accept"), live.path("socket")], *BPF)
    live.examine(archive)
    Archive(archive, count)
    sockets = [f"socket:[{inode}]" for inode in json.loads(ran.stdout)]
    live.equal("accept: reads of each socket", {name: reads[name] for name in sockets}, dict.fromkeys(sockets, 1))


def run_libaio(live):
    folder, archive = live.made("files libaio"), live.path("archive libaio")
    ran = live.record(archive, [workload("libaio"), folder], *BPF)
    if ran.returncode:
        return
    said = json.loads(ran.stdout)
    live.examine(archive)
    requests = Requests(archive)
    live.equal("libaio: data", requests.of(f"{folder}/data"), said["data"])
    live.equal("libaio: offsets", requests.offsets, said["offsets"])
    live.equal("libaio: asked", requests.asked[f"{folder}/data"],
               said["data"]["read_bytes"] + said["data"]["written_bytes"])


def run_many(live):
    """Small rings that are read again and again while one call submits: each iocb has its own time, and none is late."""
    folder, archive = live.made("files many"), live.path("archive many")
    live.record(archive, [workload("libaio"), folder, "many"], *BPF, "-m", "1M")
    about = live.examine(archive, lossless=False)
    live.equal("many: late", about["books"]["counters"]["late"], 0)


def run_fio(live, options, engine, *more):
    """fio's own totals are the witness."""
    what = " ".join(("fio", source_of(options), engine, *more))
    folder, archive = live.made(f"files {what}"), live.path(f"archive {what}")
    job = ["fio", "--name=job", f"--filename={folder}/data", "--size=4m", "--bs=4k", "--iodepth=16", f"--ioengine={engine}",
           "--rw=randrw", "--output-format=json", "--fallocate=none", "--end_fsync=1", *more]
    live.run(job, cwd=folder)  # lays the file out
    ran = live.record(archive, job, *options, cwd=folder)
    if ran.returncode:
        return
    done = json.loads(ran.stdout)["jobs"][0]
    live.examine(archive)
    requests = Requests(archive)
    read, write = done["read"], done["write"]
    if options == PERF and more:  # fixed files: which is told by no tracepoint
        live.equal(f"{what}: on the ring", (requests.on_ring[IoOperationMode.READ], requests.on_ring[IoOperationMode.WRITE]),
                   (read["total_ios"], write["total_ios"]))
        return
    got = requests.of(f"{folder}/data")
    live.equal(f"{what}: flushes", got.pop("flushes", 0) > 0, True)
    live.equal(f"{what}: totals", got, {"reads": read["total_ios"], "read_bytes": read["io_bytes"],
                                        "writes": write["total_ios"], "written_bytes": write["io_bytes"]})
    if options == BPF:
        live.equal(f"{what}: asked", requests.asked[f"{folder}/data"], read["io_bytes"] + write["io_bytes"])


with Live() as live:
    for source in (PERF, BPF):
        run_uring(live, "plain", source)
        run_uring(live, "sqpoll", source)
        run_fio(live, source, "io_uring")
        run_fio(live, source, "io_uring", "--sqthread_poll=1")  # with fixed files
    run_uring(live, "left", BPF)
    for source in (PERF, BPF):
        run_silent(live, source)
        run_bad(live, source)
    run_message(live)
    run_direct(live)
    run_accept(live)
    run_libaio(live)
    run_many(live)
    run_fio(live, BPF, "libaio")
    run_fio(live, BPF, "libaio", "--direct=1")
