#!/usr/bin/python3
"""iotrace leaks and latency on real QEMU: virtqueue elements in the hands of its devices. QEMU's own log is the witness."""

import collections
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import guest  # noqa: E402
from live import IOTRACE, Live, SOURCE, wait_until  # noqa: E402

MODULES = ("virtio", "virtio_ring", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci", "virtio_blk", "failover",
           "net_failover", "virtio_net", "virtio_balloon")
READS = 300
# The balloon gives the device an element that it keeps, until the module is removed: that resets the device.
STEPS = f"""\
while [ ! -b /dev/vda ]; do
	sleep 1
done
if grep -q slow /proc/cmdline; then
	for i in 1 2 3 4 5 6 7 8; do
		dd if=/dev/vda of=/dev/null bs=4k count=100 skip=$((i * 100)) iflag=direct 2>/dev/null &
	done
	echo the guest reads
	while true; do
		sleep 100
	done
fi
dd if=/dev/vda of=/dev/null bs=4k count={READS} iflag=direct 2>/dev/null
ip link set eth0 up
ip addr add 10.0.2.15/24 dev eth0
ping -c 3 -W 60 10.0.2.2
rmmod virtio_balloon
sync
poweroff -f
"""


def make_guest(live):
    with open(live.path("disk"), "wb") as file:
        file.truncate(16 << 20)
    return guest.make(live, MODULES, ("rmmod", "sleep", "dd", "ip", "ping", "sync", "poweroff", "grep"), STEPS)


def machine(live, image, archive, log, words="", drive=""):
    return [*guest.MACHINE, "-kernel", image, "-initrd", archive,
            "-append", f"{guest.WORDS} {words}",
            "-drive", f"file={live.path('disk')},format=raw,if=virtio,cache=unsafe{drive}",
            "-netdev", "user,id=n", "-device", "virtio-net-pci,netdev=n,romfile=", "-device", "virtio-balloon-pci",
            "-trace", "virtqueue_pop", "-trace", "virtqueue_fill", "-D", log]


def read_log(path):
    """Pops and fills of each queue, and what was popped and not filled: {(queue, element)}."""
    pops, fills, held = collections.Counter(), collections.Counter(), collections.Counter()
    with open(path, encoding="ascii", errors="replace") as file:
        for line in file:
            match = re.search(r"virtqueue_(pop|fill) vq (0x[0-9a-f]+) elem (0x[0-9a-f]+)", line)
            if not match:
                continue
            what, queue, element = match.groups()
            (pops if what == "pop" else fills)[queue] += 1
            held[queue, element] += 1 if what == "pop" else -1
    return pops, fills, {pair for pair, count in held.items() if count}


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def clean(live, image, archive):
    """All that devices took they gave back, but for the element that a reset took away from the balloon."""
    log, found = live.path("clean.log"), live.path("clean.json")
    ran = live.run([IOTRACE, "latency", f"--source={SOURCE}", "--span", "virtqueue", "--top", "100", f"--json={found}", "--",
                    *machine(live, image, archive, log)], timeout=guest.SECONDS, stdin=subprocess.DEVNULL)
    if not live.equal("clean: status", ran.returncode, 0):
        print(ran.stdout.decode(errors="replace")[-3000:], ran.stderr.decode(errors="replace")[-3000:])
    pops, fills, held = read_log(log)
    told = read_json(found)
    book = told["books"]["spans"][0]
    live.equal("by the kernel", book["counted_in_kernel"], SOURCE == "bpf")
    live.equal("ends of each queue", {row["group"]: row["count"] for row in told["spans"]}, dict(fills))
    live.equal("elements that were popped", book["begun"], sum(pops.values()))
    live.equal("elements that were filled", book["ended"], sum(fills.values()))
    live.equal("elements that a reset took away", book["cancelled"], len(held))
    live.check(held, "the balloon's device kept nothing")
    live.equal("leaks", [book[fate] for fate in ("left", "open", "died", "begun_again", "lost")], [0] * 5)
    live.check(max(fills.values()) >= READS, f"{READS} reads: {fills}")
    live.check(len(fills) >= 3, f"disk, and both ways of the network: {fills}")


def killed(live, image, archive):
    """What is in flight when QEMU is killed died; it did not leak."""
    log, found = live.path("killed.log"), live.path("killed.json")
    command = machine(live, image, archive, log, "slow", ",throttling.iops-total=1")
    run = subprocess.Popen([IOTRACE, "leaks", "--span", "virtqueue", f"--json={found}", "--", *command], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    said = b""
    while b"the guest reads" not in said:
        line = run.stdout.readline()
        if not line:
            break
        said += line
    if not live.check(b"the guest reads" in said, f"killed: the guest did not come up: {said[-2000:]!r}"):
        run.kill()
        run.wait()
        return
    with open(f"/proc/{run.pid}/task/{run.pid}/children", encoding="ascii") as file:
        pids = [int(pid) for pid in file.read().split()]
    qemu = next(pid for pid in pids if os.readlink(f"/proc/{pid}/exe").endswith(guest.QEMU))
    live.check(wait_until(lambda: len(read_log(log)[2]) > 4), "killed: no requests in flight")
    os.kill(qemu, 9)
    live.equal("killed: status", run.wait(), 137)
    pops, fills, held = read_log(log)
    told = read_json(found)
    live.equal("killed: leaks", told["leaks"], [])
    live.equal("killed: popped, filled and in flight", (told["begun"], told["ended"] + told["cancelled"], told["died"]),
               (sum(pops.values()), sum(fills.values()), len(held)))


with Live() as test:
    if not shutil.which(guest.QEMU):
        test.lacks(guest.QEMU)
    else:
        guest_of = make_guest(test)
        for each in (clean, killed):
            each(test, *guest_of)
