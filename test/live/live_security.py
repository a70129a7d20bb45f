#!/usr/bin/python3
"""What SECURITY in iotrace(1) says: who may record and see what, and who may read what iotrace writes."""

import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from live import IOTRACE, Live  # noqa: E402

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
WITH = ("kmem:kmalloc=ptr", "kmem:kmalloc=bytes_req", "kmem:kmalloc", "timer:timer_start=flags", "io_uring:io_uring_create")
WITHOUT = ("sched:sched_process_exec=pid", "syscalls:sys_enter_openat=filename")


def test_addresses(live, program, home):
    for i, event in enumerate(WITH):
        ran = live.run([*NOBODY, program, "-e", event, "-o", f"{home}/no.{i}", "--", "echo", "ran"])
        live.equal(f"{event}: exit status", ran.returncode, 125)
        live.equal(f"{event}: the command's output", ran.stdout, b"")
        live.check(b"addresses in the kernel" in ran.stderr, f"{event}: {ran.stderr!r}")
        live.record(live.path(f"root.{i}"), ["true"], "-q", "-e", event)
    for i, event in enumerate(WITHOUT):
        ran = live.run([*NOBODY, program, "-q", "-e", event, "-o", f"{home}/yes.{i}", "--", "echo", "ran"])
        live.equal(f"{event}: exit status", (ran.returncode, ran.stderr), (0, b""))


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
    test_modes(live, program, home)
    test_rights(live, program, home)


with Live() as test:
    main(test)
