#!/usr/bin/python3
"""Recorders beside each other, and others who may write where they write.

Of several that make one name, one does; what a killed one left is told; nobody who swaps names and links meanwhile
leads iotrace to a file that is not its own.
"""

import ctypes
import os
import signal
import stat
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from live import CALMED, IOTRACE, Live  # noqa: E402

RENAME_EXCHANGE = 2
AT_FDCWD = -100
SWAPS = 10000
RUNS = 24
NOBODY = 65534


def start_together(live, argvs, cwd):
    """All of them wait for one pipe, as mpirun's processes do, and begin when it is closed."""
    gate, key = os.pipe()
    started = [subprocess.Popen(["/bin/sh", "-c", 'read -r _; exec "$@" </dev/null', "-", *argv], cwd=cwd, stdin=gate,
                                env=dict(CALMED, **more), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
               for argv, more in argvs]
    os.close(gate)
    time.sleep(0.05)
    os.close(key)
    ended = []
    for process in started:
        out, err = process.communicate(timeout=120)
        ended.append((process.returncode, out.decode(), err.decode()))
    return ended


def hidden(directory):
    return [name for name in os.listdir(directory) if name.startswith(".")]


def test_one_wins(live, recorders, rounds):
    what = f"{recorders} recorders"
    for number in range(rounds):
        place = live.made(f"one.{recorders}.{number}")
        argv = [IOTRACE, "-q", "-o", "trace", "--", "sh", "-c", "echo ran; sleep 0.2"]
        ended = start_together(live, [(argv, {})] * recorders, place)
        live.equal(f"{what}: how many ran", sorted(code for code, _, _ in ended), [0] + [125] * (recorders - 1))
        for code, out, err in ended:
            live.equal(f"{what}: what the command said", out, "" if code else "ran\n")
            live.check(not code or ("trace" in err and 1 <= len(err.splitlines()) <= 2), f"{what}: refused with {err!r}")
        live.equal(f"{what}: what is there", os.listdir(place), ["trace"])
        live.examine(f"{place}/trace", lossless=False)


def test_ranks(live):
    """Names of their own, by what the launcher tells."""
    place = live.made("ranks")
    argv = [IOTRACE, "-q", "-o", "trace.%j.%r", "--capture", "capture.%r", "--", "true"]
    ended = start_together(live, [(argv, {"OMPI_COMM_WORLD_RANK": str(i), "SLURM_JOB_ID": "77"}) for i in range(4)], place)
    live.equal("ranks: statuses", [code for code, _, _ in ended], [0] * 4)
    live.equal("ranks: what is there", sorted(os.listdir(place)),
               [f"capture.{i}" for i in range(4)] + [f"trace.77.{i}" for i in range(4)])
    ran = live.run([IOTRACE, "-o", "trace.77.0", "--", "touch", "ran"], cwd=place,
                   env=dict(CALMED, OMPI_COMM_WORLD_RANK="0"))
    live.equal("ranks: a name that is there", ran.returncode, 125)
    live.check(b"trace.77.0.%r" in ran.stderr, f"ranks: {ran.stderr!r}")
    for name in ("trace.%r", "trace.%z", "trace%"):
        ran = live.run([IOTRACE, "-o", name, "--", "touch", "ran"], cwd=place)
        live.check(ran.returncode == 125 and not os.path.exists(f"{place}/ran"), f"ranks: {name}: {ran.stderr!r}")


def test_killed(live):
    """The next recording and `iotrace check` say what is left; convert says when it may go."""
    place = live.made("killed")
    ran = live.run([IOTRACE, "-q", "-o", "trace", "--", "sh", "-c", "cat /etc/passwd >/dev/null; sleep 0.5; kill -9 $PPID"],
                   cwd=place)
    live.equal("killed: status", ran.returncode, -signal.SIGKILL)
    live.equal("killed: what is left", os.listdir(place), [".trace.iotrace"])
    convert, remove = "iotrace convert .trace.iotrace/spool", "rm -r .trace.iotrace"
    for argv, commands in (([IOTRACE, "-o", "other", "true"], (convert,)), ([IOTRACE, "check"], (convert, remove))):
        ran = live.run(argv, cwd=place)
        for command in commands:
            live.check(command.encode() in ran.stdout + ran.stderr, f"killed: {argv[1:]} does not name '{command}'")
        if argv[1] != "check":
            lines = [line for line in ran.stderr.splitlines() if b"killed recording" in line]
            live.equal(f"killed: lines of {argv[1:]} on it", len(lines), 1)
    ran = live.run([IOTRACE, "-q", "-o", "quiet", "true"], cwd=place)
    live.equal("killed: what -q says", ran.stderr, b"")
    ran = live.run([IOTRACE, "convert", ".trace.iotrace/spool"], cwd=place)
    live.equal("killed: convert", ran.returncode, 0)
    live.check(b"may be removed: rm -r .trace.iotrace" in ran.stderr, f"killed: convert says {ran.stderr!r}")
    live.examine(f"{place}/trace", lossless=False)
    ran = live.run([IOTRACE, "-q", "--format", "null", "true"], cwd=place)
    live.equal("killed: what is said of what is converted", ran.stderr, b"")
    ran = live.run([IOTRACE, "--summary=none", "-o", "again", "true"], cwd=place)
    live.equal("killed: what a later recording says of what is converted", ran.stderr, b"")
    ran = live.run([IOTRACE, "check"], cwd=place)
    live.check(b".trace.iotrace (converted)\nTo remove it: rm -r .trace.iotrace" in ran.stdout, f"killed: check says {ran.stdout!r}")
    live.run(["rm", "-r", ".trace.iotrace"], cwd=place)
    live.equal("killed: what is hidden at the end", hidden(place), [])


def test_no_output_needs_no_directory(live):
    """Where nothing is made, the spool lies elsewhere if the current directory takes no files; and nothing is left there."""
    spare, file = live.made("spare"), live.path("file")
    for variable, said in ((spare, b".iotrace-"), (file, b"")):  # a TMPDIR that is no directory is not used
        ran = live.run([IOTRACE, "-q", "--format", "null", f"--summary=json:{file}", "ls", "-A", spare], cwd="/proc",
                       env=dict(os.environ, TMPDIR=variable))
        live.equal("no output: status", ran.returncode, 0)
        live.check(said in ran.stdout and bool(said) == bool(ran.stdout), f"no output: in TMPDIR lies {ran.stdout!r}")
        live.equal("no output: what it says", ran.stderr, b"")
    live.equal("no output: what is left", os.listdir(spare), [])
    ran = live.run([IOTRACE, "true"], cwd="/proc")
    live.check(ran.returncode == 125 and b"cannot create files in ." in ran.stderr, f"an output in /proc: {ran.stderr!r}")
    ran = live.run([IOTRACE, "--format", "null", "-o", "/proc/x", "true"])
    live.check(ran.returncode == 125 and b"cannot create files in /proc" in ran.stderr, f"-o in /proc: {ran.stderr!r}")


def test_what_the_command_sees(live):
    place = live.made("sees")
    ran = live.run([IOTRACE, "-q", "-o", "trace", "--", "ls"], cwd=place)
    live.equal("what the command sees", ran.stdout, b"")
    ran = live.run([IOTRACE, "-q", "-o", "trace2", "--", "ls", "-A"], cwd=place)
    live.equal("all that the command sees", ran.stdout.split(), [b".trace2.iotrace", b"trace"])


def test_inputs_are_no_outputs(live):
    place = live.made("inputs")
    live.run([IOTRACE, "-q", "-o", "trace", "--capture", "x.spool", "true"], cwd=place)
    with open(f"{place}/x.spool", "rb") as file:
        before = file.read()
    os.symlink("x.spool", f"{place}/link")
    for argv in (["-o", "x.spool"], ["--format", "text", "-o", "x.spool"], ["--format", "text", "-o", "link"],
                 ["-o", "y", "--summary=text:x.spool"], ["-o", "y", "--summary=text:link"], ["-o", "y", "--summary=text:y"]):
        ran = live.run([IOTRACE, "convert", *argv, "x.spool"], cwd=place)
        live.check(ran.returncode == 125 and ran.stderr, f"convert {argv}: {ran.returncode} {ran.stderr!r}")
        with open(f"{place}/x.spool", "rb") as file:
            live.check(file.read() == before, f"convert {argv}: the capture is another")
    for argv in (["-o", "z", "--capture", "z"], ["-o", "z", "--summary=text:z"], ["-o", "z", "--capture", "w", "--summary=json:w"],
                 ["--format", "text", "-o", "x.spool"], ["--capture", "x.spool"], ["--format", "text", "-o", "-"], ["-o", "-"]):
        ran = live.run([IOTRACE, *argv, "touch", "ran"], cwd=place)
        live.check(ran.returncode == 125 and ran.stderr, f"record {argv}: {ran.returncode} {ran.stderr!r}")
    live.equal("what is there", sorted(os.listdir(place)), ["link", "trace", "x.spool"])
    ran = live.run([IOTRACE, "convert", "--format", "text", "-o", "-", "x.spool"], cwd=place)
    live.check(b"PROGRAM_BEGIN" in ran.stdout, "convert --format text -o -: nothing on standard output")


def test_modes(live):
    place = live.made("modes")
    for options, mask, mode in ((["-o", "a", "--", "true"], 0o022, 0o644), (["-o", "b", "--", "true"], 0o077, 0o600),
                                (["-o", "c", "-a", "--duration", "0.2"], 0o022, 0o600),
                                (["-o", "d", "-a", "--duration", "0.2", "--mode", "640"], 0o022, 0o640),
                                (["-o", "e", "--format", "text", "-a", "--duration", "0.2"], 0o022, 0o600)):
        live.run([IOTRACE, "-q", *options], cwd=place, preexec_fn=lambda mask=mask: os.umask(mask))
        for folder, _, files in os.walk(f"{place}/{options[1]}"):
            live.equal(f"{options}: mode of {folder}", stat.S_IMODE(os.stat(folder).st_mode), mode | (mode & 0o444) >> 2)
            for name in files:
                live.equal(f"{options}: mode of {name}", stat.S_IMODE(os.stat(f"{folder}/{name}").st_mode), mode)
    live.equal("mode of a text", stat.S_IMODE(os.stat(f"{place}/e").st_mode), 0o600)


def swap(place, victim, swaps, stop):
    """Runs as nobody, the directory's owner: puts links and directories of its own under all names that it sees."""
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    os.chdir(place)
    libc = ctypes.CDLL(None)
    os.makedirs("mine/archive/traces", exist_ok=True)
    for name in ("mine/precious", "mine/archive/precious", "mine/spool"):
        with open(name, "w", encoding="utf-8") as file:
            file.write("precious")
    os.symlink(victim, "link")
    done = 0
    while done < swaps or not os.path.exists(stop):
        for name in [n for n in os.listdir(".") if n not in ("mine", "link")]:
            other = "mine" if done % 2 else "link"
            libc.renameat2(AT_FDCWD, name.encode(), AT_FDCWD, other.encode(), RENAME_EXCHANGE)
            libc.renameat2(AT_FDCWD, name.encode(), AT_FDCWD, other.encode(), RENAME_EXCHANGE)
        for target in ("trace", "text", "sum"):
            try:
                os.symlink(victim, target)
                os.unlink(target)
            except OSError:
                pass
        done += 1


def contents(directory):
    """All that is in it, with the time of each change."""
    found = {}
    for folder, folders, files in os.walk(directory):
        for name in folders + files:
            status = os.lstat(f"{folder}/{name}")
            found[f"{folder}/{name}"] = (status.st_mode, status.st_size, status.st_mtime_ns)
    return found


def test_swapped(live, sticky):
    """10,000 times, while root records and converts there. Nothing else of root's is touched, and what stands is whole."""
    what = f"swapped names ({'sticky' if sticky else 'own'} directory)"
    place, victim = live.made(f"swapped.{sticky}"), live.made(f"victim.{sticky}")
    os.chmod(live.dir, 0o755)
    os.makedirs(f"{victim}/archive/traces")
    for name in ("spool", "text", "iotrace.json", "owner", "archive/traces.def"):
        with open(f"{victim}/{name}", "w", encoding="utf-8") as file:
            file.write("precious")
    live.run([IOTRACE, "-q", "-o", live.path(f"first.{sticky}"), "--capture", live.path(f"cap.{sticky}"), "true"])
    os.chown(place, NOBODY, NOBODY)
    os.chmod(place, 0o1777 if sticky else 0o755)
    before = contents(victim)
    swapper = subprocess.Popen([sys.executable, "-B", os.path.realpath(__file__), "--swap", place, victim, str(SWAPS),
                                live.path(f"stop.{sticky}")])
    while not os.path.exists(f"{place}/link") and swapper.poll() is None:
        time.sleep(0.01)
    tried, crashed = 0, 0
    while swapper.poll() is None:
        for argv in (["-q", "-o", f"{place}/trace", "true"],
                     ["convert", "-q", "-o", f"{place}/trace", live.path(f"cap.{sticky}")],
                     ["convert", "-q", "--format", "text", "-o", f"{place}/text", live.path(f"cap.{sticky}")],
                     ["convert", f"--summary=json:{place}/sum", "--format", "null", live.path(f"cap.{sticky}")]):
            ran = live.run([IOTRACE, *argv])
            tried += 1
            crashed += ran.returncode not in (0, 125)
        if tried >= RUNS:
            with open(live.path(f"stop.{sticky}"), "w", encoding="utf-8"):
                pass
        for name in ("trace", "text", "sum"):
            # Only what is root's: the swapper's own directory may have this name by now.
            subprocess.run(["find", f"{place}/{name}", "-user", "root", "-delete"], check=False, stderr=subprocess.DEVNULL)
    live.equal(f"{what}: the swapper's status", swapper.returncode, 0)
    live.check(tried >= RUNS, f"{what}: only {tried} runs meanwhile")
    live.equal(f"{what}: ends that are none, of {tried}", crashed, 0)
    live.equal(f"{what}: what is root's", contents(victim), before)
    # The swapper's own files, wherever its last exchange has left them.
    own = []
    for folder, _, files in os.walk(place):
        for name in files:
            with open(f"{folder}/{name}", "rb") as file:
                own += [name] if file.read(9) == b"precious" else []
    live.equal(f"{what}: what is the swapper's", sorted(own), ["precious", "precious", "spool"])
    print(f"{what}: {tried} runs while names were swapped {SWAPS} times or more")


def test_fifo(live):
    """Nobody writes to it: convert says that it is no file, and ends."""
    fifo = live.path("fifo")
    os.mkfifo(fifo)
    ran = live.run(["timeout", "-k", "1", "5", IOTRACE, "convert", fifo])
    live.check(ran.returncode == 125 and b"not a regular file" in ran.stderr, f"a FIFO: {ran.returncode} {ran.stderr!r}")


if sys.argv[1:2] == ["--swap"]:
    swap(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
    sys.exit(0)
with Live() as test:
    TESTS = [lambda live: test_one_wins(live, 4, 12), lambda live: test_one_wins(live, 16, 2), test_ranks, test_killed,
             test_no_output_needs_no_directory, test_what_the_command_sees, test_inputs_are_no_outputs, test_modes, test_fifo,
             lambda live: test_swapped(live, False), lambda live: test_swapped(live, True)]
    for number, each in enumerate(TESTS):
        if not sys.argv[1:] or str(number) in sys.argv[1:] or each.__name__ in sys.argv[1:]:
            each(test)
