#!/usr/bin/python3
"""What can go wrong: no space, thousands of processes, a command that kills itself, hostile names, no descriptors.

Each ends in a right archive or a clear sentence, never in a crash or in an archive that a reader cannot end.
"""

import os
import re
import resource
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive  # noqa: E402
from live import IOTRACE, Live, workload  # noqa: E402


class Small:
    """A file system of few megabytes, while the block lasts."""

    def __init__(self, live, name, megabytes):
        self.path = live.made(name)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "iotrace-live", self.path], check=True)

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", self.path], check=True)


def data(live):
    with open(live.path("data"), "wb") as file:
        file.write(b"x" * 4096)
    return live.path("data")


def tells(live, what, said, word):
    """One sentence, or a few, but with the cause in it."""
    text = said.decode(errors="replace")
    live.check(word.lower() in text.lower(), f"{what}: '{word}' is not in: {text}")
    lines = [line for line in text.splitlines() if word.lower() in line.lower()]
    live.check(len(lines) <= 2, f"{what}: told over and over: {text[:1000]}")


def survives(live, what, directory):
    """If there is an archive, it is one."""
    if os.path.exists(f"{directory}/traces.otf2"):
        live.examine(directory, lossless=False)
        return True
    return False


def test_no_space_for_spool(live):
    """The command does not suffer; what was recorded until then is an archive, or the sentence says why not."""
    what = "no space for the spool"
    with Small(live, "tiny", 3) as tiny:
        ran = live.run([IOTRACE, "-o", f"{tiny}/trace", "--", workload("storm"), data(live), "2", "150000"])
        live.equal(f"{what}: what the command said", ran.stdout, b"ready\n300000\n")
        live.check(ran.returncode in (0, 125), f"{what}: exit status {ran.returncode}")
        tells(live, what, ran.stderr, "No space left")
        tells(live, what, ran.stderr, "choose another directory with -o, or with --capture if it is given")
        survives(live, what, f"{tiny}/trace")


def test_no_space_for_archive(live):
    """A capture that is too large for the place of the archive: a shorter archive that says so, or none."""
    what = "no space for the archive"
    capture = live.path("big.capture")
    live.record(live.path("big"), [workload("storm"), data(live), "2", "150000"], "-q", "--capture", capture)
    with Small(live, "little", 2) as little:
        ran = live.run([IOTRACE, "convert", capture, "-o", f"{little}/trace"])
        live.check(ran.returncode not in (0,) and ran.returncode > 0, f"{what}: exit status {ran.returncode}")
        tells(live, what, ran.stderr, "No space left")
        survives(live, what, f"{little}/trace")
    os.remove(capture)


def test_forks(live):
    """5,000 processes: every read of every one, and readers that come to their end."""
    what, count = "forks", 5000
    directory, path = live.path("forks"), data(live)
    live.record(directory, [workload("forks"), str(count), path], "-q")
    about = live.examine(directory)
    live.check(about["trace"]["processes_seen"] >= count + 1, f"{what}: {about['trace']['processes_seen']} processes")
    children = [process.whole() for process in Archive(directory).groups.values()]
    children = [tally for tally in children if tally.calls["execve", 0] == 0]
    live.check(len(children) < count, f"{what}: {len(children)} groups for {count} processes")
    live.equal(f"{what}: reads of children", sum(tally.calls["read", 0] for tally in children), count)
    live.equal(f"{what}: bytes", sum(s["read_bytes"] for t in children for s in t.files.values()), 3 * count)
    live.equal(f"{what}: bytes of another file",
               sum(s["read_bytes"] for t in children for p, s in t.files.items() if p not in (path, None)), 0)


def test_killed(live):
    what, directory = "a command that kills itself", live.path("killed")
    script = f"head -c 1000 {data(live)} >/dev/null; kill -KILL $$"
    live.record(directory, ["sh", "-c", script], "-q", status=128 + signal.SIGKILL)
    about = live.examine(directory)
    live.equal(f"{what}: signal", about["command"]["signal"], signal.SIGKILL)


def hostile_names():
    """Components of all that a component may have, and a path as long as a path may be."""
    return [b"\x1b]0;owned\x07\x1b[2J", b"line\nbreak\ttab\rreturn", b"\xff\xfe\xc3\x28 invalid", b"quote\"'\\back",
            "\u202egnp.exe \u2028 \U0001f4a9".encode(), b"%s%n%d", b" leading, trailing ", b"\x7f\x01\x02", b"x" * 255,
            b"\xe2\x80" * 127, b"$(reboot)`reboot`"]


def plain(text):
    """No byte that a terminal would obey, and no byte that is not text."""
    try:
        text = text.decode()
    except UnicodeDecodeError:
        return False
    bad = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
    return not bad.search(text)


def make_and_read(directory):
    """Runs as the command: reads one byte more of each next file. The number is in the name's place in the list."""
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    os.fchdir(fd)
    names = hostile_names()
    for i, name in enumerate(names):
        with open(name, "wb", buffering=0) as file:
            os.write(file.fileno(), b"y" * (i + 1))
            time.sleep(0.03)
    deep = len(os.fsencode(directory))
    while deep < 4096 - 256:  # to 4,095 bytes in all, by steps that each can be named
        part = b"d" * min(250, 4095 - 5 - deep)
        os.mkdir(part)
        os.chdir(part)
        deep += len(part) + 1
    with open(b"e" * (4095 - deep - 1), "wb", buffering=0) as file:
        os.write(file.fileno(), b"z" * 100)
        time.sleep(0.03)


def test_names(live):
    """A name with line breaks, escape sequences or bytes that are no text is told, but never raw on stderr."""
    what, directory, place = "names", live.path("names.trace"), live.made("names")
    run = live.record(directory, ["/usr/bin/python3", "-B", os.path.realpath(__file__), "--names", place])
    live.check(plain(run.stderr), f"{what}: the summary is not plain: {run.stderr[:3000]!r}")
    live.examine(directory)
    written = {}
    for process in Archive(directory).groups.values():
        for path, sums in process.whole().files.items():
            if path and path.startswith(place) and sums["written_bytes"]:
                written[path] = written.get(path, 0) + sums["written_bytes"]
    for i, name in enumerate(hostile_names()):
        try:  # a name that is text is in the archive as it is, but for the backslash
            path = f"{place}/{name.decode()}".replace("\\", "\\\\")
            live.equal(f"{what}: bytes of {name!r}", written.get(path), i + 1)
        except UnicodeDecodeError:
            pass
    live.equal(f"{what}: files and bytes", sorted(written.values()),
               sorted([*range(1, len(hostile_names()) + 1), 100]))
    read_all = f"find {place} -maxdepth 1 -type f -exec cat {{}} + >/dev/null"
    for text in ([IOTRACE, "-o", live.path("names.2"), "--summary=json", "--", "/bin/sh", "-c", read_all],
                 ["otf2-print", f"{directory}/traces.otf2"]):
        ran = live.run(text)
        live.equal(f"{what}: {text[0]}: exit status", ran.returncode, 0)
        live.check(plain(ran.stderr), f"{what}: stderr of {text[0]} is not plain")
    ran = live.run([IOTRACE, "-o", live.path("names.3"), "--", b"/nonexistent/\x1b[31m\xff\n"])
    live.check(ran.returncode == 127 and plain(ran.stderr), f"{what}: of a command: {ran.returncode} {ran.stderr!r}")


def few(count):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))


def test_descriptors(live):
    """With hardly any descriptors: it works, or says so and does not run the command; the command keeps its limit."""
    what = "descriptors"
    for count in (40, 20, 12, 7):
        ran, directory = live.path(f"ran.{count}"), live.path(f"few.{count}")
        script = f"ulimit -n >{ran}; for i in 3 4 5 6 7 8; do eval \"exec $i</dev/null\" 2>/dev/null; done; :"
        run = live.run([IOTRACE, "-o", directory, "--", "/bin/sh", "-c", script], preexec_fn=few(count))
        if run.returncode == 125:
            live.check(not os.path.exists(ran), f"{what}: {count}: refused, and ran the command")
            live.check(1 <= len(run.stderr.splitlines()) <= 3, f"{what}: {count}: {run.stderr!r}")
        else:
            with open(ran, encoding="ascii") as file:
                live.equal(f"{what}: {count}: the command's limit", file.read().strip(), str(count))
            live.check(run.returncode in (0, 2), f"{what}: {count}: exit status {run.returncode}: {run.stderr!r}")
            live.examine(directory)


def test_reader_stops(live):
    """A reader that takes only the beginning, and a convert into a closed pipe: both end."""
    what, directory, capture = "reader", live.path("reader"), live.path("reader.capture")
    live.record(directory, [workload("storm"), data(live), "1", "20000"], "-q", "--capture", capture)
    for command in (f"timeout 30 otf2-print '{directory}/traces.otf2' | head -c 1000",
                    f"timeout 30 {IOTRACE} convert --format text '{capture}' | head -c 1000"):
        ran = live.run(["/bin/bash", "-c", f"{command} >/dev/null; exit ${{PIPESTATUS[0]}}"])
        live.check(ran.returncode != 124, f"{what}: {command} does not end")
    text = live.run([IOTRACE, "convert", "--format", "text", capture]).stdout
    live.equal(f"{what}: reads in the text", text.count(b"OP_COMPLETE") >= 20000, True)


def test_damaged(live):
    """A capture that was cut off anywhere, or is none: an archive of what is there, or a sentence."""
    what, capture = "damaged", live.path("reader.capture")
    size = os.path.getsize(capture)
    for cut in (0, 10, 104, 1000, size // 2, size - 5):
        torn, directory = live.path("torn"), live.path(f"torn.{cut}")
        with open(capture, "rb") as whole, open(torn, "wb") as part:
            part.write(whole.read(cut))
        ran = live.run([IOTRACE, "convert", torn, "-o", directory], timeout=60)
        live.check(0 <= ran.returncode < 126, f"{what}: cut at {cut}: exit status {ran.returncode}")
        live.check(ran.returncode == 0 or ran.stderr.strip(), f"{what}: cut at {cut}: no sentence")
        survives(live, what, directory)
    with open(live.path("random"), "wb") as file:
        file.write(os.urandom(100000))
    ran = live.run([IOTRACE, "convert", live.path("random"), "-o", live.path("random.trace")])
    live.check(0 < ran.returncode < 126 and ran.stderr.strip(), f"{what}: random bytes: {ran.returncode}")


TESTS = (test_no_space_for_spool, test_no_space_for_archive, test_forks, test_killed, test_names, test_descriptors,
         test_reader_stops, test_damaged)

if sys.argv[1:2] == ["--names"]:
    make_and_read(sys.argv[2])
    sys.exit(0)
with Live() as test:
    for each in TESTS:
        if not sys.argv[1:] or each.__name__ in sys.argv[1:]:
            each(test)
