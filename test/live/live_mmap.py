#!/usr/bin/python3
"""Page faults that read from a mapped file are operations of the file: where, and how much.

The workload drops the file from the page cache, so it knows what must be read; the kernel's own count of faults that waited for a
disk is the witness. It needs a file system on a disk under the directory for temporary files.
"""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive  # noqa: E402
from live import Live, workload  # noqa: E402
from otf2 import events  # noqa: E402
from otf2.enums import IoOperationMode  # noqa: E402


class Reads:
    """Of one file: (offset, bytes) in order."""

    def __init__(self, directory, path):
        self.path = path
        self.begun, self.reads, self.time = {}, [], 0
        Archive(directory, self._event)

    def _event(self, process, location, event):
        if isinstance(event, events.IoOperationBegin) and event.handle.file is not None:
            if event.handle.file.name == self.path and event.mode == IoOperationMode.READ:
                offset = next((a for a in event.attributes or () if a.name == "Offset"), None)
                self.begun[event.matching_id] = (event.attributes[offset] if offset else None, event.bytes_request)
        elif isinstance(event, events.IoOperationComplete) and event.matching_id in self.begun:
            offset, asked = self.begun.pop(event.matching_id)
            self.reads.append((offset, event.bytes_result))


with Live() as live:
    data, archive = live.path("mapped"), live.path("archive")
    ran = live.record(archive, [workload("mmap"), data], "--source=bpf", "--syscalls=+mmap")
    said = json.loads(ran.stdout)
    live.examine(archive)
    got = Reads(archive, data)
    at_random = got.reads[:len(said["offsets"])]
    live.equal("random: offsets and sizes", at_random, [(offset, 4096) for offset in said["offsets"]])
    live.equal("random: faults that waited", said["faults"], len(said["offsets"]))
    rest = got.reads[len(at_random):]
    live.equal("in turn: bytes", sum(size for _, size in rest), said["size"])
    live.equal("in turn: no byte twice", len({offset for offset, _ in rest}), len(rest))

    page = 4096
    faults = [offset // page for offset in said["stored"]]
    faults += [number + 1 for number in faults] + [30, 20]
    calls = [(60, 40), (31, 1), (110, 4)]
    live.equal(
        "stores: what calls read is no part of their faults",
        sorted(Reads(archive, data + ".w").reads),
        sorted([(first * page, page) for first in faults] + [(first * page, n * page) for first, n in calls]),
    )

    plain = live.path("plain")
    ran = live.record(plain, [workload("mmap"), data], "--source=bpf")
    live.equal("not asked for: none", Reads(plain, data).reads, [])
    with open(f"{plain}/iotrace.json", encoding="utf-8") as about:
        books = json.load(about)["books"]["counters"]
    live.equal("not asked for: files mapped", (books["files_loaded"], books["files_stored"]), (1, 1))
