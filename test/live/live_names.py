#!/usr/bin/python3
"""A storm of open, read, close with one number used again and again: names may be missing, none may be wrong.

File i has i + 1 bytes, so what a read returned tells which file it was.
"""

import os
import sys
from collections import Counter

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive, label, UNDEFINED  # noqa: E402
from live import Live, SOURCE, workload  # noqa: E402
from otf2 import events  # noqa: E402
from otf2.enums import IoOperationMode  # noqa: E402

FILES, OPENS = 50, ("open", "openat", "openat2", "creat")


class Names:
    """Follows each location: the call that it is in, the handle that it reads from."""

    def __init__(self, directory, alias):
        self.directory = directory + "/"
        self.alias = alias + "/"
        self.call = {}
        self.mode = {}
        self.count = Counter()
        self.wrong = []

    def read(self, handle, size):
        path = label(handle)
        if path is None:
            self.count["read without a name"] += 1
        elif path.startswith(self.alias):
            self.wrong.append((path, "which leads through a symbolic link"))
        elif path.startswith(self.directory):
            self.count["read by name"] += 1
            if int(path[len(self.directory):]) + 1 != size:
                self.wrong.append((path, size))

    def on_event(self, process, location, event):
        kind = type(event)
        if kind is events.Enter:
            self.call[location] = event.region.name
        elif kind is events.IoCreateHandle and self.call[location] in OPENS:
            self.count["unknown" if label(event.handle) is None else "known"] += 1
        elif kind is events.IoOperationBegin:
            self.mode[event.matching_id] = event.mode
        elif kind is events.IoOperationComplete and event.bytes_result != UNDEFINED:
            if self.mode[event.matching_id] == IoOperationMode.READ:
                self.read(event.handle, event.bytes_result)


# Without a real-time priority iotrace often comes too late, and has to notice it.
LATE = ["setpriv", "--bounding-set=-sys_nice"]


def storm(live, what, threads, rounds, is_alias=False, wrapper=()):
    archive, files, alias = live.path(f"{what}.trace"), live.made(what), live.path(f"{what} alias")
    os.symlink(files, alias)
    with open(os.devnull, "rb") as null:
        command = [workload("reuse"), alias if is_alias else files, str(FILES), str(rounds), str(threads)]
        live.record(archive, command, "-q", stdin=null, wrapper=wrapper)
    counters = live.examine(archive)["books"]["counters"]
    names = Names(files, alias)
    whole = Archive(archive, names.on_event)
    calls = sum((p.whole().calls for p in whole.groups.values()), Counter())

    live.equal(f"{what}: names that are wrong", names.wrong[:5], [])
    live.equal(f"{what}: names unknown", counters["names_unknown"], names.count["unknown"])
    if SOURCE == "bpf":  # it says them itself
        live.equal(f"{what}: names unknown", counters["names_unknown"], 0)
    found = sum(path is not None for path, is_found in whole.handles if is_found)
    live.equal(f"{what}: names known", counters["names_known"], names.count["known"] + found)
    live.check(calls["read", 0] >= rounds * threads, f"{what}: only {calls['read', 0]} reads")
    seen = names.count["read by name"] + names.count["read without a name"]
    live.check(seen >= rounds * threads, f"{what}: {seen} reads of {rounds * threads}")
    print(f"{what}: {dict(names.count)}, {counters['lookups_refused']} look-ups too late")


def renames(live, opens):
    """While a directory moves, a file in it is in one place or the other, never in a mixture of both."""
    archive, folder = live.path("renames.trace"), live.made("renames")
    live.record(archive, [workload("rename"), folder, str(opens)], "-q")
    live.examine(archive)
    found = {path for path, _ in Archive(archive).handles if path and path.endswith("/file")}
    live.equal("renames: places of the file", found - {f"{folder}/here/old/file", f"{folder}/there/new/file"}, set())
    live.check(len(found) > 0, "renames: no place was found")


def moved(test):
    """A relative path begins where the program went, whatever calls were chosen."""
    folder, archive = test.made("moved"), test.path("archive moved")
    with open(f"{folder}/gone", "wb"):
        pass
    test.record(archive, ["sh", "-c", 'cd "$1" && rm gone', "sh", folder], "--syscalls=-dir")
    deleted = {path for process in Archive(archive).groups.values()
               for path, did in process.whole().files.items() if did["deletes"]}
    # Through perf a path can be read too late: then it is not known.
    test.equal("moved: deleted", deleted | ({f"{folder}/gone"} if SOURCE == "perf" else set()), {f"{folder}/gone"})


with Live() as test:
    moved(test)
    storm(test, "one thread", 1, 2000)
    storm(test, "four threads", 4, 500)
    storm(test, "symbolic link", 1, 2000, is_alias=True)
    storm(test, "late", 1, 2000, wrapper=LATE)
    storm(test, "late, four threads", 4, 500, wrapper=LATE)
    storm(test, "late, symbolic link", 1, 2000, is_alias=True, wrapper=LATE)
    renames(test, 30000)
