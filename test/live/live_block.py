#!/usr/bin/python3
"""Block requests: what the archive says of a device is what the device itself counted.

A loop device, raw and with a file system, and a bio-based device (zram) are given work, one after the other, in one recording
of the whole machine. For each work: requests and sectors by kind are the change of /sys/block/DEV/stat, the books balance,
and how long requests took agrees with fio and with ftrace. Needs root, fio, mkfs.ext4, losetup.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections import Counter

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
import block  # noqa: E402
from groups import CGROUP2, hierarchy  # noqa: E402
from live import IOTRACE, SOURCE, Live  # noqa: E402

MIB = 1 << 20
SIZE = 256 * MIB
TRIES = 4
# What the way from a program's clock to the tracepoint of a call and back takes at most, in seconds. On one virtual
# machine it was 2.1 us.
WAY = 3e-6
# ftrace prints its times in whole microseconds.
FTRACE_STEP = 1e-6
FIO = "fio --name=x --thread --output=/dev/null --filename={disk} --size=8m "


def works(live, disk):
    """Name and commands. What is mounted is unmounted again by the same commands."""
    fio = FIO.format(disk=disk.path)
    mount = live.path("mnt")
    files = f"for i in 1 2 3 4 5 6; do dd if=/dev/zero of={mount}/f$i bs=64k count=20 conv=fsync status=none; done"
    return {
        "direct, 32 in flight": [fio + "--ioengine=libaio --iodepth=32 --direct=1 --rw=randrw --bs=4k"],
        "buffered and fsync": [fio + "--ioengine=psync --rw=write --bs=64k --end_fsync=1"],
        "O_DSYNC": [f"dd if=/dev/zero of={disk.path} bs=4k count=200 oflag=direct,dsync status=none",
                    f"dd if=/dev/zero of={disk.path} bs=4k count=50 oflag=dsync status=none"],
        "split": [fio + "--ioengine=libaio --iodepth=2 --direct=1 --rw=write --bs=4m",
                  fio + "--ioengine=psync --direct=1 --rw=read --bs=4m"],
        "trim": [fio + "--ioengine=libaio --iodepth=8 --direct=1 --rw=randtrim --bs=64k"],
        "discard and zeroes": [f"blkdiscard -o 1M -l 64M {disk.path}", f"blkdiscard -z -o 1M -l 16M {disk.path}"],
        "dd": [f"dd if={disk.path} of=/dev/null bs=64k count=200 iflag=direct status=none",
               f"dd if=/dev/zero of={disk.path} bs=1k count=3000 status=none", f"sync {disk.path}"],
        "mkfs": [f"mkfs.ext4 -q -F {disk.path}"],
        "ext4": [f"mount {disk.path} {mount}", files, f"fstrim {mount}", f"rm {mount}/f*", f"umount {mount}"],
    }


def about(live, archive):
    """Returns iotrace.json of an archive that is right in itself."""
    ran = live.run([IOTRACE, "check-archive", archive])
    if not live.equal("check-archive", ran.returncode, 0):
        print((ran.stdout + ran.stderr).decode(errors="replace")[:4000])
    with open(f"{archive}/iotrace.json", encoding="utf-8") as file:
        found = json.load(file)
    live.balance(found["books"], lossless=False)
    return found


def device(live, what, found, name):
    row = [device for device in found["devices"] if device["name"] == name]
    if not live.equal(f"{what}: devices called {name}", len(row), 1):
        return {}, {}
    return block.counted(row[0])


def missing(seen, kernel):
    """Returns how many requests of a device the kernel counted more than were seen."""
    return sum(max(0, kernel[key] - seen[key]) for key in ("reads", "writes", "discards", "flushes") if key in kernel)


def is_whole(live, what, found, disk):
    """Whether every request of the device is there. What BPF programs were not told is what the devices counted more."""
    count, unseen = missing(*device(live, what, found, disk.name)), found["books"]["counters"]["unseen"]
    if count:
        print(f"{what}: {count} requests of {disk.name} are missing, {unseen} events unseen", flush=True)
        live.check(unseen > 0, f"{what}: {count} requests are missing, but nothing is unseen")
    return not count


def record(live, what, commands, *options):
    """Records the machine while the commands run; returns the archive and what it says of itself."""
    archive = live.path("archive")
    live.run(["rm", "-rf", archive])
    block.settle()
    live.record(archive, block.script(*commands), "-q", "-a", *options)
    print(f"{what}: recorded", flush=True)
    return archive, about(live, archive)


def record_all(live, source, what, disks, commands):
    """As record(), but again if a request is missing: an interrupt may meet a task that is just gone."""
    for _ in range(TRIES):
        recorded = record(live, what, commands, *source.options)
        if all([is_whole(live, what, recorded[1], disk) for disk in disks]):
            break
    return recorded


def compare_device(live, what, disk, found, change, uncounted):
    """Returns whether every request is there; those that are not are in the books. uncounted: what the device does, but does
    not count."""
    live.equal(f"{what}: lost", found["books"]["counters"]["lost"], 0)
    seen, kernel = device(live, what, found, disk.name)
    live.same_counts(f"{what}: the kernel's change as iotrace read it", kernel, change)
    unseen, count = found["books"]["counters"]["unseen"], missing(seen, kernel)
    if count:
        live.check(count <= unseen, f"{what}: {count} requests are missing in {TRIES} tries, but {unseen} events")
        return False
    live.same_counts(f"{what}: by iotrace.json", seen, Counter(change) + Counter(uncounted))
    return True


def compare_work(live, what, requests, change):
    """The requests of a work, as the archive has them, are what the device counted meanwhile."""
    live.equal(f"{what}: requests that do not end", sum(r.ended is None for r in requests), 0)
    in_archive = block.sums(requests)
    # A flush alone is no request that was ever issued, but the kernel counts it as a write of nothing.
    alone = change["writes"] - in_archive["writes"]
    live.check(0 <= alone <= change["flushes"], f"{what}: {in_archive['writes']} writes instead of {change['writes']}")
    live.same_counts(f"{what}: in the archive", in_archive, dict(change, writes=change["writes"] - alone))


def zram_work(disk):
    """Commands, and what the device does not count of them."""
    return [f"dd if=/dev/zero of={disk.path} bs=64k count=100 oflag=direct status=none",
            f"dd if={disk.path} of=/dev/null bs=4k count=500 iflag=direct status=none",
            f"dd if=/dev/urandom of={disk.path} bs=4k count=500 conv=fsync status=none",
            f"blkdiscard -o 1M -l 8M {disk.path}"], {"discards": 1, "discard_sectors": 8 * MIB // block.SECTOR}


def test_works(live, source):
    """All works in one recording. Between two of them the time and the counters of the devices are written down."""
    with contextlib.ExitStack() as stack:
        disk = stack.enter_context(block.Disk(live.path("disk"), SIZE))
        plan = [(name, disk, commands, {}) for name, commands in works(live, disk).items()]
        disks = [disk]
        if block.Zram.is_known():
            zram = stack.enter_context(block.Zram(SIZE // 4))
            plan.append(("zram", zram, *zram_work(zram)))
            disks.append(zram)
        else:
            live.lacks("zram")
        compare_works(live, source, plan, disks)


def compare_works(live, source, plan, disks):
    marks = block.Marks(live.path("marks"), disks)
    commands = [marks.first]
    for _, disk, work, _ in plan:
        commands += [*work, f"sync {disk.path}", marks.next]
    archive, found = record_all(live, source, f"{source}, works", disks, commands)
    requests = block.requests(archive)
    for disk in disks:
        uncounted = Counter()
        for work in plan:
            uncounted.update(work[3] if work[1] is disk else {})
        if not compare_device(live, f"{source}, {disk.name}", disk, found, marks.whole_change(disk), uncounted):
            continue
        for index, (name, on, _, more) in enumerate(plan):
            if on is disk:
                compare_work(live, f"{source}, {name}", marks.during(index, requests[disk.name]),
                             {**marks.change(index, disk), **more})
    if not source.by_perf:
        compare_unseen(live, source, archive, found, disks[:1])  # zram counts no discards


def threads(live, source, archive):
    """fio reads in a thread that is not its first. What led to a request is what that thread did."""
    told = json.loads(live.run([IOTRACE, "latency", "--span", "block", "--slowest", "3", "--context", "1", "--json", archive]).stdout)
    for slow in told["slowest"]:
        live.check(slow["comm"] == "fio" and slow["tid"] != slow["pid"], f"{source}, own: {slow}")
        live.check(slow["context"] and slow["context"][0]["event"].startswith("io_"), f"{source}, own: context: {slow}")
    live.equal(f"{source}, own: slowest", len(told["slowest"]), 3)


def test_own(live, source):
    """A command's own requests, while another program uses the same device."""
    work = "fio --name=x --thread --output=/dev/null --filename={} --size=4m --ioengine=libaio --iodepth=8 --direct=1 --bs=4k " \
           "--rw=randread --offset={}m"
    with block.Disk(live.path("disk"), SIZE) as disk:
        archive = live.path(f"{source} own")
        other = subprocess.Popen(work.format(disk.path, 64).split() + ["--time_based", "--runtime=60"])
        try:
            live.record(archive, work.format(disk.path, 0).split(), "-q", "--block", *source.options)
        finally:
            other.terminate()
            other.wait()
        found = block.requests(archive)[disk.name]
        live.equal(f"{source}, own: requests", len([r for r in found if r.kind == "read"]), 4 * MIB // 4096)
        live.equal(f"{source}, own: by others", [r.offset for r in found if r.kind == "read" and r.offset >= 4 * MIB], [])
        live.equal(f"{source}, own: commands", {r.command for r in found}, {"fio"})
        threads(live, source, archive)


def test_owners(live, source):
    """What the page cache writes, a worker of the kernel issues; it is for the file, and for who wrote to that last."""
    what, mount = f"{source}, owners", live.path("mnt")
    work = [f"dd if=/dev/zero of={mount}/one bs=64k count=20 status=none", f"cp {mount}/one {mount}/two", "sync"]
    with block.Disk(live.path("disk"), SIZE) as disk:
        subprocess.run(["mkfs.ext4", "-q", "-F", disk.path], check=True)
        archive, _ = record_all(live, source, what, [disk], [
            f"mount {disk.path} {mount}", *work, "echo 3 >/proc/sys/vm/drop_caches", f"cat {mount}/two", f"umount {mount}"])
        requests = block.requests(archive)[disk.name]
    moved = Counter()
    for request in requests:
        if request.file and request.file.startswith(mount):
            moved[request.kind, request.command, os.path.basename(request.file)] += request.result
    size = 20 * 64 << 10
    # Through perf nobody says which file it is.
    live.equal(what, dict(moved), {} if source.by_perf else {
        ("write", "dd", "one"): size, ("write", "cp", "two"): size, ("read", "cat", "two"): size})


def test_groups(live, source):
    """Two groups, one of which is made by the command; and one that is gone before the end."""
    with hierarchy(live, "blkio", CGROUP2) as (_, top):  # those that charge block requests
        use_groups(live, source, top)


def use_groups(live, source, top):
    what, own = f"{source}, groups", f"iotrace-test-{os.getpid()}"
    archive = live.path(what)
    with block.Disk(live.path("disk"), SIZE) as disk:
        def use(name):
            return (f"(echo 0 >'{top}/{own}/{name}/cgroup.procs' && dd if={disk.path} of=/dev/null bs=64k count=20 iflag=direct "
                    "status=none)")
        for name in ("", "early"):
            os.mkdir(f"{top}/{own}/{name}")
        script = "; ".join([use("early"), f"cd '{top}/{own}'", "mkdir late gone", use("late"), use("gone"), "sleep 0.1", "rmdir gone"])
        ran = live.record(archive, ["sh", "-c", script], "-q", f"--block={disk.name}", *source.options)
        live.equal(f"{what}: what the program says", ran.stderr, b"")
        for name in ("early", "late", ""):
            os.rmdir(f"{top}/{own}/{name}")
        found = live.examine(archive, lossless=not source.by_perf)
        charged = Counter(r.group for r in block.requests(archive)[disk.name] if r.kind == "read")
    paths = [row["path"] for row in found["cgroups"] if row["path"] != "/"]
    gone = [f"cgroup:[{row['id']}]" for row in found["cgroups"] if row["path"] is None]
    if source.by_perf:
        live.equal(what, (set(charged), paths), ({None}, []))
        return
    wanted = [f"/{own}/early", f"/{own}/late", *gone]
    live.equal(f"{what}: paths", paths, [f"/{own}/early", f"/{own}/late", None])
    live.same_counts(what, charged, dict.fromkeys(wanted, 20))


def test_device(live, source):
    """Of two devices that are busy, only one is asked for."""
    with block.Disk(live.path("disk"), SIZE) as disk, block.Disk(live.path("other"), SIZE) as other:
        work = [f"dd if={path} of=/dev/null bs=64k count=20 iflag=direct status=none" for path in (disk.path, other.path)]
        archive, _ = record(live, f"{source}, device", work, "--device", disk.name, *source.options)
        found = {name: len(requests) for name, requests in block.requests(archive).items()}
    live.equal(f"{source}, device", found.keys(), {disk.name})


def missing_on(live, what, requests, row):
    """Returns how many ends of a device's requests were not seen, and of flushes; checks that its open requests are those."""
    seen, kernel = block.counted(row)
    open_ones = Counter(r.kind for r in requests.get(row["name"], []) if r.reason == "its end was lost")
    for kind, key in (("read", "reads"), ("discard", "discards")):
        live.equal(f"{what}: {key} of {row['name']} that do not end", open_ones[kind], kernel[key] - seen[key])
    # Those of the second ends of flushes never began.
    writes = kernel["writes"] - seen["writes"] - open_ones["write"]
    live.check(0 <= writes <= kernel["flushes"], f"{what}: {writes} writes of {row['name']} too few do not end")
    return sum(kernel[key] - seen[key] for key in ("reads", "writes", "discards", "flushes")), kernel["flushes"]


def test_unseen(live, source):
    """No CPU is kept busy. What perf did not deliver is counted, and what therefore never ended says so."""
    with block.Disk(live.path("disk"), SIZE) as disk:
        work = works(live, disk)["direct, 32 in flight"]
        compare_unseen(live, source, *record(live, f"{source}, unseen", work, *source.options), [disk])


def compare_unseen(live, source, archive, found, disks):
    """BPF programs see all."""
    what = f"{source}, unseen"
    unseen = {event["name"]: event["counted"] - event["samples"] - event["lost"] for event in found["events"]}
    if source.by_perf:
        live.equal(f"{what}: by event", sum(unseen.values()), found["books"]["counters"]["unseen"])
    else:
        live.equal(what, unseen, dict.fromkeys(unseen, 0))
    ends = unseen.get("block:block_rq_complete", 0)
    requests = block.requests(archive)
    rows = [row for row in found["devices"] if source.by_perf or row["name"] in {disk.name for disk in disks}]
    by_device = [missing_on(live, what, requests, row) for row in rows]
    count, flushes = (sum(column) for column in zip(*by_device))
    print(f"{what}: {ends} ends of requests were not delivered, {count} are missing")
    live.check(0 <= ends - count <= flushes, f"{what}: {count} requests are missing, but {ends} ends")


def fio_latency(path):
    """Returns two quantiles of fio's time from a call to its end."""
    with open(path, encoding="utf-8") as file:
        shares = json.load(file)["jobs"][0]["read"]["clat_ns"]["percentile"]
    return shares["50.000000"] / 1e9, shares["99.000000"] / 1e9


def near(live, what, got, expected, lowest, highest, less=0, more=0):
    """Checks that `got` is between two multiples of what is expected. It may be `less` below them and `more` above, in seconds."""
    live.check(lowest * expected - less <= got <= highest * expected + more,
               f"{what}: {got * 1e6:.1f} us, not between {lowest} (less {less * 1e6:.0f} us) and {highest} "
               f"(more {more * 1e6:.0f} us) times {expected * 1e6:.1f} us")


def latencies(live, what, disk, engine, depth, *options):
    """Returns the requests of a run, its calls, service times as ftrace has them and fio's two quantiles."""
    said = live.path("fio.json")
    work = (f"fio --name=x --thread --filename={disk.path} --size=32m --ioengine={engine} --direct=1 --rw=randread "
            f"--bs=4k --iodepth={depth} --output-format=json --output={said}")
    for _ in range(TRIES):
        with block.Requests(disk) as ftrace:
            archive, found = record(live, what, [work], *options)
            by_ftrace = ftrace.service_times()
        if is_whole(live, what, found, disk):
            break
    requests = [r for r in block.requests(archive)[disk.name] if r.kind == "read" and r.ended is not None]
    return requests, block.call_times(archive, "pread64", disk.path), by_ftrace, fio_latency(said)


def test_latency(live, source, engine, depth):
    """Of the same run: ftrace sees what iotrace sees; what a call took is what fio says of it; and the request is a part
    of that: the way to the program and back comes on top, and on a busy machine that is most of it."""
    what = f"{source}, latency, {engine}"
    with block.Disk(live.path("disk"), SIZE) as disk:
        requests, calls, by_ftrace, by_fio = latencies(live, what, disk, engine, depth, *source.options)
    whole = [r.ended - r.begun for r in requests]
    service = [r.ended - r.issued for r in requests if r.issued is not None]
    live.check(len(by_ftrace) >= len(service) >= 8192, f"{what}: {len(service)} requests, {len(by_ftrace)} by ftrace")
    for share, clat in zip((0.5, 0.99), by_fio):
        name = f"{what}, p{100 * share:.0f}"
        quantiles = [block.quantile(times, share) if times else 0 for times in (service, by_ftrace, whole, calls)]
        print(f"{name}: service {quantiles[0] * 1e6:.1f} us, by ftrace {quantiles[1] * 1e6:.1f}, whole "
              f"{quantiles[2] * 1e6:.1f}, call {quantiles[3] * 1e6:.1f}, by fio {clat * 1e6:.1f}")
        near(live, f"{name}: service against ftrace", quantiles[0], quantiles[1], 0.85, 1.15, FTRACE_STEP, FTRACE_STEP)
        near(live, f"{name}: whole against fio", quantiles[2], clat, 0, 1.05)
        if calls:
            # Where the CPU is taken from fio between its two looks at the clock, it is fio that says more.
            near(live, f"{name}: calls against fio", quantiles[3], clat, 0.85 if share == 0.5 else 0.5, 1.1, WAY)


def test_latencies(live, source):
    test_latency(live, source, "psync", 1)
    test_latency(live, source, "libaio", 32)


class Source:
    """by_perf: its block events are samples of perf, which some kernels do not deliver from a CPU that is idle."""

    def __init__(self, live, name, *options):
        self.name, self.options = name, options
        archive = live.path(f"probe-{name}")
        live.record(archive, ["true"], "-q", "-a", *options)
        self.by_perf = "block:block_rq_complete" in {event["name"] for event in about(live, archive)["events"]}

    def __str__(self):
        return self.name


def sources(live):
    """Those that this build has."""
    yield Source(live, "perf", "--source=perf")
    if SOURCE == "bpf":
        yield Source(live, "bpf", "--source=bpf")


def main():
    with Live() as live:
        live.made("mnt")
        for source in sources(live):
            live.equal(f"{source}: its block requests come through perf", source.by_perf, source.name == "perf")
            if source.by_perf:
                test_unseen(live, source)
            test_owners(live, source)
            test_device(live, source)
            test_groups(live, source)
            with block.Busy() if source.by_perf else contextlib.nullcontext():
                test_works(live, source)
                test_own(live, source)
                test_latencies(live, source)


main()
