#!/usr/bin/python3
"""iotrace leaks on a QEMU whose guest sends to a network that takes nothing: its device holds a transmit element until the guest resets it.
QEMU's own log and its monitor are the witnesses. QEMU takes a receive buffer only when a packet has come, and gives it back at once, so
none is in its hands, although the guest has posted them."""

import json
import re
import shutil
import socket
import subprocess
import sys
import threading
import os

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
import guest  # noqa: E402
from live import IOTRACE, Live, SOURCE, wait_until  # noqa: E402

MODULES = ("virtio", "virtio_ring", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci", "virtio_blk", "failover",
           "net_failover", "virtio_net")
# The disk says when the guest may go on.
STEPS = """\
while [ ! -b /dev/vda ]; do
	sleep 1
done
ip link set eth0 up
ip addr add 10.0.2.15/24 dev eth0
arp -s 10.0.2.2 52:55:0a:00:02:02
for i in 1 2 3 4 5; do
	ping -s 60000 10.0.2.2 >/dev/null &
done
while ! dd if=/dev/vda bs=512 count=1 iflag=direct 2>/dev/null | grep -q reset; do
	sleep 1
done
ip link set eth0 down
rmmod virtio_net
poweroff -f
"""
RECEIVE, TRANSMIT = 0, 1


class Monitor:
    """QEMU's monitor (QMP)."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = self.socket.makefile("rw", encoding="utf-8")
        self.file.readline()
        self.ask("qmp_capabilities")

    def ask(self, command, **arguments):
        self.file.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self.file.flush()
        while True:
            answer = json.loads(self.file.readline())
            if "event" not in answer:
                return answer["return"]

    def queue(self, number):
        path = next(device["path"] for device in self.ask("x-query-virtio") if device["name"] == "virtio-net")
        return self.ask("x-query-virtio-queue-status", path=path, queue=number)


def read_log(path):
    """Numbers of pops and fills, and the elements that are popped and not filled."""
    count, held = {"pop": 0, "fill": 0}, set()
    with open(path, encoding="ascii", errors="replace") as file:
        for what, pair in re.findall(r"virtqueue_(pop|fill) (vq 0x[0-9a-f]+ elem 0x[0-9a-f]+)", file.read()):
            count[what] += 1
            (held.add if what == "pop" else held.discard)(pair)
    return count["pop"], count["fill"], held


def deaf():
    """A network that takes little and reads nothing."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    return listener


def start(live, listener, log, monitor, found):
    with open(live.path("disk"), "wb") as file:
        file.truncate(1 << 20)
    image, archive = guest.make(live, MODULES, ("rmmod", "sleep", "dd", "ip", "arp", "ping", "grep", "poweroff"), STEPS)
    machine = [*guest.MACHINE, "-kernel", image, "-initrd", archive, "-append", guest.WORDS,
               "-drive", f"file={live.path('disk')},format=raw,if=virtio,cache=writethrough",
               "-netdev", f"socket,id=n,connect=127.0.0.1:{listener.getsockname()[1]}", "-device", "virtio-net-pci,netdev=n,romfile=",
               "-qmp", f"unix:{monitor},server=on,wait=off", "-trace", "virtqueue_pop", "-trace", "virtqueue_fill", "-D", log]
    return subprocess.Popen([IOTRACE, "leaks", f"--source={SOURCE}", "--span", "virtqueue", "--every", "500ms", "--older-than", "2s",
                             f"--json={found}", "--", *machine], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def follow(run, said):
    for line in run.stdout:
        said.append(line.decode(errors="replace"))


def told(said):
    """What the last answer of --every said: how many are open."""
    answers = re.findall(r"virtqueue: (\S+) of [0-9,]+ begun (?:has|have) been open", "".join(said))
    return answers[-1] if answers else None


def resets(live):
    log, monitor, found, said = live.path("net.log"), live.path("monitor"), live.path("net.json"), []
    listener = deaf()
    run = start(live, listener, log, monitor, found)
    reader = threading.Thread(target=follow, args=(run, said))
    reader.start()
    try:
        live.check(wait_until(lambda: os.path.exists(monitor)), "no monitor")
        ask = Monitor(monitor)
        sent = wait_until(lambda: ask.queue(TRANSMIT)["inuse"] == 1, 150)
        live.check(sent, f"no element of the network is held: {''.join(said)[-2000:]}")
        live.check(wait_until(lambda: told(said) == "1"), f"one element is open: {told(said)}")
        receive = ask.queue(RECEIVE)
        live.equal("receive buffers in the hands of QEMU", receive["inuse"], 0)
        live.equal("elements that QEMU holds by its log", len(read_log(log)[2]), 1)
        with open(live.path("disk"), "r+b") as file:
            file.write(b"reset\n")
        live.equal("status", run.wait(timeout=guest.SECONDS), 0)
    finally:
        run.poll() is None and run.kill()
        reader.join()
        listener.close()
    pops, fills, held = read_log(log)
    with open(found, encoding="utf-8") as file:
        numbers = json.load(file)
    # The reset takes the element away. Then the device gives it back, too.
    live.equal("by the log", held, set())
    live.equal("begun, ended and cancelled", (numbers["begun"], numbers["ended"], numbers["cancelled"]), (pops, fills - 1, 1))
    live.equal("leaks", (numbers["leaks"], numbers["died"], numbers["open"]), ([], 0, 0))


with Live() as test:
    if not shutil.which(guest.QEMU):
        test.lacks(guest.QEMU)
    else:
        resets(test)
