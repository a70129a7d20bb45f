#!/usr/bin/python3
"""What writing event files costs: converts a capture to nothing, with iotrace's own writer, and with that of the OTF2 library.

usage: writers.py OWN LIBRARY CAPTURE OPERATIONS [ROUNDS]

OWN is an iotrace as it comes, LIBRARY one that was built with -DIOTRACE_OTF2_WRITER=library. The three take turns; what the conversion
to nothing takes is subtracted.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile

own, library, capture = sys.argv[1:4]
operations = int(sys.argv[4])
rounds = int(sys.argv[5]) if len(sys.argv) > 5 else 7
place = tempfile.mkdtemp(prefix="writers-", dir=".")
archive = os.path.join(place, "archive")
commands = {
    "nothing": [own, "convert", "-q", "--format", "null", capture],
    "own": [own, "convert", "-q", "-o", archive, capture],
    "library": [library, "convert", "-q", "-o", archive, capture],
}
times = {name: [] for name in commands}
try:
    for turn in range(rounds):
        order = list(commands)
        for name in order[turn % 3 :] + order[: turn % 3]:
            shutil.rmtree(archive, ignore_errors=True)
            child = subprocess.Popen(commands[name])
            _, status, usage = os.wait4(child.pid, 0)
            if status:
                sys.exit(f"{name}: failed")
            times[name].append((usage.ru_utime, usage.ru_utime + usage.ru_stime))
finally:
    shutil.rmtree(place)
for index, what in enumerate(("user", "user and system")):
    for name in ("own", "library"):
        pairs = zip(times[name], times["nothing"])
        median = statistics.median(a[index] - b[index] for a, b in pairs)
        best = min(t[index] for t in times[name]) - min(t[index] for t in times["nothing"])
        print(f"{what} time, {name}: {median / operations * 1e9:.0f} ns for an operation (of the best rounds {best / operations * 1e9:.0f})")
