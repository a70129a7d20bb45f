#!/usr/bin/python3
"""What a terminal gets: a progress line that fits and overwrites itself, tables that fit, and nothing torn by Ctrl-C."""

import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from live import IOTRACE, Live, workload  # noqa: E402
from terminal import Terminal  # noqa: E402


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
        live.check(plain.startswith("iotrace summary: "), f"{columns} columns: begins with {plain[:40]!r}")
    ran = live.run([IOTRACE, "convert", "-o", live.path("piped"), live.path("capture")])
    live.check(b"\r" not in ran.stderr and b"\x1b" not in ran.stderr, "a pipe gets what a terminal gets")


def tables(live):
    terminal = Terminal(64, [IOTRACE, "-o", live.path("slim"), "--", "ls", "-l", "/usr/share"])
    live.equal("narrow: status", terminal.ends(), 0)
    text = re.sub("\x1b\\[[0-9;]*m", "", terminal.lines())
    rows = [line for line in text[text.index("iotrace summary: "):].split("\n") if not line.startswith("archive:")]
    live.check(len(rows) >= 15, f"narrow: {len(rows)} rows of tables")
    for row in rows:
        live.check(len(row) <= 64, f"narrow: {row!r}")


def check(live):
    """Words of `iotrace check` are not torn by the edge of the terminal; in a pipe each test has one line."""
    piped = live.run([IOTRACE, "check"]).stdout.decode().split("\n\n")[0].split("\n")
    rows = [row for row in piped if not row.startswith(" ")]
    live.check(len(rows) > 10 and max(map(len, rows)) > 80, f"check in a pipe: {rows}")
    terminal = Terminal(80, [IOTRACE, "check"])
    terminal.ends()
    drawn = terminal.lines().replace("\r", "").split("\n\n")[0].split("\n")
    live.equal("check: the same words", " ".join(drawn).split(), " ".join(piped).split())
    place = live.made("killed")
    live.run([IOTRACE, "-q", "--", "sh", "-c", "kill -9 $PPID"], cwd=place)
    terminal = Terminal(80, ["sh", "-c", f"cd {place} && exec {IOTRACE} check"])
    terminal.ends()
    drawn = terminal.lines().replace("\r", "").split("\n")
    live.check(any(line.startswith("To remove it: rm -r .iotrace-") for line in drawn), f"check: no left-over: {drawn}")
    live.equal("check: wide lines", [line for line in drawn if len(line) > 80 and not re.match(" *setcap ", line)], [])
    # A user without rights has more to read, and each remedy once.
    terminal = Terminal(80, ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", IOTRACE, "check"])
    terminal.ends()
    drawn = terminal.lines().replace("\r", "").split("\n")
    live.equal("check: wide lines of a user", [line for line in drawn if len(line) > 80 and not re.match(" *setcap ", line)], [])
    remedies = [line for line in drawn if re.match(" *(setcap|mount|sysctl) ", line)]
    live.equal("check: each remedy once", sorted(remedies), sorted(set(remedies)))


def messages(live):
    """Errors fit the terminal, too, and in a pipe each is one line."""
    for words in (["--syscalls=reed", "ls"], ["--duration", "3x", "ls"], ["-p", "abc"], ["--summary=foo", "ls"]):
        piped = live.run([IOTRACE, *words]).stderr.decode()
        live.check(max(map(len, piped.split("\n"))) > 80, f"{words}: nothing to wrap: {piped}")
        for columns in (40, 80):
            terminal = Terminal(columns, [IOTRACE, *words])
            terminal.ends()
            live.equal(f"{words}: wide lines", [line for line in terminal.lines().split("\n") if len(line) > columns], [])
            live.equal(f"{words}: the same words", terminal.lines().split(), piped.split())


def narrow(live):
    """A narrow terminal shows fewer columns of each table, and no line that the terminal breaks."""
    archive = live.path("columns")
    live.record(archive, ["sh", "-c", "exec 9</etc/passwd; ls -l / | cat; cat /etc/passwd >/dev/null"], "-q")
    for words in (["report"], ["latency"], ["latency", "--slowest", "3"], ["leaks"]):
        for columns in (40, 45, 60, 70, 80):
            terminal = Terminal(columns, [IOTRACE, *words, archive])
            terminal.ends()
            drawn = re.sub("\033\\[[0-9;]*m", "", terminal.lines()).replace("\r", "").split("\n")
            wide = [line for line in drawn if len(line) > columns and not line.startswith("archive: ")]
            live.equal(f"{words}: lines wider than {columns}", wide, [])


def impatience(live):
    """However often and whenever it comes: an archive that is whole, or none."""
    for i, pauses in enumerate(((0.6, 0.02, 0.02, 0.02, 0.02), (0.6, 0.1, 0.05, 0.05, 0.05, 0.05), (0.7, 0.3, 0.1))):
        name = live.path(f"impatient{i}")
        terminal = Terminal(80, [IOTRACE, "-o", name, "--", workload("storm"), live.path("data"), "2", "1000000000"])
        live.check(terminal.shows(b"ready"), f"impatient{i}: the command does not begin")
        for pause in pauses:
            if not terminal.listen(pause):
                break
            os.write(terminal.fd, b"\x03")
        terminal.ends()
        live.examine(name, lossless=False)
        work = live.path(f".impatient{i}.iotrace")  # what was not converted is kept
        left = os.listdir(work) if os.path.exists(work) else []
        live.equal(f"impatient{i}: nothing half", [n for n in left if n not in ("spool", "owner")], [])


with Live() as test:
    progress(test)
    tables(test)
    check(test)
    messages(test)
    narrow(test)
    impatience(test)
