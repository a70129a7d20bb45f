#!/usr/bin/python3
"""iotrace stat --by virtiofs: what a virtiofsd serves for a guest in QEMU. The daemon's own log is the witness."""

import collections
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import guest  # noqa: E402
from live import CALMED, IOTRACE, Live, wait_until  # noqa: E402

DAEMON = "/usr/lib/qemu/virtiofsd"
MODULES = ("virtio", "virtio_ring", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci", "fuse", "virtiofs")
STEPS = """\
mkdir /shared
mount -t virtiofs host /shared
cat /shared/data >/dev/null
for i in 1 2 3 4 5 6 7 8 9 10; do
	echo "number $i" >/shared/new$i
done
ls -l /shared
rm /shared/new1
mkdir /shared/folder
cat /shared/none
echo the guest is done
read -r line </dev/ttyS0
umount /shared
poweroff -f
"""


def make_guest(live):
    return guest.make(live, MODULES, ("umount", "cat", "ls", "rm", "mkdir", "poweroff"), STEPS)


def machine(live, image, archive):
    return [*guest.MACHINE, "-net", "none", "-kernel", image,
            "-initrd", archive, "-append", guest.WORDS,
            "-object", "memory-backend-memfd,id=mem,size=256M,share=on", "-numa", "node,memdev=mem",
            "-chardev", f"socket,id=c,path={live.path('socket')}", "-device", "vhost-user-fs-pci,chardev=c,tag=host"]


def read_log(path):
    """The requests by opcode."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return collections.Counter(int(code) for code in re.findall(r"opcode: \S+ \((\d+)\)", file.read()))


def code_of(name):
    return int(re.sub(r"\D", "", name.rsplit("(", 1)[-1]))


def served(live, image, archive):
    """Every request by opcode as the daemon logs it."""
    shared, log = live.path("shared"), live.path("log")
    os.mkdir(shared)
    with open(os.path.join(shared, "data"), "wb") as file:
        file.write(b"x" * 300000)
    with contextlib.ExitStack() as stack:
        said = stack.enter_context(open(log, "wb"))
        daemon = subprocess.Popen([DAEMON, f"--socket-path={live.path('socket')}", "-o", f"source={shared}", "-o", "sandbox=chroot", "-d"],
                                  stdout=said, stderr=said, env=CALMED)
        stack.callback(daemon.wait)
        stack.callback(daemon.kill)
        wait_until(lambda: os.path.exists(live.path("socket")), 20)
        ready, gives = os.pipe()
        stat = subprocess.Popen([IOTRACE, "stat", "-a", "--by", "virtiofs", "-i", "0.2", f"--ready-fd={gives}", f"--json={live.path('json')}"],
                                pass_fds=[gives], env=CALMED, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        os.close(gives)
        with os.fdopen(ready, "rb") as file:
            if not live.equal("ready", file.readline(), b"ready\n"):
                print(stat.communicate()[1].decode(errors="replace"))
                return
        emulator = subprocess.Popen(machine(live, image, archive), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text = b""
        while b"the guest is done" not in text:
            line = emulator.stdout.readline()
            if not line:
                break
            text += line
        if not live.check(b"the guest is done" in text, "the guest did not come to its end"):
            print(text.decode(errors="replace")[-3000:])
        emulator.communicate(b"go\n", timeout=guest.SECONDS)
        daemon.wait(guest.SECONDS)  # it ends with its machine
        time.sleep(0.5)
        stat.send_signal(signal.SIGINT)
        stat.communicate()
    with open(live.path("json"), encoding="utf-8") as file:
        last = [json.loads(line) for line in file][-1]
    mine = {code_of(row["name"]): row["ops_total"] for row in last["rows"] if row["ops_total"]}
    logged = read_log(log)
    live.equal("requests by opcode", mine, dict(logged))
    live.check(sum(logged.values()) > 50 and logged[35] >= 10, f"what the guest did: {logged}")
    names = {row["name"] for row in last["rows"]}
    live.check({"READ(15)", "CREATE(35)", "INIT(26)"} <= names, f"{names}")
    live.check(all(row["svctm_us"] >= 0 and row["inflight"] == 0 for row in last["rows"]), f"{last['rows']}")


def absent(live):
    """Nobody serves, and one whose program has no such function."""
    ran = live.run([IOTRACE, "stat", "-a", "--by", "virtiofs", "-n", "1"])
    live.equal("no daemon", (ran.returncode, b"no virtiofsd runs on this machine" in ran.stderr), (125, True))
    shutil.copy("/bin/sleep", live.path("virtiofsd"))
    other = subprocess.Popen([live.path("virtiofsd"), "60"])
    wait_until(lambda: os.readlink(f"/proc/{other.pid}/exe").endswith("virtiofsd"), 5)
    ran = live.run([IOTRACE, "stat", "-a", "--by", "virtiofs", "-n", "1"])
    other.kill()
    other.wait()
    live.equal("another program", (ran.returncode, b"has none of the functions" in b" ".join(ran.stderr.split())), (125, True))


with Live() as test:
    if not shutil.which(guest.QEMU) or not os.path.exists(DAEMON):
        test.lacks("QEMU with virtiofsd")
    else:
        absent(test)
        served(test, *make_guest(test))
