#!/usr/bin/python3
"""Random programs for 30 seconds, with seeds that no run had before: see random/run."""

import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
SOURCE = os.environ.get("IOTRACE_SOURCE", "bpf")
# Names, files and offsets are compared as well, and told; not all that can be wrong with them is mended yet.
MUST_HOLD = "calls,result,bytes,seek,replay,lifetime"

program = os.path.join(os.environ.get("TEST_BIN_DIR", "."), "random_program")
if not os.path.exists(program):
    print("not tested: random_program is for x86-64 only")
    sys.exit(77)
first = int(time.time()) % 1000000 * 1000
print(f"seeds from {first}", flush=True)
sys.exit(subprocess.run([os.path.join(HERE, "random", "run"), "--seconds", "30", "--from", str(first), "--seeds", "1000",
                         "--together", "20", "--source", SOURCE, "--fail-on", MUST_HOLD],
                        env=dict(os.environ, RANDOM_PROGRAM=program), check=False).returncode)
