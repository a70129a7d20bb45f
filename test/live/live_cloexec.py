#!/usr/bin/python3
"""Descriptors across an exec: what was closed and is a socket now has not the name of the file, and the files that were kept
have theirs where it can be known.

Each write has a size of its own; the program says which file it went to.
"""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive, label  # noqa: E402
from live import Live, SOURCE, workload  # noqa: E402
from otf2 import events  # noqa: E402
from otf2.enums import IoOperationMode  # noqa: E402

# Written before and after the exec: where the number comes in memory only, perf has no name.
AFTER = 200
RECEIVED = {12, 13}
KEPT = {1, 3, 5, 7, 9, 11, 13, 15, 16}


def names(archive):
    """Returns the name of each write by its size."""
    found, begun = {}, {}

    def on_event(process, location, event):
        if isinstance(event, events.IoOperationBegin) and event.mode == IoOperationMode.WRITE:
            begun[event.matching_id] = event.bytes_request
            found.setdefault(event.bytes_request, set()).add(label(event.handle))
    Archive(archive, on_event)
    return found


def check(live, how):
    archive, ledger, folder = live.path(f"{how}.trace"), live.path(f"{how}.ledger"), live.made(how)
    live.record(archive, [workload("cloexec"), folder, ledger, how], "-q")
    live.examine(archive)
    with open(ledger, encoding="ascii") as file:
        lines = [line.split() for line in file if not line.startswith("number")]
    truth = {int(size): None if path == "-" else path for size, path in lines}
    found = names(archive)
    live.equal(f"{how}: writes", len(truth), 2 * 18)
    for size, path in truth.items():
        got = found.get(size, {"no write"})
        live.check(got <= {path, None}, f"{how}: {size} bytes are on {got} instead of {path}")
        way = size % 100
        if SOURCE == "bpf" and way not in RECEIVED and path:
            live.equal(f"{how}: {size} bytes", got, {path})
    live.equal(f"{how}: kept", {size - AFTER for size, path in truth.items() if size >= AFTER and path}, KEPT)


with Live() as test:
    check(test, "execve")
    check(test, "execveat")
