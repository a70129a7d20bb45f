#!/usr/bin/python3
"""-p: a program that runs already. All its threads are seen, its open files are known, new ones as well.

The workload waits; iotrace attaches; the workload then makes a known number of calls and ends.
"""

import json
import os
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive  # noqa: E402
from live import IOTRACE, Live, workload  # noqa: E402

THREADS, ROUNDS = 3, 200


def start(live, name):
    directory = live.made(name)
    run = subprocess.Popen([workload("attach"), directory, str(THREADS), str(ROUNDS)], stdout=subprocess.PIPE,
                           stdin=subprocess.DEVNULL, cwd=directory)
    live.equal(f"{name}: the workload's word", run.stdout.readline(), b"ready\n")
    return run, directory


def attach(live, name, pids):
    archive = live.path(f"{name}.trace")
    return live.start("-o", archive, "-p", ",".join(map(str, pids)), stdout=subprocess.PIPE, stderr=subprocess.PIPE), archive


def expected(directory):
    """What each thread did by the time that it ended: see workload_attach.c."""
    files = {f"{directory}/shared": {"reads": THREADS * ROUNDS, "read_bytes": THREADS * ROUNDS * 7}}
    for i in range(THREADS):
        files[f"{directory}/own-{i}"] = {"writes": ROUNDS, "written_bytes": ROUNDS * (i + 1), "closes": 1}
        files[f"{directory}/new-{i}"] = {"opens": 1, "writes": 1, "written_bytes": 100 + i, "closes": 1}
    files[f"{directory}/child"] = {"opens": 1, "writes": 1, "written_bytes": 55, "closes": 1}
    return files


def compare(live, name, archive, pids, directories):
    about = live.examine(archive)
    whole = Archive(archive)
    files = {}
    for process in whole.groups.values():
        for path, sums in process.whole().files.items():
            for key, value in sums.items():
                files.setdefault(path, {}).setdefault(key, 0)
                files[path][key] += value
    for directory in directories:
        for path, truth in expected(directory).items():
            for key, value in truth.items():
                live.equal(f"{name}: {os.path.basename(path)}: {key}", files.get(path, {}).get(key, 0), value)
    for pid in pids:
        threads = [loc for loc in whole.definitions.locations if loc.group.name.split()[0] == str(pid)]
        live.check(len(threads) >= THREADS, f"{name}: {pid}: {len(threads)} threads instead of {THREADS} at least")
    return about


def test_until_end(live, name, count):
    runs = [start(live, f"{name}-{i}") for i in range(count)]
    pids = [run.pid for run, _ in runs]
    iotrace, archive = attach(live, name, pids)
    for pid in pids:
        os.kill(pid, signal.SIGUSR1)
    for run, _ in runs:
        live.equal(f"{name}: the workload's status", run.wait(60), 0)
    _, said = iotrace.communicate(timeout=60)
    if not live.equal(f"{name}: exit status", iotrace.returncode, 0):
        print(said.decode(errors="replace"))
    compare(live, name, archive, pids, [directory for _, directory in runs])


def test_until_interrupt(live):
    """Ctrl-C ends the recording and leaves the process alone."""
    run, directory = start(live, "detach")
    iotrace, archive = attach(live, "detach", [run.pid])
    iotrace.send_signal(signal.SIGINT)
    iotrace.communicate(timeout=60)
    live.equal("detach: exit status", iotrace.returncode, 0)
    live.check(run.poll() is None, "detach: the process ended with the recording")
    live.examine(archive)
    os.kill(run.pid, signal.SIGUSR1)
    live.equal("detach: the process's own status", run.wait(60), 0)
    written = os.path.getsize(f"{directory}/own-2")
    live.equal("detach: what the process wrote by itself", written, ROUNDS * 3)


def test_report(live):
    """The report of the archive says what the recording said, also of a process that lived on."""
    archive, said, file = "report.trace", live.path("said"), live.path("line")
    with open(file, "w", encoding="utf-8") as out:
        out.write("word\n")
    with subprocess.Popen(["/bin/sh", "-c", f"read go; read word <{file}; echo done; read go"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as run:
        iotrace = live.start("-o", archive, "-p", str(run.pid), f"--summary=json:{said}", cwd=live.dir)
        run.stdin.write(b"\n")
        run.stdin.flush()
        live.equal("report: the process's word", run.stdout.readline(), b"done\n")
        iotrace.send_signal(signal.SIGINT)
        live.equal("report: exit status", iotrace.wait(60), 0)
        run.stdin.close()
    with open(said, encoding="utf-8") as text:
        summary = json.load(text)
    report = json.loads(live.run([IOTRACE, "report", "--json", archive], cwd=live.dir).stdout)
    for what in ("run", "verdict", "remarks", "completeness"):
        live.equal(f"report: {what}", report[what], summary[what])
    live.check(summary["verdict"]["thread_time_ns"] >= summary["run"]["duration_ns"], f"report: lifetime: {summary['verdict']}")
    for name in (f"process {run.pid} (sh)", f"archive {archive}"):
        title = live.run([IOTRACE, "report", archive], cwd=live.dir).stdout.decode().splitlines()[0]
        live.equal("report: title", title, f"iotrace summary: {name}")
        if os.path.exists(live.path(f"{archive}/iotrace.json")):
            os.unlink(live.path(f"{archive}/iotrace.json"))


with Live() as test:
    test_report(test)
    test_until_end(test, "one", 1)
    test_until_end(test, "two", 2)
    test_until_interrupt(test)
