#!/usr/bin/python3
"""The same command by several builds of iotrace, in turn: CPU time, how much of it relative to the first build, and peak memory.

usage: turns.py [--rounds N] [--units N] IOTRACE... -- ARGUMENT...

An argument {out} is a name that does not exist, in a directory of its own; what the command leaves there is removed before the next
turn. Units are what the command works through: with them it says how many a second of CPU time. The ratio is the median of those
of each round, so that noise which lasts longer than a round meets both.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile


def turn(program, arguments, place):
    """Returns seconds of user time and of system time, and KiB of peak memory."""
    out = os.path.join(place, "out")
    shutil.rmtree(out, ignore_errors=True)
    command = [program, *(argument.replace("{out}", out) for argument in arguments)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
        said = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if status:
        sys.exit(f"{' '.join(command)}: {said.decode(errors='replace')}")
    return usage.ru_utime, usage.ru_stime, usage.ru_maxrss


def row(name, runs, first, units):
    user, system, memory = (statistics.median(run[i] for run in runs) for i in range(3))
    cpu = statistics.median(run[0] + run[1] for run in runs)
    ratio = statistics.median((run[0] + run[1]) / (other[0] + other[1]) for run, other in zip(runs, first))
    best = min(run[0] + run[1] for run in runs)
    speed = f"{units / cpu / 1e6:7.2f} M/s (best {units / best / 1e6:.2f})" if units else ""
    print(f"{cpu:7.3f} s = {user:.3f} user + {system:.3f} system{speed}, {ratio:.3f} of the first, {memory / 1024:.1f} MiB  {name}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--units", type=int, default=0)
    cut = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    parser.add_argument("iotrace", nargs="+")
    options = parser.parse_args(sys.argv[1:cut])
    runs = [[] for _ in options.iotrace]
    place = tempfile.mkdtemp(prefix="turns-", dir=".")
    try:
        for number in range(options.rounds):
            for i in range(len(runs)):
                i = (i + number) % len(runs)
                runs[i].append(turn(options.iotrace[i], sys.argv[cut + 1:], place))
    finally:
        shutil.rmtree(place)
    for name, of_one in zip(options.iotrace, runs):
        row(name, of_one, runs[0], options.units)


if __name__ == "__main__":
    main()
