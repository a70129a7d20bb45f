"""bench: the command line of the benchmarks in Python."""

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))


class Bench:
    """Works are methods of a class made from this one. `place` is a directory of its own."""

    storm = file = None

    def __init__(self, options, place):
        self.iotrace, self.rounds, self.scale, self.place = os.path.abspath(options.iotrace), options.rounds, options.scale, place
        self.before = os.path.abspath(options.before) if options.before else None

    def make_storm(self):
        """The program that calls, and a file of 4 KiB to read."""
        self.storm, self.file = f"{self.place}/storm", f"{self.place}/file"
        subprocess.run(["cc", "-O2", "-pthread", "-o", self.storm, f"{HERE}/storm.c"], check=True)
        with open(self.file, "wb") as file:
            file.write(b"x" * 4096)


@contextlib.contextmanager
def program_times():
    """The kernel measures how long BPF programs run."""
    subprocess.run(["sysctl", "-q", "kernel.bpf_stats_enabled=1"], check=True)
    try:
        yield
    finally:
        subprocess.run(["sysctl", "-q", "kernel.bpf_stats_enabled=0"], check=True)


def run_times(command, names, runs=5000):
    """Nanoseconds of a run of each program, for parts of the time of the command in which it ran so often."""
    before, found = {}, {name: [] for name in names}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        while running.poll() is None:
            time.sleep(0.1)
            shown = subprocess.run(["bpftool", "prog", "show", "-j"], stdout=subprocess.PIPE, check=False).stdout
            for program in json.loads(shown or "[]"):
                if program.get("name") not in names:
                    continue
                count, total = program.get("run_cnt", 0), program.get("run_time_ns", 0)
                old_count, old_total = before.get(program["id"], (0, 0))
                if count - old_count > runs:
                    found[program["name"]].append((total - old_total) / (count - old_count))
                before[program["id"]] = count, total
    return found


def told_times(found):
    return ", ".join(f"{program} {statistics.median(values):.0f} ns (least {min(values):.0f})" for program, values in found.items() if values)


def main(kind, works):
    """Runs the works that the command line names, otherwise all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--iotrace", default="build/iotrace")
    parser.add_argument("--before", help="an earlier iotrace, to compare with")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("works", nargs="*", default=works, metavar="WORK", help=" ".join(works))
    options = parser.parse_args()
    place = tempfile.mkdtemp(prefix="iotrace-bench-")
    try:
        bench = kind(options, place)
        for work in options.works:
            getattr(bench, work)()
    finally:
        shutil.rmtree(place, ignore_errors=True)
