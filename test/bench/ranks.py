#!/usr/bin/python3
"""What recording costs a job of many ranks on a node: the ranks bare, with one iotrace around all, each with an iotrace that joins, the
same with --each, and each with a recorder of its own, in turn. Beside them runs a program that is not recorded.

As root: test/bench/ranks.py [--iotrace build/iotrace] [--ranks N] [--rounds N]"""

import argparse
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
    def __init__(self, options, place):
        self.iotrace, self.ranks, self.calls, self.place = os.path.abspath(options.iotrace), options.ranks, options.calls, place
        self.file, self.storm = f"{place}/file", f"{place}/storm"
        with open(self.file, "wb") as file:
            file.write(bytes(4096))
        subprocess.run(["cc", "-O2", "-pthread", "-o", self.storm, f"{HERE}/storm.c"], check=True)

    def storms(self, calls):
        return [self.storm, "pread", self.file, str(calls), "2"]

    def start(self, *prefix, calls=None):
        return subprocess.Popen([*prefix, *self.storms(calls or self.calls)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def bare(self):
        return [self.start() for _ in range(self.ranks)]

    def one(self):
        script = f"for i in $(seq {self.ranks}); do {' '.join(self.storms(self.calls))} & done; wait"
        return [subprocess.Popen([self.iotrace, "-q", "--alone", "-o", f"{self.place}/out", "--", "sh", "-c", script],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)]

    def joined(self):
        return [self.start(self.iotrace, "-q", "--join", f"bench-{os.getpid()}", "-o", f"{self.place}/out", "--") for _ in range(self.ranks)]

    def each(self):
        return [self.start(self.iotrace, "-q", "--join", f"bench-{os.getpid()}", "--each", "-o", f"{self.place}/out.%p", "--")
                for _ in range(self.ranks)]

    def alone(self):
        return [self.start(self.iotrace, "-q", "--alone", "-o", f"{self.place}/out.{i}", "--") for i in range(self.ranks)]

    def once(self, way):
        """Returns ns of CPU time of a rank's call, and of a call of the program beside them."""
        bystander = self.start(calls=6 * self.calls)
        words = [line.split() for run in way() for line in run.communicate()[0].splitlines()]
        beside = float(bystander.communicate()[0].split()[0])
        self.clear()
        return statistics.mean(float(word[0]) for word in words), beside

    def sleepers(self, count, seconds, *options):
        return [subprocess.Popen([self.iotrace, "-q", "--join", f"sleep-{os.getpid()}", "-o", f"{self.place}/out", *options, "--", "sleep",
                                  str(seconds)]) for _ in range(count)]

    def memory(self, count, *options):
        """Returns KiB of all processes of iotrace while so many commands are recorded together: each page once."""
        started, total = self.sleepers(count, 4, *options), 0
        time.sleep(2)
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{pid}/exe") == self.iotrace:
                    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
                        total += sum(int(line.split()[1]) for line in file if line.startswith("Pss:"))
            except OSError:
                pass
        for run in started:
            run.wait()
        self.clear()
        return total

    def clear(self):
        for entry in os.listdir(self.place):
            if entry.startswith("out"):
                shutil.rmtree(f"{self.place}/{entry}")

    def later(self):
        """Returns ms that `iotrace true` takes where a recorder is there."""
        first, took = self.sleepers(1, 3), []
        time.sleep(1)
        for _ in range(self.ranks - 1):
            begun = time.monotonic()
            subprocess.run([self.iotrace, "-q", "--join", f"sleep-{os.getpid()}", "-o", f"{self.place}/out", "true"], check=True)
            took.append((time.monotonic() - begun) * 1e3)
        first[0].wait()
        shutil.rmtree(f"{self.place}/out")
        return took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iotrace", default="build/iotrace")
    parser.add_argument("--ranks", type=int, default=16)
    parser.add_argument("--calls", type=int, default=30000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    place = tempfile.mkdtemp(prefix="iotrace-ranks-")
    try:
        bench = Bench(options, place)
        ways = [bench.bare, bench.one, bench.joined, bench.each, bench.alone]
        runs = {way.__name__: [] for way in ways}
        for _ in range(options.rounds):
            for way in ways:
                runs[way.__name__].append(bench.once(way))
        print(f"{'':<8} {'call':>8} {'beside':>8}   ns of CPU time, medians of {options.rounds} rounds")
        for name, values in runs.items():
            print(f"{name:<8} {statistics.median(v[0] for v in values):>8.0f} {statistics.median(v[1] for v in values):>8.0f}")
        took = bench.later()
        print(f"the 2nd to the last start in {statistics.median(took):.1f} ms, {max(took):.1f} at most")
        alone, all_of_them = bench.memory(1), bench.memory(options.ranks)
        each = (bench.memory(1, "--each", "-o", f"{place}/out.%p"), bench.memory(options.ranks, "--each", "-o", f"{place}/out.%p"))
        print(f"memory: {alone} KiB for one, {(all_of_them - alone) / (options.ranks - 1):.0f} KiB for each other; "
              f"with --each {each[0]} KiB, {(each[1] - each[0]) / (options.ranks - 1):.0f} KiB")
    finally:
        shutil.rmtree(place, ignore_errors=True)


main()
