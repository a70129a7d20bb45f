#!/usr/bin/python3
"""What a long recording takes: memory for each file name of the run, and disk for the spool."""

import contextlib
import os
import re
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from live import CALMED, IOTRACE, SOURCE, Live, wait_until, workload  # noqa: E402

FEW, MANY = 50000, 250000


def peak(argv):
    """Returns the bytes that a program took at most, and its exit status."""
    with subprocess.Popen(argv, env=CALMED, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as program:
        _, status, usage = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss << 10, program.returncode


def test_names(live):
    """Memory grows by little with each name, and by next to nothing with those that nobody wants."""
    # Small rings make small rounds: those of a busy machine would take up to 30 MiB of their own.
    for what, options, most in (("all", (), 100), ("--path", ("--path", "/nothing/*"), 32)):
        peaks = []
        for files in (FEW, MANY):
            capture, archive = live.path(f"{what}.{files}.data"), live.path(f"{what}.{files}")
            ran = live.run([IOTRACE, "-q", f"--source={SOURCE}", "-m", "1M", *options, "--format=null", "--capture", capture, "--",
                            workload("distinct"), str(files), live.dir], stdin=subprocess.DEVNULL)
            live.equal(f"{what}, {files} names: exit status of the recording", ran.returncode, 0)
            size, status = peak([IOTRACE, "convert", "-q", "-o", archive, capture])
            live.equal(f"{what}, {files} names: exit status of the conversion", status, 0)
            peaks.append(size)
            live.run(["rm", "-rf", capture, archive])
        each = (peaks[1] - peaks[0]) / (MANY - FEW)
        live.check(each <= most, f"{what}: {each:.1f} bytes for each name, at most {most}: {peaks}")
        print(f"{what}: {each:.1f} bytes for each name")


def blocks(path):
    return os.stat(path).st_blocks * 512


def test_spool(live):
    """What is converted goes from the disk beyond the first 256 MiB. When the recorder is killed, the rest is converted, and a
    sentence says what is missing; what --capture keeps stays whole."""
    script = "dd if=/dev/zero of=/dev/null bs=1 count=1600000 2>/dev/null; echo done; read line"
    for is_kept in (False, True):
        trace = live.path(f"spool.{is_kept}")
        capture = f"{trace}.data"
        run = live.start(f"--source={SOURCE}", "-q", "-o", trace, *(("--capture", capture) if is_kept else ()), "--", "sh", "-c", script,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        live.equal("what the command says", run.stdout.readline(), b"done\n")
        spool = live.path(f".{os.path.basename(capture if is_kept else trace)}.iotrace", "spool")
        live.check(wait_until(lambda path=spool: os.path.getsize(path) > 400 << 20), "the spool is too small for this test")
        if is_kept:
            run.communicate(b"\n")
            live.check(blocks(capture) >= os.path.getsize(capture) - (1 << 20), "a capture that is kept has a hole")
            continue
        live.check(wait_until(lambda path=spool: blocks(path) < 300 << 20, 120), f"the spool has {blocks(spool) >> 20} MiB on the disk")
        os.kill(run.pid, signal.SIGKILL)
        run.communicate()
        ran = live.run([IOTRACE, "convert", "--summary=none", "-o", trace, spool])
        live.equal("exit status of the conversion", ran.returncode, 0)
        live.check(re.search(rb"[0-9]+ MiB in the middle of the capture are missing", ran.stderr), f"no sentence: {ran.stderr!r}")
        about = live.examine(trace, lossless=False)
        live.check(about["books"]["counters"]["completed"] > 1000000, "the first 256 MiB are not converted")
        texts = live.run(["otf2-print", "--silent", f"{trace}/traces.otf2"])
        live.equal("otf2-print", texts.returncode, 0)


def unnamed(pid):
    """The descriptors of files without a name that a process has."""
    folder = f"/proc/{pid}/fd"
    return [f"{folder}/{fd}" for fd in os.listdir(folder)
            if re.search(r"/#[0-9]+ \(deleted\)$", os.readlink(f"{folder}/{fd}"))]


def test_page(live):
    """A page that cannot be read back, here because its file is cut, ends iotrace with a sentence."""
    trace = live.path("page")
    run = live.start(f"--source={SOURCE}", "-q", "-o", trace, "--", workload("distinct"), "60000", live.dir,
                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    live.equal("what the command says", run.stdout.readline(), b"done\n")
    live.check(wait_until(lambda: unnamed(run.pid)), "iotrace keeps nothing in files")
    for path in unnamed(run.pid):
        with contextlib.suppress(FileNotFoundError):  # iotrace goes on, and may have closed it
            os.truncate(path, 0)
    _, words = run.communicate(b"\n")
    live.equal("exit status", run.returncode, 125)
    live.check(b"cannot read back" in words, f"no sentence: {words!r}")
    live.check(not os.path.exists(trace), "there is an archive")


TESTS = (test_spool, test_page, test_names)

with Live() as test:
    for each in [one for one in TESTS if one.__name__ in sys.argv[1:]] or TESTS:
        each(test)
