"""fuse: a FUSE file system whose answers a test decides: see raw_fuse.py."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile

from live import CALMED, wait_until

HERE = os.path.dirname(os.path.realpath(__file__))


class RawFuse:
    """A FUSE file system that says what it was asked. `with RawFuse(live) as fuse:`"""

    def __init__(self, live):
        self.place = tempfile.mkdtemp(dir=live.dir)
        self.server = subprocess.Popen([sys.executable, os.path.join(HERE, "raw_fuse.py"), self.place], env=CALMED,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.works = self.server.stdout.readline() == "ready\n"

    def __enter__(self):
        return self

    def asked(self, line=""):
        self.server.stdin.write(f"{line}\n")
        self.server.stdin.flush()
        return json.loads(self.server.stdout.readline())

    def __exit__(self, *_):
        with contextlib.suppress(BrokenPipeError, ValueError):
            self.asked("answer")
        subprocess.run(["umount", "-l", self.place], check=False)
        with contextlib.suppress(BrokenPipeError):
            self.server.stdin.close()
        self.server.wait()


@contextlib.contextmanager
def fusectl():
    """/sys/fs/fuse/connections, which some machines have not mounted."""
    place = "/sys/fs/fuse/connections"
    is_mounted = os.path.ismount(place)
    if not is_mounted:
        subprocess.run(["mount", "-t", "fusectl", "none", place], check=True)
    try:
        yield place
    finally:
        if not is_mounted:
            subprocess.run(["umount", "-l", place], check=True)


@contextlib.contextmanager
def waiting_request(live, fuse):
    """A request that waits for its answer, as the kernel says: the process that made it."""
    with fusectl() as connections:
        reader = subprocess.Popen(["cat", f"{fuse.place}/hang"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        path = os.path.join(connections, str(os.minor(os.stat(fuse.place).st_dev)), "waiting")
        live.check(wait_until(lambda: open(path, encoding="ascii").read() == "1\n"), "a request waits")
        try:
            yield reader
        finally:
            fuse.asked("answer")
            reader.wait()


def has_fuse(live, fuse):
    if fuse.works and os.path.exists("/sys/kernel/tracing/events/fuse/fuse_request_send"):
        return True
    live.lacks("FUSE with tracepoints")
    return False
