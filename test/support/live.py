"""live: what every live test needs: a directory of its own, the program under test, and a list of what is wrong."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

IOTRACE = os.environ.get("IOTRACE", "iotrace")
PROGRAM = os.environ.get("IOTRACE_PROGRAM", IOTRACE)  # IOTRACE may be a script that leads there
SOURCE = os.environ.get("IOTRACE_SOURCE", "bpf")  # who records system calls
BIN = os.environ.get("TEST_BIN_DIR", ".")
SKIPPED = 77  # what CTest takes for "cannot run here"
MARK = f"IOTRACE_TEST={os.getpid()}"  # in the environment of all that this test starts
os.environ.update([MARK.split("=")])
CALMED = dict(os.environ, LC_ALL="C")  # sentences are compared
# otf2-print fills tens of megabytes first, which takes half of the time in huge pages.
HUGE = dict(CALMED, GLIBC_TUNABLES="glibc.malloc.hugetlb=1")
for number in (signal.SIGINT, signal.SIGQUIT):  # a script ignores them for what it starts in the background
    signal.signal(number, signal.SIG_DFL)


def workload(name):
    return os.path.join(BIN, f"workload_{name}")


def wait_until(is_so, seconds=60):
    """Waits for as long as it takes on a busy machine. Returns whether it is so."""
    end = time.monotonic() + seconds
    while not is_so() and time.monotonic() < end:
        time.sleep(0.02)
    return bool(is_so())


def end_what_is_left():
    """Kills what this test started and did not end."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if MARK.encode() in file.read().split(b"\0") and int(pid) != os.getpid():
                    os.kill(int(pid), signal.SIGKILL)
        except OSError:
            pass


def without_others():
    """Starts this program again where recordings of nobody else meet: some tests count them, or name none."""
    meetings = f"/tmp/iotrace-{os.getuid()}"
    if os.environ.get("IOTRACE_TEST_MEETINGS") != meetings:
        os.makedirs(meetings, mode=0o700, exist_ok=True)
        inside = 'mount -t tmpfs -o mode=700 iotrace-live "$0" && exec "$@"'
        os.execvpe("unshare", ["unshare", "-m", "sh", "-c", inside, meetings, sys.executable, "-B", *sys.argv],
                   dict(os.environ, IOTRACE_TEST_MEETINGS=meetings))


def together(live, tests, at_once=4):
    """Runs tests that wait for most of their time beside each other. Each gets a part of the test with a directory of its own."""
    os.chmod(live.dir, 0o755)  # other users may go to those of the parts that let them in
    with ThreadPoolExecutor(at_once) as pool:
        parts = [Live(live.made(test.__name__)) for test in tests]
        for test, part, run in [(test, part, pool.submit(test, part)) for test, part in zip(tests, parts)]:
            failure = run.exception()
            if failure:
                live.check(False, f"{test.__name__}: {''.join(traceback.format_exception(failure))}")
            live.wrong += part.wrong
            live.good += part.good
            for what in part.lacking:
                live.lacks(what)


class Live:
    """A test. `with Live() as live:`, then live.check() and live.equal(); the end of the block tells and exits: as skipped
    if something was not tested."""

    def __init__(self, directory=None):
        self.dir = directory or os.path.realpath(tempfile.mkdtemp(prefix="iotrace-live-"))
        self.wrong = 0
        self.good = 0
        self.lacking = []
        self.printed = set()  # kinds of archives that otf2-print has read

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        end_what_is_left()
        shutil.rmtree(self.dir, ignore_errors=True)
        if kind is not None:
            return False
        for what in self.lacking:
            print(f"not tested: this machine lacks {what}")
        print(f"{self.wrong} of {self.wrong + self.good} comparisons differ" if self.wrong else "ok")
        sys.exit(1 if self.wrong else SKIPPED if self.lacking else 0)

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def made(self, *names):
        os.makedirs(self.path(*names))
        return self.path(*names)

    def for_all(self, program):
        """Returns a copy of a program that any user can run: the tree may be in a home that others cannot enter."""
        os.chmod(self.dir, 0o755)
        return shutil.copy(program, self.path(os.path.basename(program)))

    def check(self, good, sentence):
        if good:
            self.good += 1
        else:
            self.wrong += 1
            print("WRONG", sentence)
        return good

    def lacks(self, what):
        if what not in self.lacking:
            self.lacking.append(what)

    def equal(self, what, got, expected):
        return self.check(got == expected, f"{what}: {got!r} instead of {expected!r}")

    def same_counts(self, what, got, expected):
        """Two dicts of numbers; what is missing is 0."""
        for key in sorted(set(got) | set(expected), key=str):
            self.equal(f"{what}: {key}", got.get(key, 0), expected.get(key, 0))

    def run(self, argv, **more):
        more.setdefault("stdout", subprocess.PIPE)
        more.setdefault("stderr", subprocess.PIPE)
        more.setdefault("env", CALMED)
        more.setdefault("timeout", 600)  # a check with idle priority waits for all tests beside it
        return subprocess.run(argv, **more)

    def record(self, archive, command, *options, status=0, wrapper=(), **more):
        """Runs the command under iotrace, perhaps that under a wrapper, into the archive."""
        argv = [*wrapper, IOTRACE, "-o", archive, *options, *(["--", *command] if command else [])]
        ran = self.run(argv, **more)
        if not self.equal(f"{command}: exit status", ran.returncode, status):
            print((ran.stderr or b"").decode(errors="replace"))
        return ran

    def start(self, *options, wrapper=(), **more):
        """Starts iotrace with these options and returns its process as soon as it records. It may have ended instead."""
        ready, its_end = os.pipe()
        more.setdefault("env", CALMED)
        run = subprocess.Popen([*wrapper, IOTRACE, "--ready-fd", str(its_end), *options], pass_fds=(its_end,), **more)
        os.close(its_end)
        with open(ready, "rb") as file:  # a wrapper may have it open for longer
            self.equal(f"{options}: the word that it records", file.readline(), b"ready\n")
        return run

    def examine(self, archive, lossless=True):
        """Returns iotrace.json of an archive that its readers accept and whose books balance. otf2-print needs half a second
        for any archive, so it reads the first one of each kind."""
        readers = [[IOTRACE, "check-archive", archive]]
        if lossless not in self.printed:
            readers.append(["otf2-print", "--silent", "-Werror", f"{archive}/traces.otf2"])
            self.printed.add(lossless)
        for argv in readers:
            ran = self.run(argv, env=HUGE)
            if not self.equal(" ".join(argv[:2]), ran.returncode, 0):
                print((ran.stdout + ran.stderr).decode(errors="replace")[:4000])
        with open(f"{archive}/iotrace.json", encoding="utf-8") as file:
            about = json.load(file)
        self.balance(about["books"], lossless)
        if lossless or about["events"]:  # a stream that broke off does not tell
            n = about["books"]["counters"]
            self.equal("books: counted by the kernel", n["kernel_counted"], n["samples"] + n["lost"] + n["unseen"])
        return about

    def balance(self, books, lossless=True):
        self.equal("books: balanced", books["balanced"], True)
        n = books["counters"]
        self.equal("books: samples", n["samples"], n["events"] + n["ignored"] + n["malformed"])
        self.equal("books: begun", n["begun"], n["completed"] + n["cancelled"] + n["aborted"] + n["unreported"] + n["in_flight"])
        self.equal("books: handles", n["handles_created"] + n["handles_inherited"],
                   n["handles_destroyed"] + n["handles_open"])
        for counter in ("malformed", "sink_refused") + (("lost", "unseen", "cancelled", "lost_exits")
                                                        if lossless else ()):
            self.equal(f"books: {counter}", n[counter], 0)
