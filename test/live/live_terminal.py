#!/usr/bin/python3
"""What a terminal gets: a progress line that fits and overwrites itself, tables that fit, and nothing torn by Ctrl-C."""

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from live import IOTRACE, Live, workload  # noqa: E402


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, columns, argv):
        self.begun = time.time()
        self.said = b""
        go_read, go_write = os.pipe()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.read(go_read, 1)
            os.execvp(argv[0], argv)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.write(go_write, b"x")
        os.close(go_read)
        os.close(go_write)

    def listen(self, seconds):
        """Returns False at the end."""
        until = time.time() + seconds
        while time.time() < until:
            if not select.select([self.fd], [], [], 0.01)[0]:
                continue
            try:
                got = os.read(self.fd, 65536)
            except OSError:
                return False
            if not got:
                return False
            self.said += got
        return True

    def ends(self, seconds=100):
        self.listen(seconds)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def lines(self):
        return self.said.decode(errors="replace").replace("\r\n", "\n")


def progress(live):
    data = live.path("data")
    with open(data, "wb") as file:
        file.write(b"x")
    live.equal("a capture", live.run([IOTRACE, "-q", "--capture", live.path("capture"), "--format", "null", "--",
                                      workload("storm"), data, "2", "150000"]).returncode, 0)
    for columns in (30, 80):
        terminal = Terminal(columns, [IOTRACE, "convert", "-o", live.path(f"of{columns}"), live.path("capture")])
        live.equal(f"{columns} columns: status", terminal.ends(), 0)
        drawn, _, rest = terminal.lines().rpartition("\r")
        pieces = [piece for piece in drawn.split("\r") if piece.strip()]
        live.check(len(pieces) >= 3, f"{columns} columns: {len(pieces)} progress lines")
        for piece in pieces:
            live.check(len(piece) < columns and piece.startswith("iotrace: converting"), f"{columns} columns: {piece!r}")
        live.equal(f"{columns} columns: nothing is left of it", drawn.rpartition("\r")[2].strip(), "")
        plain = re.sub("\x1b\\[[0-9;]*m", "", rest)
        live.check(plain.startswith("iotrace: what was done"), f"{columns} columns: begins with {plain[:40]!r}")
    ran = live.run([IOTRACE, "convert", "-o", live.path("piped"), live.path("capture")])
    live.check(b"\r" not in ran.stderr and b"\x1b" not in ran.stderr, "a pipe gets what a terminal gets")


def tables(live):
    terminal = Terminal(64, [IOTRACE, "-o", live.path("narrow"), "--", "ls", "-l", "/usr/share"])
    live.equal("narrow: status", terminal.ends(), 0)
    text = re.sub("\x1b\\[[0-9;]*m", "", terminal.lines())
    rows = [line for line in text.split("\n") if re.match(r" +[0-9.]+ [num]?s +[0-9]+ .*/|  (read|open|close) ", line)]
    live.check(len(rows) >= 5, f"narrow: {len(rows)} rows of tables")
    for row in rows:
        live.check(len(row) <= 64, f"narrow: {row!r}")


def impatience(live):
    """However often and whenever it comes: an archive that is whole, or none."""
    for i, pauses in enumerate(((0.6, 0.02, 0.02, 0.02, 0.02), (0.6, 0.1, 0.05, 0.05, 0.05, 0.05), (0.7, 0.3, 0.1))):
        name = live.path(f"impatient{i}")
        terminal = Terminal(80, [IOTRACE, "-o", name, "--", workload("storm"), live.path("data"), "2", "1000000000"])
        for pause in pauses:
            if not terminal.listen(pause):
                break
            os.write(terminal.fd, b"\x03")
        terminal.ends()
        live.examine(name, lossless=False)
        live.equal(f"impatient{i}: nothing half", [n for n in os.listdir(live.dir) if f"impatient{i}.part" in n], [])


with Live() as test:
    progress(test)
    tables(test)
    impatience(test)
