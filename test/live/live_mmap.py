#!/usr/bin/python3
"""Page faults that read from a mapped file are operations of the file: where, and how much.

The workload drops the file from the page cache, so it knows what must be read; the kernel's own count of faults that waited for a
disk is the witness. It needs a file system on a disk under the directory for temporary files.
"""

import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
import block  # noqa: E402
from archive import Archive  # noqa: E402
from latency_recorder import LatencyRecorder  # noqa: E402
from live import IOTRACE, Live, workload  # noqa: E402
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


def counted(live):
    """Two recorders follow the same process: one records each fault, and the other one has them counted in the kernel."""
    for spans in (("fault",), ("io", "fault")):
        for by in ("file", "mode", "process"):
            name = f"{'-'.join(spans)}-{by}"
            data = live.path(name)
            work = subprocess.Popen(["sh", "-c", 'read go; exec "$@"', "sh", workload("mmap"), data], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            words = [word for span in spans for word in ("--span", span)]
            options = (*words, "--by", by, "--source=bpf", "-m", "8M", "--top", "1000", "-p", str(work.pid))
            ways = {"counted": (), "recorded": ("--heatmap=/dev/null",)}
            recorders = {way: LatencyRecorder(live, f"{name}-{way}", {}, *options, *more) for way, more in ways.items()}
            said = json.loads(work.communicate(b"go\n")[0])
            numbers = {way: recorder.numbers(live) for way, recorder in recorders.items()}
            rows, books = {}, {}
            for way, of in numbers.items():
                live.equal(f"{name}: {way}", [span["counted_in_kernel"] for span in of["books"]["spans"]], [way == "counted"] * len(spans))
                live.equal(f"{name}: {way}: complete", of["books"]["balanced"], True)
                books[way] = [{fate: span[fate] for fate in ("begun", "ended", "open", "left")} for span in of["books"]["spans"]]
                rows[way] = {(row["span"], row["group"]): (row["count"], row["bytes"]) for row in of["spans"]}
            if "io" in spans:  # beside calls, records do not tell which operations in a call are faults
                for way in ways:
                    books[way].pop()
                    rows[way] = {row: numbers for row, numbers in rows[way].items() if row[0] == "io"}
            live.equal(f"{name}: books", books["counted"], books["recorded"])
            live.equal(f"{name}: rows", rows["counted"], rows["recorded"])
            if by == "file" and "io" not in spans:
                live.check(rows["counted"]["fault", data][1] >= said["size"], f"{name}: {rows['counted']}")
                live.equal(f"{name}: stores", rows["counted"]["fault", f"{data}.w"], (2 * len(said["stored"]) + 2, (2 * len(said["stored"]) + 2) * 4096))


# A mapped file is deleted, and a program gets the number of its inode. The kernel maps it, so that nobody sees its name.
REUSE = """
import mmap, os, shutil, sys
os.chdir(sys.argv[1])
first = os.open("first", os.O_CREAT | os.O_RDWR)
os.write(first, b"x" * 65536)
mapped = mmap.mmap(first, 65536)
mapped[0]
inode = os.fstat(first).st_ino
mapped.close()
os.close(first)
os.unlink("first")
os.sync()
shutil.copy("/bin/ls", "second")
second = os.open("second", os.O_RDONLY)
os.fsync(second)
os.posix_fadvise(second, 0, 0, os.POSIX_FADV_DONTNEED)
print(inode == os.fstat(second).st_ino, flush=True)
os.close(second)
os.execv("./second", ["second", "-d", "/"])
"""


def reused(live):
    """A file has no name of one that was deleted."""
    place = live.made("reused")
    with block.Disk(live.path("image"), 64 << 20) as disk:
        subprocess.run(["mkfs.ext4", "-q", disk.path], check=True)
        subprocess.run(["mount", disk.path, place], check=True)
        try:
            ran = live.run([IOTRACE, "latency", "--source=bpf", "--span", "fault", f"--json={live.path('reused.json')}", "--", sys.executable, "-S", "-c",
                            REUSE, place])
        finally:
            subprocess.run(["umount", place], check=True)
    live.check(ran.stdout.startswith(b"True"), f"reused: the number of the inode: {ran.stdout!r} {ran.stderr!r}")
    with open(live.path("reused.json"), encoding="utf-8") as file:
        numbers = json.load(file)
    groups = [row["group"] for row in numbers["spans"]]
    live.equal("reused: by the kernel", numbers["books"]["spans"][0]["counted_in_kernel"], True)
    live.equal("reused: the first file", [group for group in groups if group.startswith(place)], [])
    live.check(any(group.startswith("inode:") for group in groups), f"reused: the second file: {groups}")


OLD_AND_NEW = """
import mmap, os, sys
def mapped(path):
    fd = os.open(path, os.O_RDONLY)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    memory = mmap.mmap(fd, 0, prot=mmap.PROT_READ)
    memory.madvise(mmap.MADV_RANDOM)
    os.close(fd)
    return memory
old = mapped(sys.argv[1])
input()
for i in range(7):
    old[i * 65536]
new = mapped(sys.argv[2])
for i in range(10):
    new[i * 65536]
"""


def attached(live):
    """A file that was mapped before the recording is an inode, and the next one that the same CPU names is not."""
    old, new = (live.path(name) for name in ("old", "new"))
    for path in (old, new):
        with open(path, "wb") as file:
            file.write(bytes(1 << 20))
            os.fsync(file.fileno())
    with subprocess.Popen(["taskset", "-c", str(max(os.sched_getaffinity(0))), sys.executable, "-S", "-c", OLD_AND_NEW, old, new],
                          stdin=subprocess.PIPE) as program:
        recorder = LatencyRecorder(live, "attached", {}, "--span", "fault", "--source=bpf", "-p", str(program.pid))
        program.communicate(b"go\n")
    found = {row["group"]: row["count"] for row in recorder.numbers(live)["spans"]}
    live.equal("attached: the new file", found.get(new), 10)
    live.equal("attached: the old file", [count for group, count in found.items() if group.startswith("inode:")], [7])


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
    counted(live)
    reused(live)
    attached(live)
