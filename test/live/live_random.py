#!/usr/bin/python3
"""Random programs for 30 seconds, with seeds that no run had before: see random/run."""

import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
SOURCE = os.environ.get("IOTRACE_SOURCE", "bpf")
# A name may be absent, but not wrong. BPF knows nearly all of them; perf looks them up, and is late now and then.
MOST_ABSENT = {"bpf": "0.5", "perf": "5"}

program = os.path.join(os.environ.get("TEST_BIN_DIR", "."), "random_program")
if not os.path.exists(program):
    print("not tested: random_program is for x86-64 only")
    sys.exit(77)
first = int(time.time()) % 1000000 * 1000
print(f"seeds from {first}", flush=True)
sys.exit(subprocess.run([os.path.join(HERE, "random", "run"), "--seconds", "30", "--from", str(first), "--seeds", "1000",
                         "--together", "20", "--source", SOURCE, "--most-absent", MOST_ABSENT[SOURCE]],
                        env=dict(os.environ, RANDOM_PROGRAM=program), check=False).returncode)
