#!/usr/bin/python3
"""What a long recording takes: memory for each file name of the run."""

import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from live import CALMED, IOTRACE, SOURCE, Live, workload  # noqa: E402

FEW, MANY = 50000, 350000


def peak(argv):
    """Returns the bytes that a program took at most, and its exit status."""
    with subprocess.Popen(argv, env=CALMED, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as program:
        _, status, usage = os.wait4(program.pid, 0)
        program.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss << 10, program.returncode


def test_names(live):
    """Memory grows by little with each name."""
    for what, options, most in (("all", (), 100),):
        peaks = []
        for files in (FEW, MANY):
            capture, archive = live.path(f"{what}.{files}.data"), live.path(f"{what}.{files}")
            ran = live.run([IOTRACE, "-q", f"--source={SOURCE}", *options, "--format=null", "--capture", capture, "--",
                            workload("distinct"), str(files), live.dir], stdin=subprocess.DEVNULL)
            live.equal(f"{what}, {files} names: exit status of the recording", ran.returncode, 0)
            size, status = peak([IOTRACE, "convert", "-q", "-o", archive, capture])
            live.equal(f"{what}, {files} names: exit status of the conversion", status, 0)
            peaks.append(size)
            live.run(["rm", "-rf", capture, archive])
        each = (peaks[1] - peaks[0]) / (MANY - FEW)
        live.check(each <= most, f"{what}: {each:.1f} bytes for each name, at most {most}: {peaks}")
        print(f"{what}: {each:.1f} bytes for each name")


TESTS = ()
# Sanitizers take memory of their own, so .ci/release calls it for what users run.
OF_RELEASES = (test_names,)

with Live() as test:
    for each in (*TESTS, *OF_RELEASES):
        if each.__name__ in sys.argv[1:] if sys.argv[1:] else each in TESTS:
            each(test)
