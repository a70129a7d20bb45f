#!/usr/bin/python3
"""Ranks of a parallel program, which a small launcher makes: processes are named after their rank, however early they fork, and the
job is known. A process without a rank has its usual name."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive  # noqa: E402
from live import CALMED, IOTRACE, SOURCE, Live  # noqa: E402

# Each rank reads a file by itself and, by a child, another one.
RANK = 'read -r word <"$1/own.$2"; cat "$1/child.$2"; sleep 0.3; cat "$1/late.$2"; :'
LAUNCHER = """
for rank in 0 1 2 3; do
	env OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=4 sh -c "$1" rank "$2" $rank &
done
wait
cat "$2/outside"
"""
JOB = {"SLURM_JOB_ID": "4711", "SLURM_JOB_NAME": "heat \x1b[2J", "SLURM_JOB_USER": "anna", "SLURM_JOB_NUM_NODES": "2"}


def users(archive, path):
    """The names of the processes that read a file, without their numbers."""
    return sorted(p.name.split(" (")[0] for p in archive.groups.values() if p.whole().files.get(path, {}).get("reads"))


def test_launcher(live):
    home = live.made("data")
    for name in [f"{kind}.{rank}" for kind in ("own", "child", "late") for rank in range(4)] + ["outside"]:
        with open(f"{home}/{name}", "w", encoding="ascii") as file:
            file.write("x\n")
    directory = live.path("launched")
    live.record(directory, ["sh", "-c", LAUNCHER, "launcher", RANK, home], "-q", f"--source={SOURCE}")
    about = live.examine(directory)
    live.equal("a job, where there is none", about["job"], None)
    archive = Archive(directory)
    for rank in range(4):
        live.equal(f"who reads own.{rank}", users(archive, f"{home}/own.{rank}"), [f"rank {rank}: sh"])
        for kind in ("child", "late"):
            live.equal(f"who reads {kind}.{rank}", users(archive, f"{home}/{kind}.{rank}"), [f"rank {rank}: cat"])
    live.equal("who reads outside", users(archive, f"{home}/outside"), ["cat"])
    threads = [name for name in archive.locations if name.startswith("rank 2: thread ")]
    live.check(len(threads) == 4, f"threads of rank 2: {archive.locations}")


def test_job(live):
    """The recorder is a task of the job itself: even a command that ends at once has its rank."""
    directory = live.path("job")
    live.record(directory, ["cat", "/etc/passwd"], "-q", f"--source={SOURCE}",
                env=dict(CALMED, **JOB, SLURM_PROCID="1", SLURM_NTASKS="3"))
    job = {"system": "Slurm", "id": "4711", "name": "heat \x1b[2J", "user": "anna", "nodes": 2, "ranks": 3}
    live.equal("the job", live.examine(directory)["job"], job)
    live.equal("the job in a report", json.loads(live.run([IOTRACE, "report", "--json", directory]).stdout)["run"]["job"], job)
    live.equal("the title of a report", live.run([IOTRACE, "report", directory]).stdout.splitlines()[0],
               b"iotrace summary: job 4711: cat /etc/passwd")
    live.equal("the command", users(Archive(directory), "/etc/passwd"), ["rank 1: cat"])


with Live() as test:
    test_launcher(test)
    test_job(test)
