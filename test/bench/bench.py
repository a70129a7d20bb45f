"""bench: the command line of the benchmarks in Python."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))


class Bench:
    """Works are methods of a class made from this one. `place` is a directory of its own."""

    storm = file = None

    def __init__(self, options, place):
        self.iotrace, self.rounds, self.scale, self.place = os.path.abspath(options.iotrace), options.rounds, options.scale, place

    def make_storm(self):
        """The program that calls, and a file of 4 KiB to read."""
        self.storm, self.file = f"{self.place}/storm", f"{self.place}/file"
        subprocess.run(["cc", "-O2", "-pthread", "-o", self.storm, f"{HERE}/storm.c"], check=True)
        with open(self.file, "wb") as file:
            file.write(b"x" * 4096)


def main(kind, works):
    """Runs the works that the command line names, otherwise all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--iotrace", default="build/iotrace")
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
