"""ledger: what a workload says that it did, compared with what an archive says.

Compared are, for each process, how often each call was made and with which error it ended; for each file, what
was opened, duplicated, closed, read, written, flushed, sought, locked and at which offsets; and the bytes
of all that has no name.
"""

import json
import os
from collections import Counter, defaultdict

import otf2
from archive import Archive, EVERY

# What the kernel calls the calls, in its tracepoints.
KERNEL = {"stat": "newstat", "lstat": "newlstat", "fstat": "newfstat", "sendfile": "sendfile64"}
# One of these makes a process; which one is the library's choice.
CLONES = ("clone", "clone3", "fork", "vfork")
OTHER = "other"
# A pipe's ends may have been found or not, which makes them handles that come and go; their data is what counts.
OF_OTHER = ("reads", "read_bytes", "reads_unsized", "writes", "written_bytes", "writes_unsized", "flushes")


# How a file is opened, in the words of OTF2.
ACCESS = {os.O_RDONLY: otf2.IoAccessMode.READ_ONLY, os.O_WRONLY: otf2.IoAccessMode.WRITE_ONLY,
          os.O_RDWR: otf2.IoAccessMode.READ_WRITE}
CREATION = {os.O_CREAT: otf2.IoCreationFlag.CREATE, os.O_TRUNC: otf2.IoCreationFlag.TRUNCATE,
            os.O_DIRECTORY: otf2.IoCreationFlag.DIRECTORY, os.O_EXCL: otf2.IoCreationFlag.EXCLUSIVE,
            os.O_NOCTTY: otf2.IoCreationFlag.NO_CONTROLLING_TERMINAL, os.O_NOFOLLOW: otf2.IoCreationFlag.NO_FOLLOW,
            os.O_PATH: otf2.IoCreationFlag.PATH, os.O_TMPFILE: otf2.IoCreationFlag.TEMPORARY_FILE}
STATUS = {os.O_CLOEXEC: otf2.IoStatusFlag.CLOSE_ON_EXEC, os.O_APPEND: otf2.IoStatusFlag.APPEND,
          os.O_NONBLOCK: otf2.IoStatusFlag.NON_BLOCKING, os.O_ASYNC: otf2.IoStatusFlag.ASYNC,
          os.O_SYNC: otf2.IoStatusFlag.SYNC, os.O_DSYNC: otf2.IoStatusFlag.DATA_SYNC,
          os.O_DIRECT: otf2.IoStatusFlag.AVOID_CACHING, os.O_NOATIME: otf2.IoStatusFlag.NO_ACCESS_TIME}
CONTAINED = {os.O_SYNC: os.O_DSYNC, os.O_TMPFILE: os.O_DIRECTORY}


def in_otf2(flags, words):
    """A flag that contains another stands for it."""
    present = {flag for flag in words if flags & flag == flag}
    present -= {CONTAINED[flag] for flag in present if flag in CONTAINED}
    return sum(words[flag].value for flag in present)


def ways(flags):
    return sorted((ACCESS[f & os.O_ACCMODE].value, in_otf2(f, CREATION), in_otf2(f, STATUS)) for f in flags)


def call_name(name):
    return "clone" if name in CLONES else KERNEL.get(name, name)


def read_ledgers(path):
    """Returns {pid: (calls, files, merge, flags of opens)}. One that has executed another program wrote two lines."""
    processes = defaultdict(lambda: (Counter(), defaultdict(Counter), set(), defaultdict(list)))
    with open(path, encoding="utf-8") as file:
        for line in map(json.loads, file):
            calls, files, merge, opened = processes[line["pid"]]
            for name, error, count in line["calls"]:
                calls[call_name(name), error] += count
            for path, sums in line["files"].items():
                opened[path].extend(sums.pop("flags"))
                files[path].update(sums)
            merge.update(line["merge"])
    return processes


def archived(process, known):
    """The same for a process of the archive: its calls, and files by the names that the workload knows."""
    tally = process.noted()
    calls, files = Counter(), defaultdict(Counter)
    for (name, error), count in tally.calls.items():
        calls[call_name(name), error] += count
    for path, sums in tally.files.items():
        files[path if path in known or path == EVERY else OTHER].update(sums)
    return calls, files


def compare_files(live, who, got, expected, merge, unknown):
    for path in merge:  # by name or without one, but nowhere else
        for side in (got, expected):
            side[OTHER].update(side.pop(path, {}))
    for path in sorted(set(got) | set(expected)):
        mine, truth = got.get(path, Counter()), expected.get(path, Counter())
        keys = set(OF_OTHER) if path == OTHER else set(mine) | set(truth)
        if truth["any_offset"]:
            keys -= {"offsets", "offset_total"}
        for key in sorted(keys - {"any_offset", "deletes"} - set(unknown)):
            live.equal(f"{who}: {os.path.basename(path)}: {key}", mine[key], truth[key])
        live.check(mine["deletes"] <= truth["deletes"],
                   f"{who}: {path} was deleted {mine['deletes']} times instead of {truth['deletes']}")


def compare(live, name, archive, ledger, unknown=(), untraced=()):
    """unknown: sums of files that this recording cannot tell. untraced: errors of calls that the kernel does not trace."""
    truth = read_ledgers(ledger)
    known = {path for _, files, _, _ in truth.values() for path in files} - {OTHER}
    processes = Archive(archive).processes()
    live.equal(f"{name}: processes that are not in the archive", sorted(set(truth) - set(processes)), [])
    for pid, (calls, files, merge, opened) in sorted(truth.items()):
        if pid not in processes:
            continue
        who = f"{name}: {pid}"
        got_calls, got_files = archived(processes[pid], known)
        live.same_counts(who, got_calls, {call: count for call, count in calls.items() if call[1] not in untraced})
        compare_files(live, who, got_files, files, merge, unknown)
        for path in set(opened) - {OTHER}:
            live.equal(f"{who}: {os.path.basename(path)}: access, creation, status",
                       sorted(processes[pid].noted().opened[path]), ways(opened[path]))
    for pid, process in processes.items():
        if pid not in truth:
            live.equal(f"{name}: {pid}, which is not of the workload: calls", dict(process.noted().calls), {})
    deletes = [sum(process.noted().files[path]["deletes"] for process in processes.values() for path in known),
               sum(files[path]["deletes"] for _, files, _, _ in truth.values() for path in known)]
    live.check(deletes[0] >= deletes[1] / 2, f"{name}: only {deletes[0]} of {deletes[1]} deleted names were learned")
    return sum(sum(calls.values()) for calls, _, _, _ in truth.values())
