#!/usr/bin/python3
"""When to record: --delay, --start-stopped, iotrace start, pause, status and mark, --duration with a command, --limit."""

import json
import os
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive  # noqa: E402
from live import CALMED, IOTRACE, PROGRAM, SOURCE, Live, wait_until, without_others  # noqa: E402

PATIENCE = 60
NONE = b"iotrace: you have no recording on this machine\n"
# Writes as often as each line of its input says, and says when it has.
WORKER = 'exec 3>"$1"; while read -r n; do i=0; while [ $i -lt $n ]; do echo x >&3; i=$((i + 1)); done; echo done; done'


class Recorded:
    """A worker that is recorded."""

    def __init__(self, live, name, *options, own=()):
        self.live, self.archive, self.out = live, live.path(name), live.path(name + ".out")
        self.process = subprocess.Popen(
            [IOTRACE, f"--source={SOURCE}", *options, "-q", "-o", self.archive, *own, "--", "sh", "-c", WORKER, "sh", self.out],
            env=CALMED, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=live.dir, text=True)
        self.name = str(self.process.pid)

    def work(self, writes):
        self.process.stdin.write(f"{writes}\n")
        self.process.stdin.flush()
        self.live.equal("the worker", self.process.stdout.readline(), "done\n")

    def say(self, *words, status=0):
        ran = self.live.run([IOTRACE, *words])
        self.live.equal(f"{words}: status", (ran.returncode, ran.stderr), (status, b""))
        return ran.stdout.decode()

    def end(self):
        """Returns iotrace.json, and how often the worker wrote by the archive."""
        _, said = self.process.communicate(timeout=PATIENCE)
        self.live.equal(f"{self.archive}: status and words", (self.process.returncode, said), (0, ""))
        about = self.live.examine(self.archive)
        whole = [p.whole().files for p in Archive(self.archive).groups.values()]
        return about, sum(files[self.out]["writes"] for files in whole if self.out in files)


def markers(archive):
    ran = subprocess.run(["otf2-marker", f"{archive}/traces.otf2"], check=True, stdout=subprocess.PIPE)
    return ran.stdout.decode(errors="replace")


def test_windows(live):
    """What is written in a pause is not in the archive; the file that was opened in it has its name afterwards."""
    worker = Recorded(live, "windows", "--start-stopped")
    worker.work(5)
    live.check("paused" in worker.say("status"), "status: it is not paused")
    live.check("recording" in worker.say("start", worker.name), "start: it does not record")
    worker.work(7)
    worker.say("mark", "the end", "of step 7")
    worker.say("pause", worker.name)
    worker.work(11)
    worker.say("start")
    worker.say("start")  # it is on already
    worker.work(13)
    about, writes = worker.end()
    live.equal("windows: writes", writes, 7 + 13)
    live.equal("windows: pauses", len(about["pauses"]), 2)
    live.equal("windows: the first begins with the recording", about["pauses"][0]["start_ns"], 0)
    live.equal("windows: is complete", about["is_complete"], True)
    said = markers(worker.archive)
    live.check("the end of step 7" in said and said.count("The recording was paused") == 2, f"markers: {said}")
    text = live.run([IOTRACE, "convert", "--format", "text", "-o", "-", worker.archive]).stdout
    live.equal("marks of an archive", [line for line in text.splitlines() if b"MARK" in line and b" - " in line][0].split(b" - ")[1:],
               [b'MARK "the end of step 7"'])
    ran = live.run([IOTRACE, "report", "--json", worker.archive])
    report = json.loads(ran.stdout)
    live.equal("windows: paused in the report", report["run"]["paused_ns"], sum(p["duration_ns"] for p in about["pauses"]))
    live.equal("windows: duration in the report", report["run"]["duration_ns"] + report["run"]["paused_ns"], about["duration_ns"])
    told = json.loads(live.run([IOTRACE, "latency", "--json", worker.archive]).stdout)
    live.equal("windows: rates of latency are without pauses", told["duration_ns"], report["run"]["duration_ns"])


def test_never_started(live):
    worker = Recorded(live, "never", "--start-stopped")
    worker.work(5)
    about, writes = worker.end()
    said = live.run([IOTRACE, "report", worker.archive]).stdout.decode().splitlines()[1]
    live.check(said.startswith("nothing was recorded: the recording was paused the whole time"), f"never started: {said}")
    live.equal("never started: writes, pauses", (writes, len(about["pauses"])), (0, 1))
    live.equal("never started: operations", about["books"]["counters"]["begun"], 0)


def test_delay(live):
    """Until its time has come nothing is recorded; --duration counts from then on, and the command runs on."""
    live.check(any(use_delay(live, seconds) for seconds in (1.5, 5, 15)), "delay: this machine is too slow to test it")


def use_delay(live, seconds):
    """Returns False, and says nothing, if the worker was too slow for these times."""
    asked, said = time.monotonic(), b"paused"
    worker = Recorded(live, f"delay.{seconds}", "--delay", str(seconds), "--duration", str(seconds))
    worker.work(5)
    is_quick = time.monotonic() < asked + seconds
    while b"recording" not in said and not os.path.exists(worker.archive):
        if b"paused" in said:
            paused = asked  # or at some time after it
        asked = time.monotonic()
        said = live.run([IOTRACE, "status"]).stdout
    worker.work(7)
    is_quick &= time.monotonic() < paused + seconds
    live.check(wait_until(lambda: os.path.exists(worker.archive)), "delay: it does not end")
    ran = live.run([IOTRACE, "status"])  # the command runs on
    live.equal("delay: status after its end", (ran.returncode, ran.stdout, ran.stderr), (1, b"", NONE))
    worker.work(11)
    about, writes = worker.end()
    if is_quick:
        live.check(b"recording" in said, f"delay: it does not begin: {said!r}")
        live.equal("delay: writes", writes, 7)
        live.equal("delay: complete", about["is_complete"], False)  # the command ran on
        live.equal("delay: pauses", len(about["pauses"]), 1)
        paused_ns = about["pauses"][0]["duration_ns"]
        live.check(0.9 * seconds < paused_ns / 1e9 < seconds + 4, f"delay: {about['pauses']}")
    return is_quick


def test_several(live):
    """Each recording has its name; without one it has to be clear which is meant; those of others are not there."""
    one, two = Recorded(live, "one"), Recorded(live, "two", "--join", "pair")
    live.check(wait_until(lambda: live.run([IOTRACE, "status"]).stdout.count(b"\n") == 2), "two recordings: they are not there")
    live.check("pair" not in one.say("status", one.name), "status of one")
    ran = live.run([IOTRACE, "pause"])
    live.equal("pause of either: status", ran.returncode, 1)
    live.check(b"several" in ran.stderr and b"pair" in ran.stderr and one.name.encode() in ran.stderr, f"pause: {ran.stderr}")
    one.work(2)
    two.work(2)
    two.say("pause", "pair")
    host = two.say("status", "pair").split()[0]
    live.check("paused" in two.say("status", host), "status by the process id of a named recording")
    one.work(3)
    two.work(3)
    ran = live.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", live.for_all(PROGRAM), "status"])
    live.equal("another user", (ran.returncode, ran.stdout, ran.stderr), (1, b"", NONE))
    live.equal("one: writes", one.end()[1], 5)
    live.equal("two: writes", two.end()[1], 2)
    live.check(wait_until(lambda: live.run([IOTRACE, "status"]).returncode), "two: it stays")  # longer than its guest
    ran = live.run([IOTRACE, "status"])
    live.equal("none: status", (ran.returncode, ran.stderr), (1, NONE))


def test_stop(live):
    """Without a name it ends the only recording; with one, that of --join. The commands run on."""
    joined = f"stopped-{os.getpid()}"
    for name, options, words in (("only", (), ()), ("named", ("--join", joined), (joined,))):
        worker = Recorded(live, name, *options)
        worker.work(3)
        worker.say("stop", *words)
        live.check(wait_until(lambda there=worker.archive: os.path.exists(there)), f"stop {words}: no archive")
        worker.work(5)
        about, writes = worker.end()
        live.equal(f"stop {words}: writes, complete", (writes, about["is_complete"]), (3, False))


def test_ended(live):
    """A recorder that ends while it is asked is no recording any more, and hinders no other."""
    worker = Recorded(live, "lasts")
    worker.work(1)
    stopped = Recorded(live, "hangs")
    stopped.work(1)
    os.kill(stopped.process.pid, signal.SIGSTOP)
    with subprocess.Popen([IOTRACE, "status"], env=CALMED, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as asked:
        time.sleep(1)
        os.kill(stopped.process.pid, signal.SIGKILL)
        said, errors = asked.communicate(timeout=PATIENCE)
    live.equal("status of one that is killed", (asked.returncode, said.count(b"\n"), errors), (0, 1, b""))
    stopped.process.communicate(timeout=PATIENCE)
    worker.end()


def test_stopped(live):
    """Whoever asks a recorder that is stopped gets a sentence after a while, however many have asked; another recorder answers at once."""
    worker, stopped = Recorded(live, "answers"), Recorded(live, "stopped")
    for each in (worker, stopped):
        each.work(1)
    os.kill(stopped.process.pid, signal.SIGSTOP)
    try:
        with open("/proc/sys/net/unix/max_dgram_qlen", encoding="ascii") as file:
            clients = 2 * int(file.read()) + 4  # more than may wait at its socket
        asked = [subprocess.Popen([IOTRACE, "status", stopped.name], env=CALMED, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                 for _ in range(clients)]
        begun = time.monotonic()
        ran = live.run([IOTRACE, "status", worker.name])
        live.equal("beside a stopped one: status", ran.returncode, 0)
        live.check(time.monotonic() - begun < 4, f"beside a stopped one: an answer takes {time.monotonic() - begun} s")
        said = {one.communicate(timeout=PATIENCE)[1] for one in asked}
        live.equal("stopped: what each says", said, {f"iotrace: {stopped.name}: the recording does not answer: Connection timed out\n".encode()})
    finally:
        for one in asked:
            one.kill()
        os.kill(stopped.process.pid, signal.SIGCONT)
    for each in (worker, stopped):
        each.end()


def test_killed(live):
    """What a killed recorder leaves is not taken for one."""
    worker = Recorded(live, "killed")
    worker.work(1)
    worker.process.send_signal(signal.SIGKILL)
    worker.process.communicate(timeout=PATIENCE)
    ran = live.run([IOTRACE, "mark", "-r", worker.name, "text"])
    live.equal("killed: mark", (ran.returncode, ran.stderr.decode()),
               (1, f"iotrace: no process {worker.name}\n"))
    live.equal("killed: status", live.run([IOTRACE, "status"]).returncode, 1)


def test_marks(live):
    """A program sets marks without a library, as does its child; what it is not asked to have it does not have."""
    live.equal("no marks: the variable", live.run([IOTRACE, "-q", "-o", live.path("none"), "sh", "-c", "echo $IOTRACE_MARK_FD"]).stdout, b"\n")
    for name, options in (("marks", []), ("marks-joined", ["--join", f"marks-{os.getpid()}"])):
        archive = live.path(name)
        script = "echo one >&$IOTRACE_MARK_FD; sh -c 'printf \"two\\033[2J\" >&'$IOTRACE_MARK_FD; cat /etc/passwd; echo three >&$IOTRACE_MARK_FD"
        ran = live.run(["bash", "-c", 'exec "$@"', "bash", IOTRACE, f"--source={SOURCE}", *options, "--marks", "-q", "-o", archive,
                        "--", "bash", "-c", script])
        live.equal(f"{name}: status", (ran.returncode, ran.stderr), (0, b""))
        live.examine(archive)
        said = markers(archive)
        live.check(all(word in said for word in ("one", "two", "three")), f"{name}: {said}")


def test_limit(live):
    """The recording ends when it takes so much room; the command runs on, and its status is kept."""
    live.check(any(use_limit(live, megabytes) for megabytes in (4, 16, 64)), "limit: every archive takes more than --limit allows")
    ran = live.run([IOTRACE, "--limit", "4M", "--strict", "-q", "-o", live.path("strict"), "dd", "if=/dev/zero", "of=/dev/null",
                    "bs=1", "count=500000", "status=none"])
    live.equal("limit: --strict", (ran.returncode, b"--strict: incomplete: --limit ended the recording" in ran.stderr), (125, True))
    ran = live.run([IOTRACE, "--limit", "1G", "--strict", "-q", "-o", live.path("below"), "true"])
    live.equal("below the limit", (ran.returncode, ran.stderr), (0, b""))
    # However fast it grows, what has room does not end.
    script = "dd if=/dev/zero of=/dev/null bs=1 count=100000 status=none"
    capture, archive = live.path("roomy.capture"), live.path("roomy")
    live.run([IOTRACE, f"--source={SOURCE}", "-q", "--capture", capture, "-o", archive, "--", "sh", "-c", script])
    whole = os.lstat(capture).st_blocks * 512 + on_disk(archive)
    ran = live.run([IOTRACE, f"--source={SOURCE}", "--limit", str(whole + whole // 4), "-q", "--capture", capture + ".2", "-o",
                    archive + ".2", "--", "sh", "-c", script])
    live.equal("it has room", (ran.returncode, ran.stderr), (0, b""))
    live.examine(archive + ".2")


def on_disk(archive):
    return sum(os.lstat(os.path.join(where, name)).st_blocks * 512 for where, _, names in os.walk(archive) for name in names)


def use_limit(live, megabytes):
    """Returns whether the archive keeps to it. On a busy machine the look at the disk may come late, which counts less for more."""
    archive = live.path(f"limited.{megabytes}")
    script = f"dd if=/dev/zero of=/dev/null bs=1 count={megabytes * 125000} status=none; exit 3"
    ran = live.run([IOTRACE, f"--source={SOURCE}", "--limit", f"{megabytes}M", "-q", "-o", archive, "--", "sh", "-c", script])
    live.equal("limit: status", ran.returncode, 3)
    said = rf"the recording ended early, because --limit allows {megabytes}\.0+ MiB on disk for archive and spool together"
    live.check(re.search(said.encode(), ran.stderr), f"limit: {ran.stderr}")
    about = live.examine(archive, lossless=False)
    live.equal("limit: complete", (about["is_complete"], about["end"]), (False, "limit"))
    report = live.run([IOTRACE, "report", archive]).stdout.decode()
    live.check(report.splitlines()[1].startswith("recorded until ") and "then --limit was reached" in report and
               "complete: --limit ended the recording after" in report, f"limit: {report}")
    size = on_disk(archive)
    print(f"limit: {size} bytes of {megabytes} MiB")
    return size <= megabytes << 20


def main():
    without_others()
    with Live() as live:
        for each in (test_windows, test_never_started, test_delay, test_several, test_stop, test_ended, test_stopped, test_killed, test_marks,
                     test_limit):
            if len(sys.argv) < 2 or each.__name__ in sys.argv[1:]:
                each(live)


main()
