"""fuse: a FUSE file system whose answers a test decides: see raw_fuse.py."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile

from live import CALMED

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


def has_fuse(live, fuse):
    if fuse.works and os.path.exists("/sys/kernel/tracing/events/fuse/fuse_request_send"):
        return True
    live.lacks("FUSE with tracepoints")
    return False
