#!/usr/bin/python3
"""The summary: its numbers against independent witnesses (strace, /proc/PID/io, /sys/block/DEV/stat), its JSON against its
schema and its text, and a terminal of 24 lines that it fits. Needs root, strace, losetup, python3-jsonschema."""

import glob
import json
import os
import re
import sys
from collections import Counter

import jsonschema

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from block import SECTOR, Disk, stat  # noqa: E402
from live import IOTRACE, Live  # noqa: E402
from terminal import Terminal  # noqa: E402

SOURCE_DIR = os.environ.get("SOURCE_DIR", os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", ".."))
CLASSES = {"read": "read", "pread64": "read", "readv": "read", "write": "write", "pwrite64": "write", "writev": "write",
           "open": "open", "openat": "open", "creat": "open", "close": "close", "fsync": "sync", "fdatasync": "sync"}

# A child that reads and writes files and pipes; when it has, its parent asks the kernel what it did.
ACCOUNT = """
import os, sys
here, go = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    data = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
    for i in range(20):
        os.write(data, b"x" * (1000 + i))
    os.lseek(data, 0, os.SEEK_SET)
    while os.read(data, 777):
        pass
    pipe = os.pipe()
    os.write(pipe[1], b"y" * 5000)
    os.read(pipe[0], 5000)
    os.write(here[1], b"1")
    os.read(go[0], 1)
    os._exit(0)
os.read(here[0], 1)
print(child, *[line.split()[1] for line in open(f"/proc/{child}/io")][:2], flush=True)
os.write(go[1], b"1")
os.waitpid(child, 0)
"""


def summary(live, command, *options, **more):
    """Records a command; returns what the summary says of it."""
    path = live.path("summary.json")
    ran = live.run([IOTRACE, "-q", "--format", "null", "-o", live.path("none"), f"--summary=json:{path}", *options,
                    *(["--", *command] if command else [])], **more)
    live.equal(f"{command}: exit status", ran.returncode, 0)
    live.equal(f"{command}: -q says nothing", ran.stderr, b"")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    os.unlink(path)
    found = json.loads(text)
    try:
        jsonschema.validate(found, SCHEMA)
    except jsonschema.ValidationError as error:
        live.check(False, f"{command}: not what the schema says: {error.message} at {list(error.absolute_path)}")
    adds_up(live, command, found)
    found["said"] = ran.stdout.decode()
    return found


def adds_up(live, what, found):
    """Places, calls and processes are three ways to cut the same total."""
    for key in ("calls", "bytes_read", "bytes_written", "time_ns", "async_operations", "async_time_ns"):
        total = found["total"][key]
        live.equal(f"{what}: {key} by place", sum(row[key] for row in found["places"].values()), total)
        live.equal(f"{what}: {key} by kind of call", sum(row[key] for row in found["calls"].values()), total)
        if found["processes"]["total"] == len(found["processes"]["rows"]):
            live.equal(f"{what}: {key} by process", sum(row["all"][key] for row in found["processes"]["rows"]), total)
        if found["files"]["total"] == len(found["files"]["rows"]) and not key.endswith("calls"):
            moved = sum(row[key] for row in found["files"]["rows"])
            live.check(moved <= found["places"]["files"][key] + found["places"]["locks"][key],
                       f"{what}: {key} of files: {moved}, more than of their place")


def calls(live):
    """The same command under strace makes as many calls, and moves as many bytes of each file."""
    folder = live.made("tree")
    for i in range(30):
        with open(os.path.join(folder, f"file{i}"), "wb") as file:
            file.write(bytes(1000 * i))
    packed, out = live.path("out"), live.path("out.gz")
    command = ["sh", "-c", f"tar cf {packed} -C {live.dir} tree && gzip -n {packed}"]
    # A file of each process: calls are not torn by those of another.
    live.run(["strace", "-ff", "-y", "-s0", "-o", live.path("strace"), *command], check=True)
    os.unlink(out)
    counted, written, read = Counter(), Counter(), Counter()
    for name in glob.glob(live.path("strace.*")):
        with open(name, encoding="utf-8", errors="replace") as file:
            for line in file:
                call = re.match(r"(\w+)\((?:\d+<([^>]*)>)?.*= (-?\d+)", line)
                if call and call[1] in CLASSES:
                    counted[CLASSES[call[1]]] += 1
                    of = {"read": read, "write": written}.get(CLASSES[call[1]], Counter())
                    if call[2] and call[2].startswith(live.dir):
                        of[call[2]] += max(int(call[3]), 0)
    found = summary(live, command, "--top", "1000")
    for kind in sorted(set(CLASSES.values())):
        live.equal(f"calls as strace counts them: {kind}", found["calls"].get(kind, {}).get("calls", 0), counted[kind])
    rows = {row["path"]: row for row in found["files"]["rows"]}
    for path in sorted(set(read) | set(written)):
        row = rows.get(path, {"bytes_read": 0, "bytes_written": 0, "processes": {"rows": [{"name": ""}]}})
        live.equal(f"read of {path}", row["bytes_read"], read[path])
        live.equal(f"written to {path}", row["bytes_written"], written[path])
        who = {packed: ["tar", "gzip"], out: ["gzip"]}.get(path, ["tar"])
        live.equal(f"who used {path}", {p["name"] for p in row["processes"]["rows"] if p["bytes"]},
                   set(who) if read[path] or written[path] else set())
    live.check(sum(read.values()) > 400000 and written[out], "strace saw no data")


def processes(live):
    found = summary(live, [sys.executable, "-c", ACCOUNT, live.path("data")])
    child, rchar, wchar = map(int, found["said"].split())
    rows = [row for row in found["processes"]["rows"] if row["pid"] == child]
    if live.equal("the child has a row", len(rows), 1):
        live.equal("read, as /proc/PID/io has it, and the last byte", rows[0]["all"]["bytes_read"], rchar + 1)
        live.equal("written, as /proc/PID/io has it", rows[0]["all"]["bytes_written"], wchar)
        live.equal("written to files", rows[0]["files"]["bytes_written"], wchar - 5001)
        seconds = found["run"]["duration_ns"] / 1e9
        live.check(abs(rows[0]["files"]["written_bytes_per_second"] * seconds - (wchar - 5001)) < 1, "the rate is another")


def devices(live):
    with Disk(live.path("disk"), 8 << 20) as disk:
        before = stat(disk.name)
        command = ["dd", "if=/dev/zero", f"of={disk.path}", "bs=64k", "count=32", "oflag=direct", "status=none"]
        found = summary(live, command, "-a", "--device", disk.name)
        after = stat(disk.name)
        rows = [row for row in found["devices"] if row["device"]["name"] == disk.name]
        if live.equal("the device has a row", len(rows), 1):
            live.equal("writes of the device", rows[0]["writes"]["requests"], after["writes"] - before["writes"])
            live.equal("bytes of the device", rows[0]["writes"]["bytes"],
                       (after["write_sectors"] - before["write_sectors"]) * SECTOR)
        file = [row for row in found["files"]["rows"] if row["path"] == disk.path]
        live.equal("a block device is a file with data", [row["bytes_written"] for row in file], [2 << 20])
        live.equal("who wrote to it", [row["processes"]["rows"][0]["name"] for row in file], ["dd"])
        live.equal("/dev/zero is none", [row["path"] for row in found["files"]["rows"] if row["path"] == "/dev/zero"], [])


def waiting(live):
    """What waits is no file I/O: a pipe, a lock, a terminal's file in /dev."""
    found = summary(live, ["sh", "-c", "sleep 0.4 | cat; head -c 100 /dev/zero >/dev/null"])
    live.check(found["places"]["pipes"]["time_ns"] > 300e6, "waiting for a pipe takes its time")
    live.equal("waiting", found["verdict"]["wait_time_ns"],
               sum(found["places"][place]["time_ns"] for place in ("pipes", "sockets", "terminals", "locks", "async")))
    live.equal("file I/O", found["verdict"]["file_time_ns"], found["places"]["files"]["time_ns"])
    live.equal("written to /dev/null", found["places"]["kernel_files"]["bytes_written"], 100)
    live.check(any(row["path"] == "/dev/zero" for row in found["kernel_files"]["rows"]), "/dev/zero is a kernel file")
    lock = live.path("lock")
    found = summary(live, ["sh", "-c", f"(flock 9; sleep 0.4) 9>{lock} & sleep 0.1; flock {lock} true; wait"])
    live.check(found["places"]["locks"]["time_ns"] > 200e6, "waiting for a lock takes its time")


def screen(live):
    """A simple program's fits 24 lines of 80 columns; what is written elsewhere is whole."""
    deep = live.made(*["a-rather-long-name-of-a-folder"] * 4)
    for i in range(8):
        with open(os.path.join(deep, f"{i}-is-the-beginning-of-a-long-name"), "wb") as file:
            file.write(bytes(5000))
    for i, command in enumerate((["ls", "-l", live.dir], ["cat", live.path("lock")])):
        terminal = Terminal(80, [IOTRACE, "-o", live.path(f"a{i}"), "--", *command])
        live.equal(f"{command}: status", terminal.ends(), 0)
        text = re.sub("\x1b\\[[0-9;]*m", "", terminal.lines())
        lines = text[text.index("iotrace summary: "):].rstrip("\n").split("\n")
        live.check(len(lines) < 24, f"{command}: {len(lines)} lines")
        for line in lines:
            live.check(len(line) <= 80 or line.startswith("archive:"), f"{command}: {line!r}")
    command = ["sh", "-c", f"cat {deep}/* >/dev/null"]
    terminal = Terminal(80, [IOTRACE, "--top", "5", "-o", live.path("cut"), "--", *command])
    terminal.ends()
    text = re.sub("\x1b\\[[0-9;]*m", "", terminal.lines())
    names = [line.split()[-1] for line in text.split("\n") if line.endswith("-name") and "cat(" in line]
    live.equal("names on a terminal", len(names), 5)
    live.equal("names that differ on a terminal", len(set(names)), 5)
    live.check(all("..." in name for name in names), f"they are cut: {names}")
    for line in text.split("\n"):
        live.check(len(line) <= 80 or line.startswith(("archive:", "capture:")), f"{line!r}")
    ran = live.run([IOTRACE, "--top", "50", "-o", live.path("whole"), "--", *command])
    for i in range(8):
        live.check(f"  {deep}/{i}-is-the-beginning-of-a-long-name\n" in ran.stderr.decode(), f"name {i} in a pipe is whole")
    live.check("iotrace summary: sh -c 'cat " in ran.stderr.decode(), "the command is quoted")


def capture(live):
    """The summary says where the capture is that was kept."""
    path = live.path("capture")
    ran = live.run([IOTRACE, "--format", "null", "--capture", path, "--", "true"])
    live.check(ran.stderr.decode().endswith(f"\ncapture: {path}\n") and os.path.exists(path), ran.stderr.decode())
    found = summary(live, ["true"], "--capture", path + "2")
    live.equal("the capture in JSON", found["capture"], path + "2")



with open(os.path.join(SOURCE_DIR, "share", "summary.schema.json"), encoding="utf-8") as schema:
    SCHEMA = json.load(schema)
with Live() as test:
    calls(test)
    processes(test)
    devices(test)
    waiting(test)
    screen(test)
    capture(test)
