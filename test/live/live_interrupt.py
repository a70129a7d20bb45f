#!/usr/bin/python3
"""Ctrl-C, SIGTERM, SIGTERM that is ignored, and SIGKILL: what was recorded until then is an archive.

The signals of a terminal go to all processes of a group, so each recording gets a session of its own.
"""

import glob
import os
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive  # noqa: E402
from live import CALMED, IOTRACE, Live, wait_until, workload  # noqa: E402

FOREVER = "1000000000"


class Recording:
    """iotrace with a command that does not end by itself; known to do its work when this is made."""

    def __init__(self, live, name, command, options=()):
        self.live, self.name = live, name
        self.directory = live.path(name, "trace")
        os.makedirs(live.path(name))
        self.iotrace = subprocess.Popen([IOTRACE, "-o", self.directory, *options, "--", *command], env=CALMED,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        start_new_session=True)
        live.equal(f"{name}: the command's first word", self.iotrace.stdout.readline(), b"ready\n")
        self.command = int(children(self.iotrace.pid)[0])

    def signal_group(self, number):
        os.killpg(self.iotrace.pid, number)

    def ends(self, seconds=60):
        """Returns the exit status and what it said. A command that was left alone ends here."""
        try:
            self.iotrace.wait(seconds)
        except subprocess.TimeoutExpired:
            self.live.check(False, f"{self.name}: does not end within {seconds} s")
            self.iotrace.kill()
        if is_alive(self.command):
            os.kill(self.command, signal.SIGKILL)
        _, said = self.iotrace.communicate()
        return self.iotrace.returncode, said.decode(errors="replace")

    def reads_of(self, name):
        """How many reads the archive has of this file."""
        processes = Archive(self.directory).groups.values()
        return sum(p.whole().files.get(name, {}).get("reads", 0) for p in processes)

    def reads(self, directory=None):
        """How many reads of any kind the archive has."""
        processes = Archive(directory or self.directory).groups.values()
        return sum(sums["reads"] for p in processes for sums in p.whole().files.values())


def children(pid):
    for _ in range(100):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            found = file.read().split()
        if found:
            return found
        time.sleep(0.05)
    raise RuntimeError(f"{pid} has no child")


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def reads_done(pid):
    with open(f"/proc/{pid}/io", encoding="ascii") as file:
        return int(file.read().split("syscr:")[1].split()[0])


def storm(live, pause_ms, threads="1"):
    with open(live.path("data"), "wb") as file:
        file.write(b"x" * 4096)
    return [workload("storm"), live.path("data"), threads, FOREVER, str(pause_ms)]


def test_interrupt(live):
    """Once: the command gets it as well, and all of what it did is there."""
    run = Recording(live, "interrupt", storm(live, 0, "2"))
    time.sleep(0.3)
    run.signal_group(signal.SIGINT)
    status, said = run.ends()
    live.equal("interrupt: exit status", status, 128 + signal.SIGINT)
    live.check("\n" in said, "interrupt: no summary")
    about = live.examine(run.directory, lossless=False)
    live.check(about["is_complete"], "interrupt: the archive is not complete")
    live.check(about["books"]["counters"]["calls"] > 1000, "interrupt: hardly any call in the archive")
    live.equal("interrupt: what is left beside the archive", os.listdir(live.path("interrupt")), ["trace"])


def test_interrupt_ignored(live):
    """The command does not care: the recording goes on until it ends."""
    done = live.path("done")
    script = f"trap '' INT; echo ready; for i in 1 2 3 4 5 6 7 8; do cat {live.path('data')} >/dev/null; sleep 0.1; " \
             f"done; echo x >{done}; exit 9"
    run = Recording(live, "ignored", ["sh", "-c", script], ("-q",))
    time.sleep(0.3)
    for _ in range(3):
        run.signal_group(signal.SIGINT)
        time.sleep(0.05)
    status, _ = run.ends()
    live.equal("ignored: exit status", status, 9)
    live.check(os.path.exists(done), "ignored: the command did not end by itself")
    about = live.examine(run.directory)
    live.equal("ignored: complete", about["is_complete"], True)
    live.equal("ignored: reads of 8 times cat", run.reads_of(live.path("data")), 16)


def test_terminate(live):
    """SIGTERM to iotrace alone goes on to the command, with which the recording ends."""
    run = Recording(live, "terminate", storm(live, 5))
    time.sleep(0.5)
    run.iotrace.send_signal(signal.SIGTERM)
    status, _ = run.ends(20)
    live.equal("terminate: exit status", status, 128 + signal.SIGTERM)
    about = live.examine(run.directory)
    live.equal("terminate: complete", about["is_complete"], True)
    live.equal("terminate: signal in iotrace.json", about["command"]["signal"], signal.SIGTERM)
    live.check(run.reads() > 20, "terminate: hardly any read in the archive")


def test_ignored(live):
    """A busy command that ignores SIGTERM: the second one ends the recording, the third one its conversion."""
    script = f"trap '' TERM; echo ready; exec {' '.join(storm(live, 0, '2'))}"
    run = Recording(live, "insist", ["sh", "-c", script])
    for _ in range(3):
        run.iotrace.send_signal(signal.SIGTERM)
        time.sleep(1.3)
    wait_until(lambda: os.path.exists(os.path.join(run.directory, "iotrace.json")))
    live.check(is_alive(run.command), "insist: the command was killed")
    live.equal("insist: iotrace waits for it", run.iotrace.poll(), None)
    about = live.examine(run.directory, lossless=False)
    live.equal("insist: complete", about["is_complete"], False)
    os.kill(run.command, signal.SIGKILL)
    status, _ = run.ends(20)
    live.equal("insist: exit status", status, 128 + signal.SIGKILL)


def test_conversion(live):
    """A conversion that is stopped says so, and does not blame the capture, which is whole."""
    capture, converted = live.path("large"), live.path("part")
    live.record(live.path("whole"), [*storm(live, 0)[:-2], "1000000", "0"], "-q", "--capture", capture)
    convert = subprocess.Popen([IOTRACE, "convert", capture, "-o", converted], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    wait_until(lambda: glob.glob(live.path(".part.iotrace", "archive", "traces", "*.evt")))
    convert.send_signal(signal.SIGINT)
    _, said = convert.communicate()
    said = said.decode()
    live.equal("conversion: exit status", convert.returncode, 125)
    live.check("incomplete: the conversion was stopped" in said, f"conversion: the summary names no cause: {said}")
    live.check("still running" not in said, f"conversion: nothing is known of the processes at the end: {said}")
    ran = live.run([IOTRACE, "report", converted])
    live.check(b"incomplete: the conversion was stopped" in ran.stdout, f"conversion: the report: {ran.stdout!r}")


def test_killed(live):
    """SIGKILL: the command goes on, and the spool becomes an archive of all but the last moment."""
    run = Recording(live, "killed", storm(live, 2), ("-q",))
    time.sleep(1.5)
    early = reads_done(run.command)
    time.sleep(1)
    run.iotrace.kill()
    run.iotrace.wait()
    time.sleep(0.3)
    live.check(is_alive(run.command), "killed: the command was killed with it")
    os.kill(run.command, signal.SIGTERM)
    spools = [name for name in glob.glob(live.path("killed", ".*.iotrace", "spool")) if os.path.isfile(name)]
    if not live.equal("killed: spools", len(spools), 1):
        return
    converted = live.path("killed", "converted")
    ran = live.run([IOTRACE, "convert", spools[0], "-o", converted])
    if not live.equal("killed: convert: exit status", ran.returncode, 0):
        print(ran.stderr.decode(errors="replace"))
        return
    about = live.examine(converted, lossless=False)
    live.equal("killed: end in iotrace.json", about["end"], None)
    live.equal("killed: complete", about["is_complete"], False)
    got = run.reads(converted)
    live.check(got >= early - 10, f"killed: {got} reads, although {early} were done a second before the kill")


with Live() as test:
    for each in (test_interrupt, test_interrupt_ignored, test_terminate, test_ignored, test_conversion, test_killed):
        each(test)
