"""compare_strace: the calls of a command as strace tells them, and as an archive does, in the same words.

Calls are counted by (name, errno), bytes by name, over all threads. Run as a program it compares an archive with what
`strace -f -ff -y -s 0 -o PREFIX` left behind: compare_strace.py ARCHIVE PREFIX
"""

import errno
import glob
import os
import re
import sys
from collections import Counter

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)
from archive import Archive, UNDEFINED  # noqa: E402
from otf2 import events  # noqa: E402

# What strace calls differently.
KERNEL = {"stat": "newstat", "lstat": "newlstat", "fstat": "newfstat", "sendfile": "sendfile64"}
DATA = set("""read write pread64 pwrite64 readv writev preadv pwritev preadv2 pwritev2 sendfile64 splice tee
    copy_file_range vmsplice getdents getdents64 sendto recvfrom sendmsg recvmsg""".split())
# Its own errors, which a program never sees: the call is made again.
RESTART = {"ERESTARTSYS": 512, "ERESTARTNOINTR": 513, "ERESTARTNOHAND": 514, "ERESTART_RESTARTBLOCK": 516}
# It has groups of calls, which hold more than iotrace's table does.
# Of memory, iotrace records what maps a file; strace does not tell whether a munmap or msync is of one.
TRACED = "%file,%desc,%network,%process,unshare,sync,io_setup,io_destroy,io_submit,io_getevents,io_cancel"
with open(f"{HERE}/../../include/iotrace/syscalls.def", encoding="ascii") as table:
    TABLE = set(re.findall(r"^SYSCALL\((\w+),", table.read(), re.M)) - {"munmap", "msync", "ioctl"}
LINE = re.compile(r"(\w+)\((.*)\)? += (-?\d+|0x[0-9a-f]+|\?)(?: ([A-Z]\w+))?", re.S)


class Strace:
    """Runs the command under strace; or, without one, reads what was written before."""

    def __init__(self, live, argv, prefix, cwd=None, env=None):
        self.calls, self.bytes, self.paths = Counter(), Counter(), set()
        self.roots = {os.path.realpath(cwd or ".")}  # where a path without a directory may begin
        if argv:
            ran = live.run(["strace", "-f", "-ff", "-y", "-s", "0", "-qq", "-e", "signal=none", "-e", f"trace={TRACED}",
                            "-o", prefix, "--", *argv], cwd=cwd, env=env)
            live.equal(f"strace {argv[-1][:20]}: exit status", ran.returncode, 0)
        files = glob.glob(f"{glob.escape(prefix)}.*")
        self.threads = len(files)
        for name in files:
            with open(name, encoding="utf-8", errors="surrogateescape") as file:
                for line in file:
                    self._line(line)

    def _line(self, line):
        match = LINE.match(line)
        if not match:
            return
        name, arguments, result, error = match.groups()
        name = KERNEL.get(name, name)
        self.paths.update(re.findall(r"<(/[^>]*)>", line))
        self._strings(name, arguments)
        if name not in TABLE or result == "?" and not error:  # the thread ended in it
            return
        if name == "mmap" and "MAP_ANONYMOUS" in arguments:
            return
        code = 0
        if error and result in ("-1", "?"):
            code = RESTART.get(error) or getattr(errno, error)
        self.calls[name, code] += 1
        if name in DATA and not code:
            self.bytes[name] += int(result, 0)

    def _strings(self, name, arguments):
        """Paths as they were given: what is below which directory is told by a descriptor, or one of those we know."""
        for directory, path in re.findall(r'(?:<(/[^>]*)>, )?"([^"]*)"', arguments):
            for root in [directory] if directory else self.roots.copy():
                whole = os.path.normpath(os.path.join(root, path))
                self.paths.add(whole)
                if name == "chdir":
                    self.roots.add(whole)


class Regions:
    """What each region's calls moved: of a call that reads and writes, once."""

    def __init__(self):
        self.bytes = Counter()
        self.region = {}
        self.is_counted = {}

    def on_event(self, process, location, event):
        kind = type(event)
        if kind is events.Enter:
            self.region[location] = event.region.name
            self.is_counted[location] = False
        elif kind is events.IoOperationComplete and not self.is_counted[location]:
            self.is_counted[location] = True
            name = self.region[location]
            if name in DATA and event.bytes_result != UNDEFINED:
                self.bytes[name] += event.bytes_result


def region_bytes(archive):
    """Returns (calls by name and errno, bytes by name) of an Archive or a directory."""
    regions = Regions()
    whole = Archive(archive.directory if isinstance(archive, Archive) else archive, regions.on_event)
    calls = sum((process.whole().calls for process in whole.groups.values()), Counter())
    return Counter({key: count for key, count in calls.items() if key[0] in TABLE}), regions.bytes


def main(directory, prefix):
    strace = Strace(None, None, prefix)
    calls, data = region_bytes(directory)
    differ = 0
    for what, mine, theirs in (("calls", calls, strace.calls), ("bytes", data, strace.bytes)):
        for key in sorted(set(mine) | set(theirs), key=str):
            if mine[key] != theirs[key]:
                differ += 1
                print(f"{what} {key}: {mine[key]} in the archive, {theirs[key]} by strace")
    print(f"{differ} differences" if differ else "ok")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
