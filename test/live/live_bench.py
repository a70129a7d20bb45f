#!/usr/bin/python3
"""test/bench/run: runs, survives a tracer that is not installed, writes JSON, leaves nothing behind."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from live import CALMED, IOTRACE, Live  # noqa: E402

RUN = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "bench", "run")


def path_without(live, *programs):
    """Returns a PATH with links to all programs but these."""
    made = live.made("bin")
    for directory in reversed(os.environ["PATH"].split(":")):
        for name in os.listdir(directory) if os.path.isdir(directory) else ():
            if name not in programs and not os.path.lexists(os.path.join(made, name)):
                os.symlink(os.path.join(directory, name), os.path.join(made, name))
    return made


def bench(live, *arguments, **more):
    figures = live.path("figures.json")
    env = dict(CALMED, TMPDIR=live.made("tmp"), PATH=path_without(live, "strace"))
    ran = live.run([sys.executable, RUN, "--iotrace", IOTRACE, "--rounds", "1", "--json", figures, *arguments], env=env,
                   **more)
    if not live.equal(f"{arguments}: exit status", ran.returncode, 0):
        print(ran.stdout.decode(), ran.stderr.decode())
        return {}
    live.equal(f"{arguments}: left behind", os.listdir(live.path("tmp")), [])
    with open(figures, encoding="utf-8") as file:
        return json.load(file)


def test_works(live):
    """A figure or a reason for each tracer of each work."""
    figures = bench(live, "--scale", "0.002", "--tracers", "bare,iotrace,strace", "pread", "open", "bystander", "convert")
    works = {work["work"]: work for work in figures.get("works", [])}
    live.equal("works", sorted(works), ["bystander", "open", "pread"])
    for name, work in works.items():
        live.equal(f"{name}: tracers", sorted(work["tracers"]), ["bare", "iotrace", "strace"])
        live.equal(f"{name}: strace", work["tracers"]["strace"], {"skipped": "not installed"})
        for tracer in ("bare", "iotrace"):
            live.check(work["tracers"][tracer].get("cpu_ns", 0) > 0, f"{name}: {tracer}: {work['tracers'][tracer]}")
    live.check(works["pread"]["tracers"]["iotrace"]["operations"] >= 1000, "pread: not every call is in the archive")
    live.equal("pread: lost", works["pread"]["tracers"]["iotrace"]["lost"], 0)
    live.check(all(row["otf2_per_second"] > 0 for row in figures["convert"].values()), "convert: no figure")


def test_refuses(live):
    ran = live.run([sys.executable, RUN, "--iotrace", IOTRACE, "nothing"])
    live.equal("unknown work: exit status", ran.returncode, 2)
    live.check(b"pread" in ran.stderr, f"unknown work: {ran.stderr!r}")


with Live() as test:
    test_works(test)
    test_refuses(test)
