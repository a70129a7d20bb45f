#!/usr/bin/python3
"""The span virtqueue in a program with the static probes of QEMU: with its symbols, and stripped."""

import json
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from live import IOTRACE, Live, SOURCE, workload  # noqa: E402

POPS, FILLS, BACK = 100, 90, 7
FATES = ("begun", "ended", "cancelled", "died", "left", "open", "begun_again", "ends_without_begin")


def told(live, name, program, *options):
    """The books of the span, and how many ended in each queue."""
    found = live.path(f"{name}.json")
    ran = live.run([IOTRACE, "latency", f"--source={SOURCE}", "--span", "virtqueue", f"--json={found}", *options, "--", program])
    if not live.equal(f"{name}: status", ran.returncode, 0):
        print(ran.stderr.decode(errors="replace"))
    with open(found, encoding="utf-8") as file:
        numbers = json.load(file)
    book = numbers["books"]["spans"][0]
    live.equal(f"{name}: by the kernel", book["counted_in_kernel"], SOURCE == "bpf")
    return {key: book[key] for key in FATES if book[key]}, sorted(row["count"] for row in numbers["spans"])


def probes(live):
    # The command says which QEMU it is.
    whole, stripped = live.path("qemu-whole"), live.path("qemu-stripped")
    shutil.copy(workload("qemu"), whole)
    subprocess.run(["strip", "-o", stripped, whole], check=True)
    ended = FILLS + BACK
    live.equal("whole", told(live, "whole", whole),
               ({"begun": 2 * POPS, "ended": 2 * ended, "cancelled": POPS - ended, "left": POPS - ended}, [ended, ended]))
    # Only a function, whose name is gone, gives an element back.
    live.equal("stripped", told(live, "stripped", stripped),
               ({"begun": 2 * POPS, "ended": 2 * FILLS, "cancelled": POPS - FILLS, "left": POPS - FILLS}, [FILLS, FILLS]))
    archive = live.path("archive")
    live.record(archive, [whole], "-q", f"--source={SOURCE}", "--span", "virtqueue")
    ran = live.run([IOTRACE, "latency", "--json", "--span", "virtqueue", archive])
    live.equal("archive", sorted(row["count"] for row in json.loads(ran.stdout)["spans"]), [ended, ended])


with Live() as test:
    probes(test)
