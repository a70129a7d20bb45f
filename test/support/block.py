"""block: devices to test with, what the kernel itself counts of them, and what an archive says of their requests."""

import os
import shlex
import subprocess
import sys
import time
from collections import Counter, defaultdict
from contextlib import closing, contextmanager

import otf2
from ftrace import Ftrace
from otf2 import events

SECTOR = 512
STAT = ("reads", "read_merges", "read_sectors", "read_ms", "writes", "write_merges", "write_sectors", "write_ms",
        "in_flight", "busy_ms", "queue_ms", "discards", "discard_merges", "discard_sectors", "discard_ms", "flushes",
        "flush_ms")
COUNTED = ("reads", "read_sectors", "writes", "write_sectors", "discards", "discard_sectors", "flushes")
# What the first letters of a request's rwbs are counted as; zeroes are writes to the kernel, too.
KINDS = {"R": "read", "W": "write", "N": "write", "D": "discard", "F": "flush"}
GROUP = "block I/O "
UNDEFINED = 2**64 - 1


def stat(name):
    """Returns /sys/block/NAME/stat."""
    with open(f"/sys/block/{name}/stat", encoding="ascii") as file:
        return dict(zip(STAT, map(int, file.read().split())))


def change(before, after):
    """Returns what requests and sectors a device ended between two stats."""
    return {key: after[key] - before[key] for key in COUNTED}


def disk_of(path):
    """Returns the name of the disk that holds the file, or None."""
    number = os.stat(path).st_dev
    place = os.path.realpath(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    if not os.path.exists(f"{place}/queue"):
        place = os.path.dirname(place)
    return os.path.basename(place) if os.path.exists(f"{place}/stat") else None


class Disk:
    """A loop device over a new file, whose requests have at most so many KiB: `with Disk(path, size) as disk:`

    The kernel keeps such limits when the device gets another file, so each disk sets them, also to what is usual.
    is_direct: the device reads and writes its file without the page cache, if the file system of the file can.
    merges: a request may take bios of others whose sectors come next."""

    def __init__(self, path, size, largest=1280, scheduler="none", is_direct=False, merges=True):
        with open(path, "wb") as file:
            file.truncate(size)
        self.path = subprocess.run(["losetup", f"--direct-io={'on' if is_direct else 'off'}", "--find", "--show", path], check=True,
                                   stdout=subprocess.PIPE, text=True).stdout.strip()
        self.name = os.path.basename(self.path)
        self.largest_before = self._get("max_sectors_kb")
        self._set("max_sectors_kb", largest)
        self._set("scheduler", scheduler)
        self._set("nomerges", 0 if merges else 2)

    def _get(self, limit):
        with open(f"/sys/block/{self.name}/queue/{limit}", encoding="ascii") as file:
            return file.read()

    def _set(self, limit, value):
        with open(f"/sys/block/{self.name}/queue/{limit}", "w", encoding="ascii") as file:
            file.write(str(value))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for limit, value in (("max_sectors_kb", self.largest_before), ("scheduler", "none"), ("nomerges", 0)):
            self._set(limit, value)
        subprocess.run(["losetup", "-d", self.path], check=False)


class Frozen:
    """Nothing that is written to the disk ends: the file system of its image is frozen. `with Frozen(place):`"""

    def __init__(self, place):
        self.place = place

    def __enter__(self):
        subprocess.run(["fsfreeze", "-f", self.place], check=True)

    def __exit__(self, *_):
        subprocess.run(["fsfreeze", "-u", self.place], check=True)


@contextmanager
def disk_on_disk(live):
    """A disk whose image is in a file system of its own, which Frozen can stop: the folder of this file system, and the disk."""
    place = live.made("on a disk")
    with Disk(live.path("lower"), 64 << 20) as lower:
        subprocess.run(["mkfs.ext4", "-q", lower.path], check=True)
        subprocess.run(["mount", lower.path, place], check=True)
        try:
            with Disk(f"{place}/image", 16 << 20) as disk:
                yield place, disk
        finally:
            subprocess.run(["umount", "-l", place], check=False)


class Zram:
    """A zram device of its own, which is removed at the end. Some other program may use those that are there."""

    CONTROL = "/sys/class/zram-control"

    @classmethod
    def is_known(cls):
        return os.path.exists(cls.CONTROL)

    def __init__(self, size):
        with open(f"{self.CONTROL}/hot_add", encoding="ascii") as file:  # to read it makes a device
            self.number = int(file.read())
        self.name = f"zram{self.number}"
        self.path = f"/dev/{self.name}"
        with open(f"/sys/block/{self.name}/disksize", "w", encoding="ascii") as file:
            file.write(str(size))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with open(f"{self.CONTROL}/hot_remove", "w", encoding="ascii") as file:
            file.write(str(self.number))


class Busy:
    """All CPUs but the first run something, with the lowest priority. Some kernels deliver no sample for what happens
    while a CPU but the first is idle."""

    def __init__(self):
        loop = ["sh", "-c", "while :; do :; done"]
        self.spinners = [subprocess.Popen(["chrt", "-i", "0", "taskset", "-c", str(cpu), *loop])
                         for cpu in sorted(os.sched_getaffinity(0)) if cpu]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for spinner in self.spinners:
            spinner.kill()
            spinner.wait()


class Requests(Ftrace):
    """Block requests of one device as ftrace sees them: (service time in s) of each."""

    def __init__(self, disk):
        super().__init__(buffer_size_kb=16384, trace_clock="mono")
        dev = os.stat(disk.path).st_rdev
        for event in ("block_rq_issue", "block_rq_complete"):
            self.set(f"events/block/{event}/filter", f"dev == {os.major(dev) << 20 | os.minor(dev)}")
            self.set(f"events/block/{event}/enable", 1)

    def service_times(self):
        waiting, times = defaultdict(list), []
        for line in self.lines():
            head, _, rest = line.partition(": block_rq_")
            words = rest.split()
            if not rest or "+" not in words:
                continue
            when, place = float(head.split()[-1]), words[words.index("+") - 1]
            if words[0] == "issue:":
                waiting[place].append(when)
            elif waiting[place]:
                times.append(when - waiting[place].pop(0))
        return times


class Request:
    """An operation on a device's location; times in s, None: not seen."""

    def __init__(self, event, tick):
        self.rwbs = _attribute(event, "OTF2::BLOCK_IO_RWBS") or ""
        self.group = _attribute(event, "OTF2::BLOCK_IO_CGROUP")
        self.offset = _attribute(event, "Offset")
        self.command = _attribute(event, "OTF2::BLOCK_IO_COMMAND")
        file = _attribute(event, "OTF2::IO_FILE")
        self.file = file.name if file else None
        self.size, self.begun = event.bytes_request, event.time * tick
        self.issued = self.ended = self.result = self.reason = None

    @property
    def kind(self):
        return KINDS.get(self.rwbs.lstrip("F")[:1] or "F", "other")


def _attribute(event, name):
    for attribute, value in dict(event.attributes or {}).items():
        if attribute.name == name:
            return value
    return None


def requests(directory):
    """Returns the requests of each device in an archive."""
    found, by_id = defaultdict(list), {}
    with closing(otf2.reader.Reader(f"{directory}/traces.otf2")) as reader:
        tick = 1 / reader.definitions.clock_properties.timer_resolution
        devices = [location for location in reader.definitions.locations if location.group.name.startswith(GROUP)]
        for location, event in reader.events(devices) if devices else ():
            if isinstance(event, events.IoOperationBegin):
                request = Request(event, tick)
                by_id[event.matching_id] = request
                found[location.group.name[len(GROUP):]].append(request)
            elif isinstance(event, events.IoOperationIssued):
                by_id[event.matching_id].issued = event.time * tick
            elif isinstance(event, events.IoOperationComplete):
                by_id[event.matching_id].ended = event.time * tick
                by_id[event.matching_id].result = event.bytes_result
            elif isinstance(event, events.IoOperationCancelled):
                by_id[event.matching_id].reason = _attribute(event, "OTF2::IO_CANCEL_REASON") or ""
    return found


def call_times(directory, name, path):
    """Returns how long the calls of this name took that moved data of this file."""
    times, begun = [], {}
    with closing(otf2.reader.Reader(f"{directory}/traces.otf2")) as reader:
        tick = 1 / reader.definitions.clock_properties.timer_resolution
        entered = {}
        for location, event in reader.events:
            if isinstance(event, events.Enter):
                entered[location] = event.region.name
            elif isinstance(event, events.IoOperationBegin) and entered.get(location) == name:
                file = event.handle.file
                if file is not None and file.name == path:
                    begun[event.matching_id] = event.time
            elif isinstance(event, events.IoOperationComplete) and event.matching_id in begun:
                times.append((event.time - begun.pop(event.matching_id)) * tick)
    return times


def sums(found):
    """Adds up the requests that were completed, in the words of COUNTED."""
    total = Counter()
    for request in found:
        if request.ended is not None and request.kind != "other":
            total["flushes" if request.kind == "flush" else request.kind + "s"] += 1
            if request.kind != "flush" and request.result != UNDEFINED:
                total[request.kind + "_sectors"] += request.result // SECTOR
    return total


def counted(device):
    """What iotrace.json says of a device, in the words of COUNTED: what the events say, and the kernel's own change."""
    ours, kernel = {}, {}
    for kind in ("read", "write", "discard", "flush"):
        row = device[kind]
        name = "flushes" if kind == "flush" else kind + "s"
        ours[name], kernel[name] = row["requests"], row["kernel_requests"]
        if kind != "flush":
            ours[kind + "_sectors"], kernel[kind + "_sectors"] = row["sectors"], row["kernel_sectors"]
    return ours, kernel


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


class Marks:
    """Times, and the counters of devices, written down by commands of a script: `first`, and `next` after each part of it."""

    PROGRAM = ("import sys, time; print(time.monotonic(), *(open(f'/sys/block/{name}/stat').read().strip() "
               "for name in sys.argv[2:]), sep=';', file=open(sys.argv[1], 'a'))")

    def __init__(self, path, disks):
        self.path, self.disks = path, [disk.name for disk in disks]
        self.next = f"sleep 0.1; {shlex.join([sys.executable, '-c', self.PROGRAM, path, *self.disks])}; sleep 0.1"
        self.first = f"rm -f {path}; {self.next}"

    def _mark(self, index):
        with open(self.path, encoding="ascii") as file:
            when, *counters = file.read().splitlines()[index].split(";")
        return float(when), {name: dict(zip(STAT, map(int, row.split()))) for name, row in zip(self.disks, counters)}

    def change(self, index, disk):
        """Returns what requests and sectors a device ended in a part."""
        return change(self._mark(index)[1][disk.name], self._mark(index + 1)[1][disk.name])

    def whole_change(self, disk):
        return change(self._mark(0)[1][disk.name], self._mark(-1)[1][disk.name])

    def during(self, index, found):
        """Returns those of the requests that began in a part."""
        begun, ended = self._mark(index)[0], self._mark(index + 1)[0]
        return [request for request in found if begun <= request.begun < ended]


def settle():
    """Waits until what earlier steps left to be written is written."""
    os.sync()
    time.sleep(0.1)


def script(*commands):
    return ["sh", "-ec", "\n".join(command if isinstance(command, str) else shlex.join(command) for command in commands)]
