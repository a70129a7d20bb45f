#!/usr/bin/python3
"""Block requests as the kernel counts them, for iotrace stat and iotrace latency: those of the machine, and those that some tasks cause."""

import collections
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
from latency_recorder import LatencyRecorder  # noqa: E402
from live import IOTRACE, Live, SOURCE, together, wait_until  # noqa: E402
from stat_frames import frames, numbers, started  # noqa: E402

DISK_WORK = """dd if=/dev/zero of=/dev/{0} bs=64k count=200 oflag=direct
dd if=/dev/{0} of=/dev/null bs=16k count=300 iflag=direct
dd if=/dev/zero of=/dev/{0} bs=1M count=20 conv=fsync
dd if=/dev/zero of=/dev/{0} bs=4k count=5 oflag=direct,dsync
blkdiscard -o 33554432 -l 1048576 /dev/{0}; sync /dev/{0}
blockdev --flushbufs /dev/{0}; cat /dev/{0} > /dev/null"""
# Requests that are submitted at once, in any order, are merged in the scheduler.
MERGED_WORK = ["fio", "--name=a", "--rw=randwrite", "--bs=4k", "--size=1m", "--direct=1", "--ioengine=libaio", "--iodepth=128", "--iodepth_batch=128",
               "--output=/dev/null"]
# Zeroes. A request at the end of the disk's file ends in part, is given back and issued again, and fails; those behind the end fail.
SHORT = (48 << 20) + 8192
SHORT_WORK = """blkdiscard -z -o 33554432 -l 1048576 /dev/{0}
truncate -s {1} {2}
for i in 0 32; do dd if=/dev/{0} of=/dev/null bs=64k skip=$((768 + i)) count=3 iflag=direct; done; true"""
SPANS = ("block", "block-queue", "block-service")
EACH_SPAN = [word for span in SPANS for word in ("--span", span)]
# The kernel counts, or each request is recorded: --heatmap needs the times.
WAYS = {"counted": ("--source=bpf", *EACH_SPAN), "bpf": ("--source=bpf", "--heatmap=/dev/null", *EACH_SPAN), "perf": ("--source=perf", *EACH_SPAN),
        "mode": ("--source=bpf", "--span", "block", "--by", "mode")}
VIEWS = {("device", "bpf"): ("--by", "device"), ("device", "perf"): ("--by", "device"), ("block-queue", "bpf"): ("--span", "block-queue"),
         ("block-service", "bpf"): ("--span", "block-service")}


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


@contextlib.contextmanager
def observed(live, names):
    """All recorders of the requests of these devices while the body runs: the numbers of iotrace latency, and the processes of iotrace stat."""
    of_disks = [word for name in names for word in ("--device", name)]
    found = {}
    recorders = {name: LatencyRecorder(live, name, {}, *way, "-a", "-m", "8M", *of_disks) for name, way in WAYS.items()}
    stats = {(view, source): started(live, f"--source={source}", "-v", "-i", "0.2", "-a", *words, *of_disks, f"--json={live.path(view + source)}",
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
             for (view, source), words in VIEWS.items()}
    yield found
    for process in [*stats.values(), *(recorder.process for recorder in recorders.values())]:
        process.send_signal(signal.SIGINT)
    found.update({name: recorder.numbers(live) for name, recorder in recorders.items()})
    for (view, source), process in stats.items():
        text = process.communicate()[1]
        live.equal(f"{view} {source}: status", process.returncode, 0)
        live.equal(f"{view} {source}: who counts", b"is counted in the kernel" in text, source == "bpf")


def requests(live):
    """The kernel counts requests, and iotrace pairs their steps: at the same time, for a device with requests and one with bios."""
    if SOURCE != "bpf":
        return
    with contextlib.ExitStack() as stack:
        disks = [stack.enter_context(block.Disk(live.path("image"), 64 << 20, scheduler="mq-deadline", is_direct=True))]
        if block.Zram.is_known():
            disks.append(stack.enter_context(block.Zram(64 << 20)))
        else:
            live.lacks("zram")
        names = [disk.name for disk in disks]
        with observed(live, names) as found:
            before = {name: device_stat(name) for name in names}
            steps = subprocess.Popen(["perf", "stat", "-a", "-x,", "-o", live.path("steps"), "-e", "block:block_rq_requeue,block:block_rq_merge"])
            for name in names:
                subprocess.run(["sh", "-c", DISK_WORK.format(name)], check=True, stderr=subprocess.DEVNULL)
            subprocess.run([*MERGED_WORK, f"--filename={disks[0].path}"], check=True)
            subprocess.run(["sh", "-c", SHORT_WORK.format(names[0], SHORT, live.path("image"))], check=True, stderr=subprocess.DEVNULL)
            after = {name: device_stat(name) for name in names}
            steps.send_signal(signal.SIGINT)
            steps.wait()
    with open(live.path("steps"), encoding="ascii") as file:
        counts = {line.split(",")[2]: int(line.split(",")[0]) for line in file if "block:" in line}
    live.check(all(counts.values()) and len(counts) == 2, f"requests are given back and merged: {counts}")
    same_stat(live, found["counted"])
    same_latency(live, found)
    kernel = numbers(live.path("devicebpf"))[0]
    live.equal("devices", sorted(kernel), sorted(names + ["TOTAL"]))
    for name in names:
        reads, _, read, _, writes, _, written, *_ = [b - a for a, b in zip(before[name], after[name])]
        live.check(reads >= 300 and writes >= 200 and kernel[name][0] >= reads + writes, f"{name}: {reads} {writes} {kernel[name]}")
        live.equal(f"{name}: bytes", kernel[name][1:3], [read * 512, written * 512])
        rows = [row for row in found["counted"]["spans"] if row["span"] == "block" and row["group"].startswith(f"{name} ")]
        live.equal(f"{name}: latency", sum(row["count"] for row in rows), kernel[name][0])
    live.check(kernel[names[0]][3] >= 2, f"requests that failed: {kernel}")


def same_stat(live, latency):
    (kernel, kernel_busy), (user, user_busy) = (numbers(live.path(f"device{source}")) for source in ("bpf", "perf"))
    live.equal("numbers", kernel, user)
    for name, busy in kernel_busy.items():
        live.check(abs(busy - user_busy[name]) < 0.1, f"{name}: busy {busy} {user_busy[name]}")
    for span in SPANS[1:]:
        rows, busy = numbers(live.path(f"{span}bpf"))
        expected = {row["group"]: row["count"] for row in latency["spans"] if row["span"] == span}
        expected["TOTAL"] = sum(expected.values())
        live.equal(f"{span}: requests", {name: row[0] for name, row in rows.items()}, expected)
        live.equal(f"{span}: read, written, errors, in flight", rows["TOTAL"][1:], kernel["TOTAL"][1:])
        live.check(0 < busy["TOTAL"] <= kernel_busy["TOTAL"] + 0.1, f"{span}: busy {busy['TOTAL']} {kernel_busy['TOTAL']}")


def by_group(numbers, *keys):
    return {(row["span"], row["group"]): [row[key] for key in keys] for row in numbers["spans"]}


def same_latency(live, found):
    """The numbers of all recorders are the same, and their times differ by what their programs take."""
    for name, numbers_of in found.items():
        live.check(numbers_of["books"]["balanced"], f"{name}: {numbers_of['books']['sentence']}")
        for span in numbers_of["books"]["spans"]:
            live.equal(f"{name}: who counts {span['span']}", span.pop("counted_in_kernel"), name in ("counted", "mode"))
    counts = {name: by_group(numbers_of, "count", "bytes") for name, numbers_of in found.items()}
    live.equal("latency: bpf", counts["counted"], counts["bpf"])
    live.equal("latency: perf", counts["counted"], counts["perf"])
    live.equal("latency: books", found["counted"]["books"]["spans"], found["bpf"]["books"]["spans"])
    live.equal("latency: kinds", {group.rpartition(" ")[2] for _, group in counts["counted"]}, {"read", "write", "flush", "discard", "zeroes"})
    by_mode = collections.defaultdict(lambda: [0, 0])
    for (span, group), row in counts["counted"].items():
        if span == "block":
            by_mode[span, group.rpartition(" ")[2]][0] += row[0]
            by_mode[span, group.rpartition(" ")[2]][1] += row[1]
    live.equal("latency: by mode", counts["mode"], dict(by_mode))
    for row in found["counted"]["spans"]:
        live.equal(f"{row['group']}: histogram", sum(bucket["count"] for bucket in row["histogram"]), row["count"])
        live.check(row["min_ns"] <= row["avg_ns"] <= row["max_ns"] and row["stddev_ns"] <= row["max_ns"], f"{row}")
    times = {name: by_group(numbers_of, "avg_ns") for name, numbers_of in found.items()}
    for key, (count, _) in counts["counted"].items():
        took = [times[name][key][0] for name in ("counted", "bpf", "perf")]
        live.check(count < 100 or max(took) - min(took) < 10000 + max(took) / 20, f"{key}: time: {took}")


# Direct I/O, pages that a worker writes after dd has ended, and a flush.
WORK = """read go
dd if=/dev/zero of={0}/direct bs=64k count=40 oflag=direct
dd if={0}/direct of=/dev/null bs=16k iflag=direct
dd if=/dev/zero of={0}/later bs=64k count=50
dd if=/dev/zero of={0}/flushed bs=16k count=30 conv=fsync
sync; exec sleep 0.2
"""
OTHERS_WORK = "while :; do dd if=/dev/zero of={0}/other bs=4k count=9 oflag=direct; dd if={0}/other of=/dev/null bs=4k iflag=direct; sleep 0.02; done"
KIB = 1024
MOVED = {"read": 40 * 64 * KIB, "written": (40 * 64 + 50 * 64 + 30 * 16) * KIB}


@contextlib.contextmanager
def busy_partition(live, merges=True):
    """The folder of a file system on a partition of a disk that others use, too, and the name of the disk."""
    place = live.made("partition")
    # Requests are small, so that bios of the page cache are split.
    with block.Disk(live.path("parted"), 64 << 20, largest=64, merges=merges) as disk, contextlib.ExitStack() as stack:
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
        latency = {what: LatencyRecorder(live, what, {}, f"--source={SOURCE}", "--span", "block", *words, "--device", name, "-p", str(work.pid))
                   for what, words in (("above", ("--by", "none", "--above", "50us")), ("each", ("--by", "device", "--heatmap=/dev/null")))}
        work.communicate(b"go\n")
        said = counts.communicate()[1].decode()
        found = {what: recorder.numbers(live) for what, recorder in latency.items()}
    live.equal("status", [work.returncode, counts.returncode], [0, 0])
    live.equal("counted", "span 'block' is counted in the kernel" in said, SOURCE == "bpf")
    row = numbers(live.path("counted"))[0][name]
    each = by_group(found["each"], "count", "bytes")["block", name]
    live.equal("as recorded", [row[0], row[1] + row[2]], each)
    above = by_group(found["above"], "count", "min_ns")["block", ""]
    live.equal("latency of those that took long", above[0] + found["above"]["not_above"], each[0])
    live.check(above[1] > 50000, f"latency of those that took long: {above}")
    live.equal("latency: who counts", [numbers_of["books"]["spans"][0]["counted_in_kernel"] for numbers_of in found.values()],
               [SOURCE == "bpf", False])
    live.equal("read", row[1], MOVED["read"])
    if SOURCE == "bpf":  # perf's events do not say which file a worker writes; sync also writes what the file system notes about itself
        live.check(0 <= row[2] - MOVED["written"] < 64 * KIB, f"written: {row[2]} instead of {MOVED['written']}")
    live.equal("errors, in flight", row[3:], [0, 0])


def recorded(live):
    """What the programs do not know is recorded."""
    ran = live.run([IOTRACE, "latency", "-v", f"--source={SOURCE}", "--span", "block", "--by", "process", "--", "true"])
    why = "only records say which process and which file a request is of"
    live.check(f"span 'block' is not counted in the kernel: {why}" in " ".join(ran.stderr.decode().split()), f"by process: {ran.stderr}")


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
    """Requests that workers of an io_uring cause are those of the task. One that others have begun would be theirs, with what it takes from the task."""
    with busy_partition(live, merges=False) as (place, name):
        with open(f"{place}/data", "wb") as file:
            file.write(bytes(4 << 20))
            os.fsync(file)
        by = frames(live, "--by", "device", "-i", "0.2", command=[*RING, f"--filename={place}/data"])[-1]["by"]
    live.check(by[name]["written_bytes_total"] == 300 * 4 * KIB, f"ring: {by[name]}")


TESTS = (by_device, requests, of_tasks, recorded, of_chosen_tasks, of_ring)

with Live() as all_tests, block.Busy():  # perf's samples of an idle CPU are not delivered
    together(all_tests, [one for one in TESTS if one.__name__ in sys.argv[1:]] or TESTS)
