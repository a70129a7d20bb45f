#!/usr/bin/python3
"""Every system call of the table: what the archive says equals what the workloads say that they did.

Compared are, for each process, how often each call was made and with which error it ended; for each file, what
was opened, duplicated, closed, read, written, flushed, sought, locked and at which offsets; and the bytes
of all that has no name. Then the archive must satisfy every reader, and its books must balance.
"""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from ledger import compare  # noqa: E402
from live import Live, workload  # noqa: E402


def trace(live, name):
    archive, ledger = live.path(f"{name}.trace"), live.path(f"{name}.ledger")
    env = dict(os.environ, WORK=live.made(name), LEDGER=ledger)
    with open(os.devnull, "rb") as null:
        ran = live.record(archive, [workload(name)], "-q", "--syscalls=all", env=env, stdin=null)
    if ran.returncode:
        return
    live.equal(f"{name}: words of iotrace -q", ran.stdout + ran.stderr, b"")
    about = live.examine(archive)
    calls = compare(live, name, archive, ledger)
    print(f"{name}: {calls} calls, {about['books']['counters']['names_unknown']} names unknown")


with Live() as test:
    for each in ("files", "names", "net", "tasks"):
        trace(test, each)
