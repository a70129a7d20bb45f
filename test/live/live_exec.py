#!/usr/bin/python3
"""Programs that the kernel follows less after their exec: set-uid and set-gid ones, and those that may not be read.

The process is one before and after, what it inherits has its name, its child is known, and what is missing is said.
"""

import json
import os
import shutil
import signal
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive  # noqa: E402
from live import IOTRACE, SOURCE, Live, workload  # noqa: E402

NOBODY = 65534
BEFORE, AFTER = 10, 100
AS_NOBODY = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
CAPABILITIES = "cap_bpf,cap_perfmon,cap_dac_read_search+ep"


def program(live, name, mode, owner=NOBODY):
    """Returns a copy of the workload with these rights."""
    path = live.path(f"{name}.program")
    shutil.copy(workload("exec"), path)
    os.chown(path, owner, owner)
    os.chmod(path, mode)
    return path


def folder(live, name):
    path = live.made(name)
    os.chmod(path, 0o777)
    return path


def truth(directory):
    """What all of it did, by file: see workload_exec.c."""
    return {f"{directory}/kept": {"opens": 1, "writes": BEFORE + AFTER + 1, "written_bytes": BEFORE * 10 + AFTER * 7 + 3},
            f"{directory}/new": {"opens": 1, "writes": 3, "written_bytes": 3 + 5 + 6}}


def compare(live, name, archive, directory, more=None):
    """All files have their sums, and the processes of the program are two: it, and its child."""
    whole = Archive(archive)
    files, users = {}, set()
    for pid, process in whole.processes().items():
        for path, sums in process.whole().files.items():
            if path and path.startswith(directory + "/"):
                users.add(pid)
                for key, value in sums.items():
                    files.setdefault(path, {}).setdefault(key, 0)
                    files[path][key] += value
    for path, sums in truth(directory).items():
        for key, value in sums.items():
            if more is None or (os.path.basename(path), key) not in more:
                live.equal(f"{name}: {os.path.basename(path)}: {key}", files.get(path, {}).get(key, 0), value)
    live.equal(f"{name}: processes", len(users), 2)


def run(live, name, path, *options, wrapper=(), iotrace=IOTRACE, status=0):
    """Records the workload that becomes the program at `path`. Returns iotrace.json and what iotrace said."""
    directory, out = folder(live, name), folder(live, f"{name}.out")
    archive = f"{out}/trace"
    ran = live.run([*wrapper, iotrace, "-o", archive, "--strict", *options, "--", live.path("begin.program"), "begin",
                    directory, path])
    if not live.equal(f"{name}: exit status", ran.returncode, status):
        print(ran.stderr.decode(errors="replace")[:2000])
    about = live.examine(archive)
    compare(live, name, archive, directory)
    return about["books"]["counters"], ran.stderr


def attach(live, name, path, status=0):
    directory, archive = folder(live, name), live.path(f"{name}.trace")
    with subprocess.Popen([workload("exec"), "begin", directory, path, "wait"], stdout=subprocess.PIPE) as ran:
        live.equal(f"{name}: the workload's word", ran.stdout.readline(), b"ready\n")
        iotrace = live.start("-o", archive, "-p", str(ran.pid), "-q", "--strict")
        os.kill(ran.pid, signal.SIGUSR1)
        live.equal(f"{name}: the workload's status", ran.wait(60), 0)
        live.equal(f"{name}: exit status", iotrace.wait(60), status)
    live.examine(archive)
    with open(f"{archive}/iotrace.json", encoding="utf-8") as file:
        live.equal(f"{name}: cancelled", json.load(file)["books"]["counters"]["cancelled"], 0)
    compare(live, name, archive, directory, more={("kept", "opens")})


def capable(live):
    """iotrace with capabilities of its own, for a user who may execute the program and not read it."""
    iotrace = live.path("iotrace")
    shutil.copy(IOTRACE, iotrace)
    os.chmod(iotrace, 0o755)
    subprocess.run(["setcap", CAPABILITIES, iotrace], check=True)
    return iotrace


def resumed(live, name, path):
    """Perf's inherited events are gone and opened again, twice: for the program, and for what its child executes."""
    counters, words = run(live, name, path, "-q", status=125)
    live.equal(f"{name}: never recorded again", counters["detached"], 0)
    live.equal(f"{name}: recorded again", counters["resumed"], 2)
    live.check(0 < counters["resumed_us"] < 2000000, f"{name}: after {counters['resumed_us']} us")
    live.check(b"2 programs were not recorded for a moment after their begin" in words, f"{name}: {words!r}")


def lost(live, path):
    """Who has the rights of iotrace's file is not to see a program of root: that is said, and the process is still one."""
    directory, archive = folder(live, "lost"), f"{folder(live, 'lost.out')}/trace"
    ran = live.run([*AS_NOBODY, capable(live), "--source=perf", "-o", archive, "--strict", "-q", "--",
                    live.path("begin.program"), "begin", directory, path])
    live.equal("lost: exit status", ran.returncode, 125)
    live.check(b"1 program continued without being recorded" in ran.stderr, f"lost: {ran.stderr!r}")
    about = live.examine(archive)
    live.equal("lost: counted", about["books"]["counters"]["detached"], 1)
    live.equal("lost: recorded again", about["books"]["counters"]["resumed"], 0)
    sums = [p.whole().files.get(f"{directory}/kept", {}) for p in Archive(archive).processes().values()]
    # A user's look-ups are not urgent: on a busy machine they may be too late for the name.
    live.check(sum(s.get("writes", 0) for s in sums) in (0, BEFORE), f"lost: {sums}")


with Live() as test:
    os.chmod(test.dir, 0o755)
    setuid = program(test, "setuid", 0o4755)
    setgid = program(test, "setgid", 0o2755)
    hidden = program(test, "hidden", 0o711, 0)
    program(test, "begin", 0o755)  # nobody may not reach the build, if that is in somebody's home
    run(test, "everybody-setuid", setuid, "-a", "--no-block", "-q")
    if SOURCE == "bpf":
        run(test, "setuid", setuid, "-q")
        run(test, "setgid", setgid, "-q")
        attach(test, "attached", setuid)
        run(test, "hidden", hidden, "-q", wrapper=AS_NOBODY, iotrace=capable(test))
        lost(test, program(test, "root", 0o4755, 0))
    else:
        resumed(test, "setuid", setuid)
        resumed(test, "setgid", setgid)
        attach(test, "attached", setuid, status=125)
