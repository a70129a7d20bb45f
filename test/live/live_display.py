#!/usr/bin/python3
"""iotrace stat on a terminal: what its display shows, as a terminal emulator sees it, and what its keys do."""

import fcntl
import os
import re
import signal
import struct
import subprocess
import sys
import termios
import time

import pyte

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from live import CALMED, IOTRACE, Live, SOURCE  # noqa: E402
from terminal import Terminal  # noqa: E402

# Reads a byte every 10 ms, seeks, and calls itself something that would clear a terminal.
READER = """
import os, time
open("/proc/self/comm", "wb").write(b"\\033[2Jred\\007")
fd = os.open("/dev/zero", os.O_RDONLY)
while True:
    os.read(fd, 1)
    os.lseek(fd, 0, 0)
    time.sleep(0.01)
"""


class Display(Terminal):
    """What is on the screen of a program."""

    def __init__(self, words, columns=100, lines=24, env=None, wrapper=()):
        super().__init__(columns, [*wrapper, IOTRACE, "stat", f"--source={SOURCE}", "-i", "0.2", *words],
                         {**CALMED, "TERM": "xterm", "LC_ALL": "C.UTF-8", **(env or {})})
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)
        self.fed = 0
        self.has_ended = False

    def text(self):
        self.stream.feed(self.said[self.fed:])
        self.fed = len(self.said)
        return "\n".join(line.rstrip() for line in self.screen.display)

    def has(self, pattern, seconds=20):
        """Returns what matches on the screen, or None."""
        until = time.time() + seconds
        while True:
            found = re.search(pattern, self.text(), re.M)
            if found or self.has_ended or time.time() > until:
                return found
            self.has_ended = not self.listen(0.05)

    def lacks(self, pattern, seconds=20):
        until = time.time() + seconds
        while re.search(pattern, self.text(), re.M) and not self.has_ended and time.time() < until:
            self.has_ended = not self.listen(0.05)
        return not re.search(pattern, self.text(), re.M)

    def resize(self, columns, lines):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.screen.resize(lines, columns)


def expect(live, display, what, pattern):
    if not live.check(display.has(pattern), f"{what}: no {pattern!r}"):
        print(display.text())


def keys(live, reader):
    """Each key does what the help says."""
    display = Display(["-p", str(reader)])
    expect(live, display, "begin", r"^iotrace stat --by op  \d\d:\d\d:\d\d$")
    expect(live, display, "heading", r"^op +inflt +op/s +read/s +written/s")
    expect(live, display, "a row", r"^read\(0\) +0 +\d+\.\d\d +\d+ B +-")
    expect(live, display, "total", r"^TOTAL ")
    display.types(b"t")
    expect(live, display, "totals", r"^op +inflt +ops +read +written")
    expect(live, display, "totals", r"^read\(0\) +0 +\d{2,} ")
    display.types(b"t")
    expect(live, display, "rates", r"^op +inflt +op/s")
    display.types(b"/READ\n")
    expect(live, display, "filter", r"filter: READ$")
    live.check(display.lacks(r"^lseek"), "filter: other rows")
    display.types(b"/xyz\x1b")
    expect(live, display, "no filter", r"^read\(0\)")
    display.types(b"p")
    expect(live, display, "freeze", r"  frozen$")
    display.types(b"p")
    live.check(display.lacks("frozen"), "frozen for ever")
    display.types(b"\n")
    expect(live, display, "history", r"^ +op/s at most \d+\S* +[▁▂▃▄▅▆▇█]+$")
    display.types(b"\nh")
    expect(live, display, "help", r"^ q, Ctrl-C +quit$")
    display.types(b"h\t")
    expect(live, display, "next view", r"^iotrace stat --by process ")
    expect(live, display, "next view", r"^process +inflt +op/s")
    expect(live, display, "a hostile name", r"^\\x1b\[2Jred")
    display.types(b"\x1b[Z")
    expect(live, display, "view before", r"^op +inflt +op/s")
    display.types(b"q")
    if not live.equal("quit", display.ends(), 0):
        print(display.lines()[display.lines().rfind("\x1b[?1049l"):])
    live.check(b"\x1b[?1049l" in display.said, "the terminal is not given back")


def sorts(live, reader):
    """Rows are in the order of a column, and the other way round."""
    display = Display(["-p", str(reader), "--syscalls=all", "--by", "op"])
    expect(live, display, "rows", r"^read\(0\)")
    expect(live, display, "rows", r"^lseek")
    display.types(b">")  # by name
    expect(live, display, "by name", r"op .*\nlseek.*\nread")
    display.types(b"r")
    expect(live, display, "by name, descending", r"op .*\nread.*\nlseek")
    display.types(b"\x03")
    live.equal("Ctrl-C", display.ends(), 0)


# A shell with job control: Ctrl-Z stops the job, and the next line of the user brings it back.
SHELL = ("sh", "-mc", '"$@"; echo "stopped: $?"; read line; fg >/dev/null', "sh")


def job_control(live, reader):
    """Another size, Ctrl-Z and fg."""
    display = Display(["-p", str(reader)], wrapper=SHELL)
    expect(live, display, "begin", r"^read\(0\)")
    display.resize(60, 10)
    expect(live, display, "narrow", r"^op +inflt +op/s +svctm/us +%util$")
    expect(live, display, "low", r"^(q quit|iotrace: each event)")
    display.types(b"\x1a")
    live.check(display.shows(b"\x1b[?1049l"), "Ctrl-Z: the terminal is not given back")
    live.check(display.shows(b"stopped: 148"), "Ctrl-Z does not stop it")
    display.types(b"\n")
    live.check(display.shows(b"\x1b[?1049h"), "fg: the terminal is not taken again")
    expect(live, display, "fg", r"^read\(0\)")
    display.types(b"q")
    live.equal("quit", display.ends(), 0)


def ends(live, reader):
    """It ends by itself after --count; without rights it says so; on a terminal that ncurses does not know, and with --batch, it prints."""
    display = Display(["-p", str(reader), "-n", "2"])
    live.equal("--count", display.ends(20), 0)
    for words, env in ((["--batch"], {}), ([], {"TERM": "nothing-like-that"})):
        display = Display(["-p", str(reader), "-n", "2", *words], env=env)
        live.equal(f"{words} {env}: status", display.ends(20), 0)
        live.check(b"\x1b[?1049h" not in display.said, f"{words} {env}: interactive")
        live.check(b"TOTAL" in display.said, f"{words} {env}: no table")
    display = Display(["-p", "999999999"])
    live.equal("no such process: status", display.ends(20), 125)
    live.check(b"999999999" in display.said[display.said.rfind(b"\x1b[?1049l"):], "no such process: no message")


def without_descriptors(live, _):
    """It has no descriptors for the process that counts: the message says which limit that is."""
    display = Display(["-a"], wrapper=["sh", "-c", 'ulimit -n 5; exec "$@"', "sh"])
    live.equal("no descriptors: status", display.ends(20), 125)
    said = display.lines()
    live.check("Too many open files\n" in said and "To raise that limit: ulimit -n" in said, f"no descriptors: {said}")


def other_views(live, reader):
    """A view that cannot be shown says why, and others can still be chosen."""
    display = Display(["-p", str(reader), "--by", "fuse"])
    expect(live, display, "begin", r"^TOTAL ")
    display.types(b"\t")
    expect(live, display, "virtiofs", r"^iotrace stat --by virtiofs")
    expect(live, display, "why not", r"^iotrace: ")
    display.types(b"\t")
    expect(live, display, "round", r"^read\(0\)")
    display.types(b"q")
    live.equal("quit", display.ends(), 0)


def without_parent(live, reader):
    """The process that counts ends with the display."""
    display = Display(["-p", str(reader)])
    expect(live, display, "begin", r"^read\(0\)")
    with open(f"/proc/{display.pid}/task/{display.pid}/children", encoding="ascii") as file:
        children = file.read().split()
    live.equal("children", len(children), 1)
    os.kill(display.pid, signal.SIGKILL)
    os.waitpid(display.pid, 0)
    until = time.time() + 20
    while os.path.exists(f"/proc/{children[0]}") and time.time() < until:
        time.sleep(0.05)
    live.check(not os.path.exists(f"/proc/{children[0]}"), "the process that counts goes on")


TESTS = (keys, sorts, job_control, ends, without_descriptors, other_views, without_parent)

with Live() as test, subprocess.Popen([sys.executable, "-c", READER]) as program:
    try:
        for each in [one for one in TESTS if one.__name__ in sys.argv[1:]] or TESTS:
            each(test, program.pid)
    finally:
        program.kill()
