#!/usr/bin/python3
"""Ctrl-C, SIGTERM, a second Ctrl-C, and SIGKILL of iotrace: what was recorded until then is an archive.

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
from live import CALMED, IOTRACE, Live, workload  # noqa: E402

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
    """Once, and the command does not care: the recording ends, the command goes on until it ends."""
    done = live.path("done")
    script = f"trap '' INT; echo ready; for i in 1 2 3 4 5 6 7 8; do cat {live.path('data')} >/dev/null; sleep 0.1; " \
             f"done; echo x >{done}; exit 9"
    run = Recording(live, "ignored", ["sh", "-c", script], ("-q",))
    time.sleep(0.3)
    run.signal_group(signal.SIGINT)
    status, _ = run.ends()
    live.equal("ignored: exit status", status, 9)
    live.check(os.path.exists(done), "ignored: the command did not end by itself")
    live.examine(run.directory)


def test_terminate(live):
    """SIGTERM to iotrace alone ends the recording; the command goes on or ends, but never unnoticed."""
    run = Recording(live, "terminate", storm(live, 5))
    time.sleep(0.5)
    run.iotrace.send_signal(signal.SIGTERM)
    time.sleep(1)
    if is_alive(run.command):
        os.kill(run.command, signal.SIGTERM)
    status, _ = run.ends()
    live.equal("terminate: exit status", status, 128 + signal.SIGTERM)
    live.examine(run.directory)
    live.check(run.reads() > 20, "terminate: hardly any read in the archive")


def test_twice(live):
    """Twice: at once, although the command ignores it and much may wait to be converted."""
    script = f"trap '' INT; echo ready; exec {' '.join(storm(live, 0, '2'))}"
    run = Recording(live, "twice", ["sh", "-c", script])
    time.sleep(1)
    run.signal_group(signal.SIGINT)
    time.sleep(0.3)
    begun = time.monotonic()
    run.signal_group(signal.SIGINT)
    status, _ = run.ends(20)
    live.check(time.monotonic() - begun < 15, "twice: took too long")
    live.equal("twice: exit status", status, 128 + signal.SIGINT)
    live.examine(run.directory, lossless=False)


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
    spools = [name for name in glob.glob(live.path("killed", "*")) if os.path.isfile(name)]
    if not live.equal("killed: spools", len(spools), 1):
        return
    converted = live.path("killed", "converted")
    ran = live.run([IOTRACE, "convert", spools[0], "-o", converted])
    if not live.equal("killed: convert: exit status", ran.returncode, 0):
        print(ran.stderr.decode(errors="replace"))
        return
    about = live.examine(converted, lossless=False)
    live.equal("killed: end in iotrace.json", about["end"], None)
    got = run.reads(converted)
    live.check(got >= early - 10, f"killed: {got} reads, although {early} were done a second before the kill")


with Live() as test:
    for each in (test_interrupt, test_interrupt_ignored, test_terminate, test_twice, test_killed):
        each(test)
