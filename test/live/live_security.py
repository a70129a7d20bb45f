#!/usr/bin/python3
"""What SECURITY in iotrace(1) says: who may record and see what, and who may read what iotrace writes."""

import os
import re
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from live import IOTRACE, Live, workload  # noqa: E402

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
WITH = ("kmem:kmalloc=ptr", "kmem:kmalloc=bytes_req", "kmem:kmalloc", "timer:timer_start=flags", "io_uring:io_uring_create")
WITHOUT = ("sched:sched_process_exec=pid", "syscalls:sys_enter_openat=filename")


def test_addresses(live, program, home):
    for i, event in enumerate(WITH):
        ran = live.run([*NOBODY, program, "-e", event, "-o", f"{home}/no.{i}", "--", "echo", "ran"])
        live.equal(f"{event}: exit status", ran.returncode, 125)
        live.equal(f"{event}: the command's output", ran.stdout, b"")
        live.check(b"kernel addresses" in ran.stderr, f"{event}: {ran.stderr!r}")
        live.record(live.path(f"root.{i}"), ["true"], "-q", "-e", event)
    for i, event in enumerate(WITHOUT):
        ran = live.run([*NOBODY, program, "-q", "-e", event, "-o", f"{home}/yes.{i}", "--", "echo", "ran"])
        live.equal(f"{event}: exit status", (ran.returncode, ran.stderr), (0, b""))


def identities(path):
    """Returns what block requests and those of io_uring are called in a capture: iotrace-capture(5) has the layout."""
    found = set()
    with open(path, "rb") as file:
        data = file.read()
    at, size = struct.unpack_from("=QQ", data, 40)
    end = at + size
    while at < end:
        kind, length, event = struct.unpack_from("=I2xHQ", data, at)
        record = at + 52
        of = struct.unpack_from("=H", data, record)[0] if (kind, event) == (9, (1 << 62) + 1) else 0
        if of == 5:
            found.add(struct.unpack_from("=Q", data, record + 64)[0])
        elif of == 6:
            found.update(struct.unpack_from("=QQ", data, record + 32))
        at += length
    return found - {0}


# Some kernels do not deliver the end of each block request.
UNDELIVERED = re.compile(rb"^iotrace: incomplete: [\d,]+ of [\d,]+ events (?:is|are) missing \(the kernel did not deliver (?:it|them)\)\.\n$")


def test_ids(live, program, home):
    """What identifies a request is its address for root, and an id for who has the rights of the file."""
    folder = f"{home}/uring"
    uring = live.for_all(workload("uring"))
    for who, name in (((), "root"), (NOBODY, "file")):
        live.run([*who, "mkdir", "-m", "777", f"{folder}.{name}"])
        out = f"{home}/ids.{name}"
        with open(f"{folder}.{name}/written", "wb") as file:
            file.write(b"x" * 65536)  # reaches a disk, if there is one, while it is recorded
        ran = live.run([*who, program, "-a", "--block=all", "--source=bpf", "-q", "-o", out, "--capture", f"{out}.capture", "--",
                        "sh", "-c", 'sync -f "$2/written"; exec "$1" "$2"', "sh", uring, f"{folder}.{name}"])
        live.equal(f"ids, {name}: exit status", (ran.returncode, UNDELIVERED.sub(b"", ran.stderr)), (0, b""))
        found = identities(f"{out}.capture")
        addresses = {hex(number) for number in found if number >> 48 == 0xffff}
        live.check(len(found) > 4, f"ids, {name}: {len(found)} are too few")
        # One id in 65,536 looks like an address, and there are thousands.
        is_right = len(addresses) * 100 <= len(found) if who else len(addresses) == len(found)
        live.check(is_right, f"ids, {name}: {len(addresses)} of {len(found)} are addresses")
        about = live.examine(out, lossless=False)
        live.check(about["books"]["counters"]["begun"] > 1600, f"ids, {name}: operations: {about['books']['counters']}")
    ran = live.run([*NOBODY, program, "--source=perf", "--syscalls=+uring", "-o", f"{home}/no.uring", "--", "echo", "ran"])
    live.equal("uring through perf: exit status", (ran.returncode, ran.stdout), (125, b""))
    live.check(b"kernel addresses" in ran.stderr, f"uring through perf: {ran.stderr!r}")
    lock = "import fcntl; fcntl.lockf(open('/etc/passwd', 'rb'), fcntl.LOCK_SH)"
    for who, name in (((), "root"), (NOBODY, "file")):
        out = f"{home}/lock.{name}"
        ran = live.run([*who, program, "-q", "--source=perf", "-o", out, "--capture", f"{out}.capture", "--",
                        sys.executable, "-c", lock])
        live.equal(f"lock through perf, {name}: exit status", ran.returncode, 0)
        with open(f"{out}.capture", "rb") as file:
            live.equal(f"lock through perf, {name}: its address", b"filelock:fcntl_setlk" in file.read(), not who)


def modes(path):
    """Of all that is there, as octal digits."""
    found = {oct(os.lstat(path).st_mode & 0o777)}
    for top, directories, files in os.walk(path):
        found |= {oct(os.lstat(os.path.join(top, name)).st_mode & 0o777) for name in directories + files}
    return sorted(found)


def test_modes(live, program, home):
    """(who, options, modes of the archive, its directories and the capture)"""
    rows = (((), (), ["0o644", "0o755"]), ((), ("-a",), ["0o600", "0o700"]), (NOBODY, (), ["0o600", "0o700"]),
            (NOBODY, ("-a",), ["0o600", "0o700"]), (NOBODY, ("-a", "--mode=640"), ["0o640", "0o750"]))
    for i, (who, options, expected) in enumerate(rows):
        for more in ((), ("--format=text",)):
            out = f"{home}/modes.{i}{len(more)}"
            ran = live.run([*who, program, "-q", *options, *more, "-o", out, "--capture", f"{out}.capture", "--", "ls", "-lan", home],
                           preexec_fn=lambda: os.umask(0o022))
            live.equal(f"{who} {options}: exit status", ran.returncode, 0)
            live.equal(f"{who} {options} {more}: modes", modes(out), expected[:1] if more else expected)
            live.equal(f"{who} {options}: mode of the capture", modes(f"{out}.capture"),
                       expected[:1] if "--mode=640" in options else ["0o600"])
            work = [line for line in ran.stdout.decode().splitlines() if ".iotrace" in line]
            live.check(work and all(line.startswith("drwx------") for line in work), f"{who}: work directory: {work}")


def test_rights(live, program, home):
    """An ordinary user may record nothing of others; nobody's command has a capability of the program."""
    ran = live.run([*NOBODY, "--bounding-set=-all", IOTRACE, "-a", "-o", f"{home}/none", "--", "true"])
    live.equal("-a without rights: exit status", ran.returncode, 125)
    ran = live.run([*NOBODY, program, "-q", "-o", f"{home}/caps", "--", "grep", "Cap[IPEA]", "/proc/self/status"])
    live.equal("capabilities of the command", {line.split()[1] for line in ran.stdout.decode().splitlines()}, {"0" * 16})
    ran = live.run([*NOBODY, program, "-q", "-o", "/etc/iotrace-live", "--", "true"])
    live.equal("a directory of root: exit status", ran.returncode, 125)
    ran = live.run([*NOBODY, program, "convert", live.path("secret"), "-o", f"{home}/stolen"])
    live.check(ran.returncode == 125 and b"Permission denied" in ran.stderr, f"a file of root is converted: {ran.stderr!r}")


def main(live):
    os.chmod(live.dir, 0o755)
    program, home = live.path("iotrace"), live.made("home")
    os.chmod(home, 0o777)
    shutil.copy(IOTRACE, program)
    subprocess.run(["setcap", "cap_bpf,cap_perfmon,cap_dac_read_search,cap_sys_nice+ep", program], check=True)
    live.record(live.path("by-root"), ["true"], "-q", "--capture", live.path("secret"))
    test_addresses(live, program, home)
    test_ids(live, program, home)
    test_modes(live, program, home)
    test_rights(live, program, home)


with Live() as test:
    main(test)
