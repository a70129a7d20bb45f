#!/usr/bin/python3
"""Random programs for 30 seconds, with seeds that no run had before, and one in a chroot that it leaves: see random/run."""

import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
SOURCE = os.environ.get("IOTRACE_SOURCE", "bpf")
# A name may be absent, but not wrong. BPF knows nearly all of them. Perf looks them up: beside other tests, 5.6 % were absent once.
MOST_ABSENT = {"bpf": "1", "perf": "10"}

program = os.path.join(os.environ.get("TEST_BIN_DIR", "."), "random_program")
if not os.path.exists(program):
    print("not tested: random_program is for x86-64 only")
    sys.exit(77)


def run(*options, wrapper=()):
    return subprocess.run([*wrapper, os.path.join(HERE, "random", "run"), "--source", SOURCE, *options],
                          env=dict(os.environ, RANDOM_PROGRAM=program), check=False).returncode


def in_chroot(name):
    with tempfile.TemporaryDirectory() as root:
        script = 'mount --rbind / "$0" && exec chroot "$0" "$@"'
        return run("--program", name, wrapper=("unshare", "-m", "--propagation", "private", "sh", "-c", script, root))


first = int(time.time()) % 1000000 * 1000
print(f"seeds from {first}", flush=True)
status = run("--seconds", "30", "--from", str(first), "--seeds", "1000", "--together", "20",
             "--most-absent", MOST_ABSENT[SOURCE])
sys.exit(status or in_chroot("leaves-chroot"))
