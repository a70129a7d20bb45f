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
from live import CALMED, IOTRACE, Live, SOURCE, wait_until  # noqa: E402

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


# It writes until it is read from.
ENDLESS = """\
mkdir /shared
mount -t virtiofs host /shared
echo the guest writes
while :; do dd if=/dev/zero of=/shared/file bs=16384 count=8 conv=fsync 2>/dev/null; done
"""
APPLETS = ("umount", "cat", "ls", "rm", "mkdir", "poweroff", "dd")
TRIES = 3000
# A thread of the daemon is in these calls only while it serves a request: fsync, pwrite64, pwritev, openat.
CALLS_OF_REQUESTS = {"x86_64": {"74", "18", "296", "257"}, "aarch64": {"82", "68", "70", "56"}}[os.uname().machine]


def make_guest(live, steps):
    return guest.make(live, MODULES, APPLETS, steps)


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


def start_daemon(live, stack, log):
    """Returns the daemon of a directory with a file, which logs each request."""
    shared = live.made("shared")
    with open(os.path.join(shared, "data"), "wb") as file:
        file.write(b"x" * 300000)
    said = stack.enter_context(open(log, "wb"))
    daemon = subprocess.Popen([DAEMON, f"--socket-path={live.path('socket')}", "-o", f"source={shared}", "-o", "sandbox=chroot", "-d"],
                              stdout=said, stderr=said, env=CALMED)
    stack.callback(daemon.wait)
    stack.callback(daemon.kill)
    wait_until(lambda: os.path.exists(live.path("socket")), 20)
    return daemon


def start_stat(live, *words):
    """Returns iotrace stat, which records; or None."""
    ready, gives = os.pipe()
    stat = subprocess.Popen([IOTRACE, "stat", "-a", "--by", "virtiofs", "-i", "0.2", f"--ready-fd={gives}", f"--json={live.path('json')}", *words],
                            pass_fds=[gives], env=CALMED, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    os.close(gives)
    with os.fdopen(ready, "rb") as file:
        if live.equal("ready", file.readline(), b"ready\n"):
            return stat
    print(stat.communicate()[1].decode(errors="replace"))
    return None


def frames(live):
    with open(live.path("json"), encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def says(live, emulator, words):
    """Waits until the guest says these words."""
    text = b""
    while words not in text:
        line = emulator.stdout.readline()
        if not line:
            break
        text += line
    if not live.check(words in text, f"the guest did not say {words}"):
        print(text.decode(errors="replace")[-3000:])


def served(live):
    """Every request by opcode as the daemon logs it."""
    image, archive = make_guest(live, STEPS)
    log = live.path("log")
    with contextlib.ExitStack() as stack:
        daemon = start_daemon(live, stack, log)
        stat = start_stat(live, "-v")
        if not stat:
            return
        emulator = subprocess.Popen(machine(live, image, archive), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        says(live, emulator, b"the guest is done")
        emulator.communicate(b"go\n", timeout=guest.SECONDS)
        daemon.wait(guest.SECONDS)  # it ends with its machine
        time.sleep(0.5)
        stat.send_signal(signal.SIGINT)
        said = stat.communicate()[1].decode()
    live.equal("counted", "span 'virtiofs' is counted in the kernel" in said, SOURCE == "bpf")
    last = frames(live)[-1]
    mine = {code_of(row["name"]): row["ops_total"] for row in last["rows"] if row["ops_total"]}
    logged = read_log(log)
    live.equal("requests by opcode", mine, dict(logged))
    live.check(sum(logged.values()) > 50 and logged[35] >= 10, f"what the guest did: {logged}")
    names = {row["name"] for row in last["rows"]}
    live.check({"READ(15)", "CREATE(35)", "INIT(26)"} <= names, f"{names}")
    live.check(all(row["svctm_us"] >= 0 and row["inflight"] == 0 for row in last["rows"]), f"{last['rows']}")


def hung_rows(frame):
    return [row for row in frame["rows"] if row["hang"]]


def calls_of(daemon):
    """The numbers of the calls in which its threads were stopped."""
    for thread in os.listdir(f"/proc/{daemon.pid}/task"):
        with open(f"/proc/{daemon.pid}/task/{thread}/syscall", encoding="ascii") as file:
            yield file.read().split()[0]


def stopped(live, daemon):
    """Stops the daemon until it was in the middle of a request. Returns the frame that says so, or None."""
    for number in range(TRIES):
        daemon.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, daemon.pid, os.WSTOPPED)
        if CALLS_OF_REQUESTS.intersection(calls_of(daemon)):
            wait_until(lambda: hung_rows(frames(live)[-1]), 3)
            frame = frames(live)[-1]
            if hung_rows(frame):
                return frame
        daemon.send_signal(signal.SIGCONT)
        time.sleep(number % 100 / 10000)
    return None


def hang(live):
    """A daemon that is stopped in the middle of a request is a hang, with its thread, until it goes on."""
    image, archive = make_guest(live, ENDLESS)
    with contextlib.ExitStack() as stack:
        daemon = start_daemon(live, stack, "/dev/null")
        stat = start_stat(live, "--hang", "1s")
        if not stat:
            return
        emulator = stack.enter_context(subprocess.Popen(machine(live, image, archive), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                                        stderr=subprocess.STDOUT))
        stack.callback(emulator.kill)
        says(live, emulator, b"the guest writes")
        live.check(wait_until(lambda: any(row["ops_per_s"] for row in frames(live)[-1]["rows"]), 20), "nothing is served")
        frame = stopped(live, daemon)
        if live.check(frame, "the daemon was never stopped in a request"):
            row = hung_rows(frame)[0]
            live.equal("its row", (len(hung_rows(frame)), row["inflight"], row["ops_per_s"], round(row["util_percent"])), (1, 1, 0, 100))
            live.check(1 <= row["oldest_s"] < 3, f"its age: {row}")
            live.equal("who", [(one["pid"], one["name"]) for one in frame["hangs"]], [(daemon.pid, row["name"])])
        before = frames(live)[-1]["total"]["ops_total"]
        daemon.send_signal(signal.SIGCONT)
        live.check(wait_until(lambda: frames(live)[-1]["total"]["ops_total"] > before and not hung_rows(frames(live)[-1]), 20), "it goes on")
        stat.send_signal(signal.SIGINT)
        stat.communicate()
        live.equal("status", stat.returncode, 3)


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


TESTS = (absent, served, hang)

with Live() as test:
    if not shutil.which(guest.QEMU) or not os.path.exists(DAEMON):
        test.lacks("QEMU with virtiofsd")
    else:
        top = test.dir
        for each in [one for one in TESTS if one.__name__ in sys.argv[1:]] or TESTS:
            test.dir = os.path.join(top, each.__name__)
            os.mkdir(test.dir)
            each(test)
        test.dir = top
