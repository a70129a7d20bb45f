"""Runs of iotrace stat, and the frames that they write."""

import collections
import json
import os
import subprocess

from live import CALMED, IOTRACE, SOURCE


def frames(live, *words, status=0, command=(), **more):
    """All frames of a run, each with its rows by name."""
    path = live.path("stat.json")
    ran = live.run([IOTRACE, "stat", f"--source={SOURCE}", f"--json={path}", *words, *(["--", *command] if command else [])], **more)
    if not live.equal(f"{words}: status", ran.returncode, status):
        print(ran.stderr.decode(errors="replace"))
    with open(path, encoding="utf-8") as file:
        found = [json.loads(line) for line in file]
    live.check(found, f"{words}: no frame")
    for frame in found:
        frame["by"] = {row["name"]: row for row in frame["rows"]}
        check_sums(live, words, frame)
    return found


def started(live, *words, command="stat", inside=(), **more):
    """Returns a process of iotrace stat, or of another command, as soon as it counts. inside: a command that starts it."""
    ready, gives = os.pipe()
    process = subprocess.Popen([*inside, IOTRACE, command, f"--source={SOURCE}", f"--ready-fd={gives}", *words], pass_fds=[gives], env=CALMED, **more)
    os.close(gives)
    with os.fdopen(ready, "rb") as file:
        live.equal(f"{words}: ready", file.readline(), b"ready\n")
    return process


def check_sums(live, words, frame):
    """The total is that of the rows, and no row is busier."""
    for key in ("inflight", "ops_total", "read_bytes_total", "written_bytes_total", "errors_total"):
        live.equal(f"{words}: {key}", frame["total"][key], sum(row[key] for row in frame["rows"]))
    for row in frame["rows"] + [frame["total"]]:
        live.check(row["util_percent"] <= min(100.001, frame["total"]["util_percent"] + 0.001), f"{words}: {row} of {frame['total']}")
        live.check(row["p50_us"] <= row["p99_us"] <= row["max_us"] * 1.01, f"{words}: {row}")


def wchan(pid):
    with open(f"/proc/{pid}/wchan", encoding="ascii") as file:
        return file.read()


def numbers(path):
    """The totals of each row, and for how long it was busy."""
    with open(path, encoding="utf-8") as file:
        found = [json.loads(line) for line in file]
    busy = collections.Counter()
    for frame in found:
        for row in frame["rows"] + [frame["total"]]:
            busy[row["name"]] += row["util_percent"] * frame["interval_s"] / 100
    keys = ("ops_total", "read_bytes_total", "written_bytes_total", "errors_total", "inflight")
    last = found[-1]
    return {row["name"]: [row[key] for key in keys] for row in last["rows"] + [last["total"]] if row["ops_total"]}, busy
