#!/usr/bin/python3
"""Ranks of a parallel program, which a small launcher makes: processes are named after their rank, however early they fork, and the
job is known. A process without a rank has its usual name."""

import glob
import json
import os
import signal
import subprocess
import sys
import time

import otf2

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
import spans  # noqa: E402
from archive import Archive  # noqa: E402
from live import CALMED, IOTRACE, SOURCE, Live, wait_until, workload  # noqa: E402

KEYS = workload("keys")
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


def known(live, what, got, expected):
    """Names of files and ranks of processes through perf can be missing on a busy machine; none is wrong."""
    missing = ([], [name.split(": ")[-1] for name in expected])
    live.check(got == expected or (SOURCE == "perf" and got in missing), f"{what}: {got!r} instead of {expected!r}")


def groups_of(directory):
    with otf2.reader.open(os.path.join(directory, "traces.otf2")) as trace:
        return list(trace.definitions.location_groups)


def tree_of(group):
    """The nodes above a process, from the nearest on: class and name."""
    node, nodes = group.system_tree_parent, []
    while node is not None:
        nodes.append((node.class_name, node.name))
        node = node.parent
    return nodes


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
        known(live, f"who reads own.{rank}", users(archive, f"{home}/own.{rank}"), [f"rank {rank}: sh"])
        for kind in ("child", "late"):
            known(live, f"who reads {kind}.{rank}", users(archive, f"{home}/{kind}.{rank}"), [f"rank {rank}: cat"])
    known(live, "who reads outside", users(archive, f"{home}/outside"), ["cat"])
    live.equal("nodes of processes", {group.name.split(":")[0]: tree_of(group) for group in groups_of(directory)
                                      if group.name.startswith("rank ")},
               {f"rank {rank}": [("rank", f"rank {rank}"), ("node", os.uname().nodename), ("machine", "Linux")] for rank in range(4)})
    live.equal("the node of a process without a rank", [tree_of(group)[0][0] for group in groups_of(directory)
                                                       if not group.name.startswith("rank ")][:1], ["node"])
    threads = [name for name in archive.locations if name.startswith("rank 2: thread ")]
    live.check(len(threads) == 4, f"threads of rank 2: {archive.locations}")


def test_job(live):
    """The recorder is a task of the job itself: even a command that ends at once has its rank."""
    directory = live.path("job")
    live.record(directory, ["cat", "/etc/passwd"], "-q", f"--source={SOURCE}",
                env=dict(CALMED, **JOB, SLURM_STEP_ID="0", SLURM_PROCID="1", SLURM_NTASKS="3"))
    job = {"system": "Slurm", "id": "4711", "name": "heat \x1b[2J", "user": "anna", "nodes": 2, "ranks": 3}
    live.equal("the job", live.examine(directory)["job"], job)
    live.equal("the job in a report", json.loads(live.run([IOTRACE, "report", "--json", directory]).stdout)["run"]["job"], job)
    live.equal("the title of a report", live.run([IOTRACE, "report", directory]).stdout.splitlines()[0],
               b"iotrace summary: job 4711: cat /etc/passwd")
    known(live, "the command", users(Archive(directory), "/etc/passwd"), ["rank 1: cat"])


def start_ranks(live, pattern, command, ranks, *options, job="each"):
    env = dict(CALMED, OMPI_COMM_WORLD_LOCAL_SIZE=str(ranks), OMPI_COMM_WORLD_SIZE=str(ranks), SLURM_JOB_ID=f"{job}{os.getpid()}")
    return [subprocess.Popen([IOTRACE, "-q", f"--source={SOURCE}", "--each", "-o", pattern, *options, "--", *command],
                             env=dict(env, OMPI_COMM_WORLD_RANK=str(rank)), cwd=live.dir, stderr=subprocess.PIPE)
            for rank in range(ranks)]


def ends(process):
    _, err = process.communicate(timeout=60)
    return process.returncode, err


def test_each(live):
    """One recorder, an archive for each rank: the rank's own processes with all that they do, the same as if it had been recorded
    alone; a rank that is killed has one, too, and one whose command could not be run has none."""
    script = ('head -c $((1000 * (OMPI_COMM_WORLD_RANK + 1))) /dev/zero >each.$OMPI_COMM_WORLD_RANK; cat each.$OMPI_COMM_WORLD_RANK >out.'
              '$OMPI_COMM_WORLD_RANK & wait; sleep 0.3; [ $OMPI_COMM_WORLD_RANK != 2 ] || kill -9 $$')
    started = start_ranks(live, "t.%r", ["sh", "-c", script], 4)
    live.equal("each: statuses", [ends(process) for process in started], [(0, b""), (0, b""), (137, b""), (0, b"")])
    for rank in range(4):
        about = live.examine(live.path(f"t.{rank}"))
        live.equal(f"each: rank {rank} is complete", about["is_complete"], True)
        live.equal(f"each: commands of rank {rank}", [command["rank"] for command in about["commands"]], [rank])
        archive = Archive(live.path(f"t.{rank}"))
        names = [name or "" for name, _ in archive.handles]
        live.equal(f"each: handles of iotrace in rank {rank}", [name for name in names if "signalfd" in name or ".iotrace" in name], [])
        size = 1000 * (rank + 1)
        written = [(path, file["written_bytes"]) for p in archive.groups.values() for path, file in p.whole().files.items()
                   if file["written_bytes"]]
        live.equal(f"each: bytes that rank {rank} wrote", [n for _, n in written], [size, size])
        for kind in ("each", "out"):
            known(live, f"each: {kind} of rank {rank}", [path for path, _ in written if path and f"/{kind}." in path],
                  [f"{live.dir}/{kind}.{rank}"])
    started = start_ranks(live, "none.%r", ["/nothing/there"], 2, job="none")
    live.equal("each: no command", [ends(process)[0] for process in started], [127, 127])
    live.equal("each: no archive", [name for name in os.listdir(live.dir) if name.startswith("none")], [])


def test_each_span(live):
    """Each archive has the spans that begin in its command, and no others."""
    words = (f"held: uprobe:{KEYS}:keys_take%return -> uprobe:{KEYS}:keys_give by pid,retval:x64/arg2:x64 group +0(arg1):u32",
             f"take: uprobe:{KEYS}:keys_take -> uprobe:{KEYS}:keys_take%return by tid")
    options = [part for word in words for part in ("--span", word)]
    started = start_ranks(live, "s.%r", [KEYS], 3, *options, job="span")
    live.equal("each, spans: statuses", [ends(process)[0] for process in started], [0] * 3)
    for rank in range(3):
        checked = live.run([IOTRACE, "check-archive", live.path(f"s.{rank}")])
        live.equal(f"each, spans: rank {rank} ({checked.stdout.decode()[:300]})", checked.returncode, 0)
        latencies, _, _, cut = spans.read(live.path(f"s.{rank}"))
        live.equal(f"each, spans: ended in rank {rank}", {key: len(values) for key, values in latencies.items()},
                   {("held", "1"): 497, ("held", "2"): 496, ("take", ""): 1000})
        live.equal(f"each, spans: cut in rank {rank}", cut.get("held"), ["the thread ended"] * 7)


def test_nodes(live):
    """Two nodes, which are namespaces with a host name each: each has its own recorder and archive, whose name and tree have the host."""
    job = f"nodes{os.getpid()}"
    started = []
    for rank in range(4):
        env = dict(CALMED, OMPI_COMM_WORLD_LOCAL_SIZE="2", OMPI_COMM_WORLD_SIZE="4", OMPI_COMM_WORLD_RANK=str(rank), SLURM_JOB_ID=job)
        started.append(subprocess.Popen(["unshare", "-u", "sh", "-c", f'hostname node{rank // 2}; exec "$@"', "node", IOTRACE, "-q",
                                         f"--source={SOURCE}", "-o", "n.%j.%h", "--", "sleep", "0.3"],
                                        env=env, cwd=live.dir, stderr=subprocess.PIPE))
    live.equal("nodes: statuses", [ends(process) for process in started], [(0, b"")] * 4)
    for node in range(2):
        archive = live.path(f"n.{job}.node{node}")
        about = live.examine(archive)
        live.equal(f"node {node}: ranks", sorted(command["rank"] for command in about["commands"]), [2 * node, 2 * node + 1])
        trees = {group.name.split(":")[0]: tree_of(group) for group in groups_of(archive)}
        live.equal(f"node {node}: tree", trees, {f"rank {rank}": [("rank", f"rank {rank}"), ("node", f"node{node}"), ("job", f"job {job}")]
                                                 for rank in (2 * node, 2 * node + 1)})


def test_each_killed(live):
    """The recorder is killed: the commands run on, and what it left becomes the same archives, or one."""
    started = start_ranks(live, "k.%r", ["sh", "-c", "echo x >k.out.$OMPI_COMM_WORLD_RANK; read -r _ <k.gate"], 3, job="killed")
    os.mkfifo(live.path("k.gate"))
    outs = [live.path(f"k.out.{rank}") for rank in range(3)]
    live.check(wait_until(lambda: all(map(os.path.exists, outs))), "killed recorder: its commands did not begin")
    time.sleep(1)
    spools = glob.glob(live.path(".iotrace-*.iotrace", "spool"))
    live.equal("killed recorder: spools", len(spools), 1)
    with open(os.path.join(os.path.dirname(spools[0]), "owner"), encoding="utf-8") as file:
        os.kill(int(file.read().split()[1]), signal.SIGKILL)
    gate = os.open(live.path("k.gate"), os.O_RDWR)
    os.write(gate, b"go\n" * 3)
    for process in started:
        code, err = ends(process)
        live.check(b"has ended" in err and b"iotrace convert" in err, f"killed recorder: {code} {err!r}")
    os.close(gate)
    whole = live.path("k.whole")
    ran = live.run([IOTRACE, "convert", "-o", whole, spools[0]])
    live.check(ran.returncode == 0 and b"convert --each" in ran.stderr, f"killed recorder, whole: {ran.returncode} {ran.stderr!r}")
    with open(f"{whole}/iotrace.json", encoding="utf-8") as file:
        live.equal("killed recorder: commands of the whole", len(json.load(file)["commands"]), 3)
    os.mkdir(live.path("k.copies"))
    for options in ([], ["-o", live.path("k.copies")]):
        ran = live.run([IOTRACE, "convert", "-q", "--each", *options, spools[0]])
        live.check(ran.returncode == 0 and b"has no end" in ran.stderr, f"killed recorder, each {options}: {ran.stderr!r}")
    ran = live.run([IOTRACE, "convert", "-q", "--each", spools[0]])
    live.check(ran.returncode == 125 and b"already exists" in ran.stderr, f"killed recorder, once more: {ran.returncode} {ran.stderr!r}")
    ran = live.run([IOTRACE, "convert", "-q", "--each", "-o", live.path("k.none"), whole])
    live.equal("convert --each of an archive", ran.returncode, 125)
    for where, rank in [(where, rank) for where in ("", "k.copies") for rank in range(3)]:
        archive = Archive(live.path(where, f"k.{rank}"))
        wrote = [name for name in outs for p in archive.groups.values() if p.whole().files.get(name, {}).get("written_bytes")]
        known(live, f"killed recorder: what rank {rank} wrote", wrote, [outs[rank]])


def test_each_name(live):
    """Two ranks with one name: the second does not run. What cannot be had together is said."""
    started = start_ranks(live, "same", ["sh", "-c", "echo ran >>ran; sleep 0.3"], 2, job="same")
    ended = [ends(process) for process in started]
    live.equal("one name: statuses", sorted(code for code, _ in ended), [0, 125])
    said = b"".join(err for _, err in ended)
    live.check(b"is making same" in said and b"same.%r" in said, f"one name: {said!r}")
    with open(live.path("ran"), encoding="utf-8") as file:
        live.equal("one name: who ran", file.read(), "ran\n")
    for options, word in ((["-E", "cycles"], b"-E"), (["--format", "null"], b"null"), (["--alone"], b"--alone"), (["--wait"], b"--wait")):
        ran = live.run([IOTRACE, "--each", *options, "-o", "x.%r", "true"], env=dict(CALMED, OMPI_COMM_WORLD_RANK="0"))
        live.check(ran.returncode == 125 and b"--each" in ran.stderr and word in ran.stderr, f"--each {options}: {ran.stderr!r}")
    ran = live.run([IOTRACE, "-q", "--each", "-o", live.path("one.%p"), "true"], env=CALMED)
    live.equal("--each without a job", (ran.returncode, ran.stderr), (0, b""))
    live.equal("--each without a job: archives", len([name for name in os.listdir(live.dir) if name.startswith("one.")]), 1)


with Live() as test:
    test_each(test)
    test_each_span(test)
    test_each_killed(test)
    test_nodes(test)
    test_each_name(test)
    test_launcher(test)
    test_job(test)
