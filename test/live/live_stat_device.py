#!/usr/bin/python3
"""iotrace stat --by device live: the requests of the machine as the kernel counts them, and those that some tasks cause."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import block  # noqa: E402
from live import IOTRACE, Live, SOURCE, together, wait_until  # noqa: E402
from stat_frames import frames, numbers, started  # noqa: E402

DISK_WORK = """dd if=/dev/zero of=/dev/{0} bs=64k count=200 oflag=direct
dd if=/dev/{0} of=/dev/null bs=16k count=300 iflag=direct
dd if=/dev/zero of=/dev/{0} bs=1M count=20 conv=fsync
blkdiscard -o 33554432 -l 1048576 /dev/{0}; sync /dev/{0}; echo 3 > /proc/sys/vm/drop_caches; cat /dev/{0} > /dev/null"""


def by_device(live):
    """As many requests and bytes as the kernel counts for the device."""
    with block.Disk(live.path("image"), 64 << 20) as disk:
        work = f"dd if=/dev/zero of={disk.path} bs=64k count=200 oflag=direct; dd if={disk.path} of=/dev/null bs=16k count=300 iflag=direct"
        before = device_stat(disk.name)
        last = frames(live, "-a", "--by", "device", "--device", disk.name, "-i", "0.1", command=["sh", "-c", work])[-1]
        reads, _, read, _, writes, _, written, *_, flushes, _ = [b - a for a, b in zip(before, device_stat(disk.name))]
    row = last["by"][disk.name]
    if not live.equal("requests", row["ops_total"], reads + writes + flushes):
        print(json.dumps(last))
    live.equal("read", row["read_bytes_total"], read * 512)
    live.equal("written", row["written_bytes_total"], written * 512)
    live.check(read == 300 * 32 and written == 200 * 128, f"what dd did: {read} {written}")


def device_stat(name):
    """/sys/block/NAME/stat: requests, merges, sectors and ms of reads and writes, in flight, busy and queue ms, the same of discards,
    flushes."""
    with open(f"/sys/block/{name}/stat", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def requests(live):
    """The kernel counts requests, and iotrace pairs their steps: at the same time, for a device with requests and one with bios."""
    if SOURCE != "bpf":
        return
    with contextlib.ExitStack() as stack:
        disks = [stack.enter_context(block.Disk(live.path("image"), 64 << 20))]
        if block.Zram.is_known():
            disks.append(stack.enter_context(block.Zram(64 << 20)))
        else:
            live.lacks("zram")
        names = [disk.name for disk in disks]
        runs = []
        for source in ("bpf", "perf"):
            ready, gives = os.pipe()
            chosen = [word for name in names for word in ("--device", name)]
            runs.append(subprocess.Popen([IOTRACE, "stat", f"--source={source}", f"--ready-fd={gives}", "-v", "-i", "0.2", "-a", "--by", "device",
                                          *chosen, f"--json={live.path(source)}"], pass_fds=[gives],
                                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE))
            os.close(gives)
            with os.fdopen(ready, "rb") as file:
                live.equal(f"{source}: ready", file.readline(), b"ready\n")
        before = {name: device_stat(name) for name in names}
        for name in names:
            subprocess.run(["sh", "-c", DISK_WORK.format(name)], check=True, stderr=subprocess.DEVNULL)
        after = {name: device_stat(name) for name in names}
        for run in runs:
            run.send_signal(signal.SIGINT)
        said = [run.communicate()[1] for run in runs]
    live.equal("status", [run.returncode for run in runs], [0, 0])
    live.equal("who counts", [b"span 'block' is counted in the kernel" in text for text in said], [True, False])
    (kernel, kernel_busy), (user, user_busy) = (numbers(live.path(source)) for source in ("bpf", "perf"))
    live.equal("numbers", kernel, user)
    live.equal("devices", sorted(kernel), sorted(names + ["TOTAL"]))
    for name in names:
        live.check(abs(kernel_busy[name] - user_busy[name]) < 0.1, f"{name}: busy {kernel_busy[name]} {user_busy[name]}")
        reads, _, read, _, writes, _, written, *_ = [b - a for a, b in zip(before[name], after[name])]
        live.check(reads >= 300 and writes >= 200 and kernel[name][0] >= reads + writes, f"{name}: {reads} {writes} {kernel[name]}")
        live.equal(f"{name}: bytes", kernel[name][1:3], [read * 512, written * 512])


# Direct I/O, pages that a worker writes after dd has ended, and a flush.
WORK = """read go
dd if=/dev/zero of={0}/direct bs=64k count=40 oflag=direct
dd if={0}/direct of=/dev/null bs=16k iflag=direct
dd if=/dev/zero of={0}/later bs=64k count=50
dd if=/dev/zero of={0}/flushed bs=16k count=30 conv=fsync
sync; exec sleep 0.2
"""
OTHERS_WORK = "while :; do dd if=/dev/zero of={0}/other bs=4k count=9 oflag=direct; dd if={0}/other of=/dev/null bs=4k iflag=direct; done"
KIB = 1024
MOVED = {"read": 40 * 64 * KIB, "written": (40 * 64 + 50 * 64 + 30 * 16) * KIB}


@contextlib.contextmanager
def busy_partition(live):
    """The folder of a file system on a partition of a disk that others use, too, and the name of the disk."""
    place = live.made("partition")
    # Requests are small, so that bios of the page cache are split.
    with block.Disk(live.path("parted"), 64 << 20, largest=64) as disk, contextlib.ExitStack() as stack:
        subprocess.run(["addpart", disk.path, "1", "2048", "120000"], check=True)
        stack.callback(subprocess.run, ["delpart", disk.path, "1"], check=False)
        subprocess.run(["mkfs.ext4", "-q", f"{disk.path}p1"], check=True)
        subprocess.run(["mount", f"{disk.path}p1", place], check=True)
        stack.callback(wait_until, lambda: not subprocess.run(["umount", place], check=False, stderr=subprocess.DEVNULL).returncode)
        others = subprocess.Popen(["sh", "-c", OTHERS_WORK.format(place)], stderr=subprocess.DEVNULL, start_new_session=True)
        stack.callback(others.wait)
        stack.callback(os.killpg, others.pid, signal.SIGKILL)
        yield place, disk.name


def of_tasks(live):
    """The requests that followed tasks cause are those of a recording, and have their bytes: also what a worker writes for them later."""
    with busy_partition(live) as (place, name):
        work = subprocess.Popen(["sh", "-c", WORK.format(place)], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        counts = started(live, "-v", "--by", "device", "-i", "0.2", "-p", str(work.pid), f"--json={live.path('counted')}",
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        records = started(live, "--span", "block", "--by", "device", "--device", name, "-p", str(work.pid), f"--json={live.path('recorded')}",
                          command="latency", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        work.communicate(b"go\n")
        said = counts.communicate()[1].decode()
        records.communicate()
    live.equal("status", [work.returncode, counts.returncode, records.returncode], [0, 0, 0])
    live.equal("counted", "span 'block' is counted in the kernel" in said, SOURCE == "bpf")
    row = numbers(live.path("counted"))[0][name]
    with open(live.path("recorded"), encoding="utf-8") as file:
        recorded = {span["group"]: span for span in json.load(file)["spans"]}[name]
    live.equal("as recorded", [row[0], row[1] + row[2]], [recorded["count"], recorded["bytes"]])
    live.equal("read", row[1], MOVED["read"])
    if SOURCE == "bpf":  # perf's events do not say which file a worker writes; sync also writes what the file system notes about itself
        live.check(0 <= row[2] - MOVED["written"] < 64 * KIB, f"written: {row[2]} instead of {MOVED['written']}")
    live.equal("errors, in flight", row[3:], [0, 0])


def of_chosen_tasks(live):
    """--comm chooses the tasks whose requests count."""
    with busy_partition(live) as (place, name):
        shutil.copy(shutil.which("dd"), live.path("mine"))
        work = f"{live.path('mine')} if=/dev/zero of={place}/direct bs=64k count=40 oflag=direct; sleep 0.2"
        by = frames(live, "-a", "--comm", "mine", "--by", "device", "--device", name, "-i", "0.2", command=["sh", "-c", work])[-1]["by"]
    live.equal("chosen", [by[name][key] for key in ("ops_total", "read_bytes_total", "written_bytes_total")], [40, 0, 40 * 64 * KIB])


RING = ["fio", "--name=x", "--output=/dev/null", "--ioengine=io_uring", "--bs=4k", "--iodepth=16", "--direct=1", "--rw=randwrite", "--norandommap",
        "--number_ios=300", "--size=4m", "--force_async=4", "--fallocate=none"]


def of_ring(live):
    """Requests that workers of an io_uring cause are those of the task."""
    with busy_partition(live) as (place, name):
        with open(f"{place}/data", "wb") as file:
            file.write(bytes(4 << 20))
            os.fsync(file)
        by = frames(live, "--by", "device", "-i", "0.2", command=[*RING, f"--filename={place}/data"])[-1]["by"]
    live.check(by[name]["written_bytes_total"] == 300 * 4 * KIB, f"ring: {by[name]}")


TESTS = (by_device, requests, of_tasks, of_chosen_tasks, of_ring)

with Live() as all_tests, block.Busy():  # perf's samples of an idle CPU are not delivered
    together(all_tests, [one for one in TESTS if one.__name__ in sys.argv[1:]] or TESTS)
