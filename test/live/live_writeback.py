#!/usr/bin/python3
"""What the kernel writes of a file that is mapped is a flush of the file, on the thread that mapped it.

The program stores into pages that it knows, then waits while somebody else has the kernel write them; ftrace on the same run is
the witness of when that was and how many pages it were. Files that are not mapped, or by others, are written as well.
It needs a file system on a disk under the directory for temporary files.
"""

import mmap
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive  # noqa: E402
from ftrace import Ftrace  # noqa: E402
from live import IOTRACE, SOURCE, Live  # noqa: E402
from otf2 import events  # noqa: E402
from otf2.enums import IoOperationFlag, IoOperationMode  # noqa: E402

PAGE = 4096
SIZE = 1 << 20
ROUNDS = (range(0, 64), range(10, 11), range(0, 256, 5))

# A thread that stays maps the first file; the second one is only written to. Each line of input asks for one round.
PROGRAM = f"""
import mmap, os, sys, threading
mapped, plain = (os.open(path, os.O_RDWR) for path in sys.argv[1:3])
made, stay = threading.Event(), threading.Event()
def make():
    global at
    at = mmap.mmap(mapped, {SIZE})
    os.close(mapped)
    print(threading.get_native_id(), flush=True)
    made.set()
    stay.wait()
thread = threading.Thread(target=make)
thread.start()
made.wait()
for line in sys.stdin:
    for page in map(int, line.split()):
        at[page * {PAGE}] ^= 1
        os.pwrite(plain, b"x", page * {PAGE})
    print("stored", flush=True)
stay.set()
thread.join()
"""


class Witness(Ftrace):
    """Writebacks of files, by inode: pages of each, as ftrace sees them."""

    def __init__(self):
        super().__init__(buffer_size_kb=4096)
        self.set("events/writeback/writeback_single_inode/enable", 1)

    def pages(self, inode):
        """Returns how many each time, where it was any."""
        found = []
        for line in self.lines():
            words = dict(word.split("=", 1) for word in line.split() if "=" in word)
            if words.get("ino") == str(inode) and int(words["wrote"]):
                found.append(int(words["wrote"]))
        return found


class Flushes:
    """Of all files: (path, thread, bytes, by whom), in the order of their ends; only what is no call's own."""

    def __init__(self, directory):
        self.begun, self.all = {}, []
        Archive(directory, self._event)

    def _event(self, process, location, event):
        if isinstance(event, events.IoOperationBegin) and event.mode == IoOperationMode.FLUSH:
            if event.operation_flags.value & IoOperationFlag.NON_BLOCKING.value:
                by = [value for key, value in (event.attributes or {}).items() if key.name == "OTF2::IO_BY"]
                path = event.handle.file.name if event.handle.file else None
                self.begun[event.matching_id] = (path, location.name.split()[1], by)
        elif isinstance(event, events.IoOperationComplete) and event.matching_id in self.begun:
            path, thread, by = self.begun.pop(event.matching_id)
            self.all.append((path, thread, event.bytes_result, by))


def run(live, archive, paths, *options):
    """Returns the number of the thread that mapped the file. This process has the third file mapped."""
    argv = [IOTRACE, "-q", "-o", archive, *options, "--", "/usr/bin/python3", "-c", PROGRAM, *paths[:2]]
    with open(paths[2], "r+b") as other, mmap.mmap(other.fileno(), SIZE) as at, \
            subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        tid = program.stdout.readline().strip()
        for pages in ROUNDS:
            program.stdin.write(" ".join(map(str, pages)) + "\n")
            program.stdin.flush()
            program.stdout.readline()
            at[0] ^= 1
            os.sync()
        program.stdin.close()
    live.equal(f"{archive}: exit status", program.returncode, 0)
    return tid


def prepare(live):
    """Three files whose pages are all on the disk. What is written in one piece the kernel may keep in one, and write again so."""
    paths = [live.path(name) for name in ("mapped", "plain", "others")]
    for path in paths:
        with open(path, "wb") as file:
            for _ in range(0, SIZE, PAGE):
                os.write(file.fileno(), b"a" * PAGE)
            os.fsync(file.fileno())
    return paths


def test_flushes(live, source, *options):
    paths, archive = prepare(live), live.path(f"{source} {len(options)}")
    with Witness() as witness:
        tid = run(live, archive, paths, f"--source={source}", *options)
        pages = [witness.pages(os.stat(path).st_ino) for path in paths]
    live.examine(archive)
    live.equal(f"{source}: pages by ftrace", sum(pages[0]), sum(map(len, ROUNDS)))
    live.equal(f"{source}: pages of the others by ftrace", (sum(pages[1]) > 0, len(pages[2])), (True, len(ROUNDS)))
    got = Flushes(archive).all
    wanted = [(paths[0], tid, PAGE * n) for n in pages[0]] if source == "bpf" and options else []
    live.equal(f"{source} {options}", [flush[:3] for flush in got], wanted)
    live.equal(f"{source} {options}: by others", all(len(by) == 1 and by[0] for *_, by in got), True)


with Live() as live:
    test_flushes(live, SOURCE, "--syscalls=+mmap")
    test_flushes(live, SOURCE)
