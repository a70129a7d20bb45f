#!/usr/bin/python3
"""iotrace daemon live: what a user without rights reads, against the kernel's own numbers, while it is killed, and on a full disk."""

import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request

from prometheus_client import openmetrics, parser
import prometheus_client.openmetrics.parser  # noqa: F401

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import block  # noqa: E402
from fuse import RawFuse, has_fuse, waiting_request  # noqa: E402
from live import CALMED, IOTRACE, Live, SOURCE, together, wait_until  # noqa: E402

NOBODY = ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups", "--inh-caps=-all"]


class Daemon:
    """`with Daemon(live) as daemon:` A daemon that publishes in a directory of its own every 100 ms."""

    def __init__(self, live, *words, directory=None, interval="100ms", waits=True, wrapper=(), **env):
        self.live = live
        self.directory = directory or live.path("run")
        self.messages = live.path("messages")
        os.chmod(live.dir, 0o755)
        with open(self.messages, "ab") as out:
            self.process = subprocess.Popen([*wrapper, IOTRACE, "daemon", "--directory", self.directory, "-i", interval, *words], env=dict(CALMED, **env),
                                            stdin=subprocess.DEVNULL, stderr=out)
        if waits:
            live.check(wait_until(self.is_ready), f"the daemon publishes: {self.said()}")

    def is_ready(self):
        """Whether it has published an interval."""
        with contextlib.suppress(OSError), open(os.path.join(self.directory, "stat"), "rb") as file:
            head = file.read(136)
            return struct.unpack_from("<I", head, 32)[0] == self.process.pid and struct.unpack_from("<Q", head, 128)[0] > 0
        return False

    def children(self):
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as file:
            return [int(pid) for pid in file.read().split()]

    def said(self):
        with open(self.messages, encoding="utf-8") as file:
            return " ".join(file.read().split())

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            if not self.live.equal("the daemon ends", self.end(), 0):
                print(self.said())


def totals(live, daemon, by, wrapper=NOBODY):
    """The rows of a view by name, with sums since the daemon began, as a user without rights reads them."""
    iotrace = live.for_all(IOTRACE)
    time.sleep(0.3)  # what was done is in the next interval
    ran = live.run([*wrapper, iotrace, "stat", f"--daemon={daemon.directory}", "--by", by, "--json", "-n", "1", "-i", "200ms"])
    if not live.equal(f"{by}: status", ran.returncode, 0):
        print(ran.stderr.decode(errors="replace"))
        return {}
    return {row["name"]: row for row in json.loads(ran.stdout)["rows"]}


def change(before, after, name, key):
    return after.get(name, {}).get(key, 0) - before.get(name, {}).get(key, 0)


def device(live):
    """As many requests and bytes as the kernel counts for the device."""
    with Daemon(live) as daemon, block.Disk(live.path("image"), 64 << 20) as disk:
        before, kernel = totals(live, daemon, "device"), block.stat(disk.name)
        work = f"dd if=/dev/zero of={disk.path} bs=64k count=200 oflag=direct; dd if={disk.path} of=/dev/null bs=16k count=300 iflag=direct"
        subprocess.run(["sh", "-c", work], check=True, stderr=subprocess.DEVNULL)
        after = totals(live, daemon, "device")
        with open(f"/sys/block/{disk.name}/stat", encoding="ascii") as file:
            reads, _, read, _, writes, _, written, *_, flushes, _ = [int(b) - a for a, b in zip(sys_stat(kernel), file.read().split())]
        live.equal("requests", change(before, after, disk.name, "ops_total"), reads + writes + flushes)
        live.equal("read", change(before, after, disk.name, "read_bytes_total"), read * 512)
        live.equal("written", change(before, after, disk.name, "written_bytes_total"), written * 512)
        live.check(read == 300 * 32 and written == 200 * 128, f"what dd did: {read} {written}")


def sys_stat(kernel):
    return list(kernel.values()) if isinstance(kernel, dict) else list(kernel)


CALLS = """
import os
os.chdir("%s")
fd = os.open("data", os.O_CREAT | os.O_RDWR)
for i in range(300): os.pwrite(fd, b"x" * 4096, i * 4096)
for i in range(200): os.pread(fd, 1000, 0)
for i in range(7): os.fsync(fd)
for i in range(50): os.fchmod(fd, 0o600)
pipe = os.pipe()
for i in range(1000): os.write(pipe[1], b"y"); os.read(pipe[0], 1)
for i in range(20):
    try: os.pread(fd, 1, -1)
    except OSError: pass
for i in range(30):
    try: os.stat("none")
    except OSError: pass
os.close(fd)
"""


def file_system(live):
    """Calls on files of a file system, by its mount point; those on pipes are of none."""
    if SOURCE != "bpf":
        return
    place = live.made("mounted here")
    subprocess.run(["mount", "-t", "tmpfs", "none", place], check=True)
    metrics = live.path("metrics.prom")
    try:
        with Daemon(live, "--metrics-file", metrics) as daemon:
            before = totals(live, daemon, "fs")
            subprocess.run([sys.executable, "-S", "-c", CALLS % place], check=True)
            after = totals(live, daemon, "fs")
            live.equal("operations", change(before, after, place, "ops_total"), 1 + 300 + 200 + 7 + 50 + 20 + 1)
            live.equal("read", change(before, after, place, "read_bytes_total"), 200 * 1000)
            live.equal("written", change(before, after, place, "written_bytes_total"), 300 * 4096)
            live.equal("errors", change(before, after, place, "errors_total"), 20)
            live.check(change(before, after, "(by path)", "errors_total") >= 30, "stat() of no file")
            counts = metric_values(metrics, "iotrace_operation_duration_seconds_count", fs=place)
            for operation, count in {"open": 1, "write": 300, "read": 220, "sync": 7, "meta": 50, "close": 1}.items():
                live.equal(operation, counts.get(operation, 0), count)
            errors = metric_values(metrics, "iotrace_errors_total", key="errno")
            live.check(errors.get("EINVAL", 0) >= 20 and errors.get("ENOENT", 0) >= 30, f"{errors}")
    finally:
        subprocess.run(["umount", "-l", place], check=False)


def metric_values(path, name, key="operation", **labels):
    """The samples of a metric by one of their labels."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith(f"{name}{{") and all(f'{word}="{value}"' in line for word, value in labels.items()):
                found[line.split(f'{key}="')[1].split('"')[0]] = float(line.split()[-1])
    return found


def fuse(live):
    """Requests to a FUSE file system, as it counted them itself; one that hangs is in flight."""
    with RawFuse(live) as server:
        if not has_fuse(live, server):
            return
        with Daemon(live) as daemon:
            before = totals(live, daemon, "fuse")
            live.equal("it has had no request", before.get(server.place, {}).get("ops_total"), 0)
            table = live.run([*NOBODY, live.for_all(IOTRACE), "stat", f"--daemon={daemon.directory}", "--by", "fuse", "-n", "1", "-i", "200ms"])
            live.check(f" {server.place} " in table.stdout.decode(), f"the table: {table.stdout.decode()}")
            server.asked()
            subprocess.run(["dd", f"if={server.place}/data", "of=/dev/null", "bs=10000", "count=50"], check=True, stderr=subprocess.DEVNULL)
            after = totals(live, daemon, "fuse")
            asked = server.asked()
            live.equal("requests", change(before, after, server.place, "ops_total"), sum(asked["count"].values()))
            live.equal("read", change(before, after, server.place, "read_bytes_total"), asked["read"])
            reader = subprocess.Popen(["cat", f"{server.place}/hang"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            live.check(wait_until(lambda: totals(live, daemon, "fuse").get(server.place, {}).get("inflight", 0) == 1), "it is in flight")
            live.check(totals(live, daemon, "fuse")[server.place]["oldest_s"] > 0.1, "it becomes older")
            server.asked("answer")
            reader.wait()


def everything(live):
    """All views are one table, as nobody, without an option that names the daemon, and without names that are not for all."""
    secret = live.path("secret-file-name")
    with Daemon(live) as daemon:
        subprocess.run(["sh", "-c", f"cp /bin/sleep {live.dir}/secretcommand; for i in 1 2 3; do dd if=/dev/zero of={secret} bs=64k count=99; done; "
                        f"{live.dir}/secretcommand 0.3"], check=True, stderr=subprocess.DEVNULL)
        iotrace = live.for_all(IOTRACE)
        ran = live.run([*NOBODY, iotrace, "stat", f"--daemon={daemon.directory}", "-n", "2", "-i", "200ms", "--batch"])
        live.equal("status", (ran.returncode, ran.stderr), (0, b""))
        live.check(b"\n fs " in ran.stdout and b"TOTAL" not in ran.stdout, ran.stdout.decode())
        for name in ("stat", "history"):
            with open(os.path.join(daemon.directory, name), "rb") as file:
                live.check(b"secret" not in file.read(), f"{name} has the name of a file or a command")
        ran = live.run([*NOBODY, iotrace, "stat", f"--daemon={daemon.directory}", "--csv", "-n", "1", "-i", "200ms"])
        live.equal("csv", (ran.returncode, ran.stdout.split(b",")[0]), (0, b"time_ns"))
        live.check(wait_until(lambda: live.run([*NOBODY, iotrace, "stat", f"--daemon={daemon.directory}", "--since", "-10min", "--json"])
                              .stdout.count(b"\n") >= 2), "the history has steps")
        ran = live.run([*NOBODY, iotrace, "stat", f"--daemon={daemon.directory}", "--since", "-10min", "--json"])
        steps = [json.loads(line) for line in ran.stdout.splitlines()]
        live.check(all(0.9 < step["interval_s"] < 3 for step in steps), f"{[step['interval_s'] for step in steps]}")
        written = sum(row["written_bytes_per_s"] * step["interval_s"] for step in steps for row in step["rows"] if row["name"].startswith("fs "))
        live.check(written >= 3 * 99 * 65536, f"the history has what was written: {written}")
        ran = live.run([IOTRACE, "daemon", "--directory", daemon.directory])
        live.equal("a second one", (ran.returncode, f"another iotrace daemon (process {daemon.process.pid}) publishes in".encode() in ran.stderr),
                   (125, True))


def killed(live):
    """It is killed under load and started again; the process that counts is killed: a reader says so and goes on."""
    load = subprocess.Popen(["sh", "-c", f"while :; do dd if=/dev/zero of={live.dir}/load bs=4k count=500; done"], stderr=subprocess.DEVNULL)
    reader = None
    try:
        daemon = Daemon(live)
        said = open(live.path("reader"), "w+b")
        reader = subprocess.Popen([*NOBODY, live.for_all(IOTRACE), "stat", f"--daemon={daemon.directory}", "-i", "200ms", "--json"], env=CALMED,
                                  stdout=open(live.path("frames"), "wb"), stderr=said)
        count = lambda: open(live.path("frames"), "rb").read().count(b"\n")  # noqa: E731
        heard = lambda: " ".join(open(live.path("reader"), encoding="utf-8").read().split())  # noqa: E731
        live.check(wait_until(lambda: count() >= 3), "frames come")
        counting = daemon.children()[0]
        os.kill(counting, signal.SIGKILL)
        live.check(wait_until(lambda: "the process that counts has ended (status 137); the next one begins in 1 s" in daemon.said()),
                   daemon.said())
        before = count()
        live.check(wait_until(lambda: count() >= before + 3), "frames go on with another process")
        live.check(daemon.children() and daemon.children()[0] != counting, "it is another one")
        daemon.end(signal.SIGKILL)
        live.check(wait_until(lambda: "has published nothing for" in heard()), heard())
        live.check(wait_until(lambda: not os.path.exists(f"/proc/{counting}")), "nobody counts")
        since = [*NOBODY, live.path("iotrace"), "stat", f"--daemon={daemon.directory}", "--json", "--since", "1h"]
        live.check(wait_until(lambda: b"has published nothing" in live.run(since).stderr), "a new reader says it, too")
        before = count()
        with Daemon(live) as second:
            live.check(wait_until(lambda: f"another iotrace daemon (process {second.process.pid}" in heard()), heard())
            live.check(wait_until(lambda: count() >= before + 3), "frames go on")
        live.check(wait_until(lambda: f"(process {second.process.pid}) has stopped" in heard()), heard())
        live.equal("the reader goes on", reader.poll(), None)
        for line in open(live.path("frames"), "rb").read().splitlines():
            json.loads(line)
        live.equal("what is left", sorted(os.listdir(second.directory)), ["history", "lock", "stat"])
    finally:
        load.kill()
        if reader:
            reader.kill()
            reader.wait()


def gone(live):
    """It has ended before somebody looks. Who may follow the whole machine follows it; all others get its last numbers, and -n ends."""
    iotrace = live.for_all(IOTRACE)
    here = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /run && mkdir /run/iotrace && mount --bind "$0" /run/iotrace && exec "$@"']
    for number, word in ((signal.SIGTERM, "has stopped"), (signal.SIGKILL, "was killed")):
        daemon = Daemon(live)
        live.check(wait_until(lambda daemon=daemon: len(totals(live, daemon, "fs")) > 0), "it counts")
        counting = daemon.children()[0]
        daemon.end(number)
        live.check(wait_until(lambda counting=counting: not os.path.exists(f"/proc/{counting}")), "nobody counts")
        stat = [iotrace, "stat", "-n", "1", "-i", "500ms", "--json"]
        ran = live.run([*here, daemon.directory, *stat])
        live.equal(f"{word}, root: status", ran.returncode, 0)
        said = " ".join(ran.stderr.decode().split())
        live.check(f"(process {daemon.process.pid})" in said and word in said and "iotrace stat follows the whole machine itself" in said, said)
        live.equal(f"{word}, root: view", [json.loads(line)["view"] for line in ran.stdout.splitlines()], ["op"])
        ran = live.run([*here, daemon.directory, *NOBODY, *stat])
        live.equal(f"{word}, nobody: status", ran.returncode, 0)
        said = " ".join(ran.stderr.decode().split())
        live.check("these are its last numbers" in said and f"(process {daemon.process.pid}) has" in said, said)
        frames = [json.loads(line) for line in ran.stdout.splitlines()]
        live.equal(f"{word}, nobody: views", [frame["view"] for frame in frames], ["all"])
        live.check(frames and 0 < frames[0]["interval_s"] < 5 and any(row["name"].startswith("fs ") for row in frames[0]["rows"]), f"{frames}")
    with Daemon(live) as daemon:
        for words, said in ((["--by", "file"], "publishes in /run/iotrace, but it has no view file, and"), (["--comm", "x"], "but it counts everything")):
            ran = live.run([*here, daemon.directory, *NOBODY, iotrace, "stat", "-n", "1", *words])
            live.equal(f"{words}, nobody", (ran.returncode, said in " ".join(ran.stderr.decode().split())), (125, True))
    ran = live.run(["su", "nobody", "-s", "/bin/sh", "-c", f"exec flock -n {daemon.directory}/lock true"])
    live.equal("the lock is for its user only", ran.returncode != 0 and b"ermission denied" in ran.stderr, True)


def full(live):
    """Without space it goes on with what does not need it, and publishes when there is space again."""
    place = live.made("full")
    metrics = live.path("full.prom")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,mode=755", "none", place], check=True)
    try:
        with Daemon(live, "--metrics-file", metrics, directory=place, waits=False) as daemon:
            live.check(wait_until(lambda: os.path.exists(metrics)), "metrics come")
            live.check("cannot publish" in daemon.said() and "No space left on device" in daemon.said(), daemon.said())
            live.equal("what is there", [name for name in sorted(os.listdir(place)) if name[0] != "."], ["lock", "socket"])
            ran = live.run([IOTRACE, "stat", f"--daemon={place}", "-n", "1"])
            live.equal("a reader", (ran.returncode, b"no iotrace daemon publishes there" in ran.stderr), (125, True))
            subprocess.run(["mount", "-o", "remount,size=16m", place], check=True)
            live.check(wait_until(daemon.is_ready), "it publishes later")
    finally:
        subprocess.run(["umount", "-l", place], check=False)


def without_space(live):
    """It counts and publishes on a file system without space: what counts needs no file there. A reader is told if nobody counts."""
    place = live.made("no-space")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m,mode=755", "none", place], check=True)
    try:
        with Daemon(live, directory=os.path.join(place, "run")) as daemon:
            subprocess.run(["dd", "if=/dev/zero", f"of={place}/fill", "bs=1M", "count=20"], check=False, stderr=subprocess.DEVNULL)
            live.equal("no space is left", os.statvfs(place).f_bavail, 0)
            before = totals(live, daemon, "fs")
            # Each process makes records.
            work = f"for i in $(seq 14000); do (:); done; dd if=/dev/zero of={live.path('written')} bs=64k count=100"
            subprocess.run(["sh", "-c", work], check=True, stderr=subprocess.DEVNULL)
            after = totals(live, daemon, "fs")
            live.check(sum(change(before, after, name, "written_bytes_total") for name in after) >= 100 << 16, f"without space: {daemon.said()}")
            spools = [os.stat(path) for path in (f"/proc/{daemon.children()[0]}/fd/{fd}" for fd in os.listdir(f"/proc/{daemon.children()[0]}/fd"))
                      if os.readlink(path).startswith("/memfd:iotrace-spool")]
            live.check(spools and all(1 << 20 < one.st_size and one.st_blocks * 512 < 2 << 20 for one in spools),
                       f"what was read leaves the memory: {[(one.st_size, one.st_blocks) for one in spools]}")
            live.equal("it says nothing", daemon.said(), "")
            live.equal("its files", sorted(os.listdir(daemon.directory)), ["history", "lock", "socket", "stat"])
            command = [*NOBODY, live.for_all(IOTRACE), "stat", f"--daemon={daemon.directory}", "--json", "-i", "200ms"]
            with subprocess.Popen([*command, "-n", "30"], env=CALMED, stdout=subprocess.PIPE, stderr=open(live.path("told"), "wb")) as reader:
                first = json.loads(reader.stdout.readline())
                os.kill(daemon.children()[0], signal.SIGKILL)
                frames = [first, *[json.loads(line) for line in reader.stdout]]
            with open(live.path("told"), encoding="utf-8") as file:
                said = " ".join(file.read().split())
            live.check("that counts has ended, so nothing has been counted for" in said, f"told: {said}")
            gap = float((said.partition("nothing was counted for ")[2] or "0").split()[0])
            live.check(gap > 1, f"told how long nobody counted: {said}")
            # A process that counts begins 1 s after the one before.
            live.check(max(frame["interval_s"] for frame in frames) < gap, f"that time is in no interval: {gap} {[one['interval_s'] for one in frames]}")
    finally:
        subprocess.run(["umount", "-l", place], check=False)


def version(live):
    """A file of another version, and what is no such file."""
    directory = live.made("other")
    with Daemon(live) as daemon:
        with open(os.path.join(daemon.directory, "stat"), "rb") as file:
            content = file.read()
    path = os.path.join(directory, "stat")
    for what, change_to, words in (("version", content[:8] + struct.pack("<I", 2) + content[12:], "it has version 2 of its layout"),
                                   ("size", content[:20000], "its sizes do not fit the file"),
                                   ("other", b"x" * 9999, "it is not a file of iotrace daemon")):
        with open(path, "wb") as file:
            file.write(change_to)
        ran = live.run([IOTRACE, "stat", f"--daemon={directory}", "-n", "1"])
        live.equal(what, (ran.returncode, words in " ".join(ran.stderr.decode().split())), (125, True))
    os.chmod(directory, 0o777)
    ran = live.run([IOTRACE, "daemon", "--directory", directory])
    live.equal("others may write", (ran.returncode, b"other users may write there" in ran.stderr), (125, True))


def fetch(port, path="/metrics", **headers):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def metrics_by_http(live):
    """OpenMetrics and the older format, which a parser of Prometheus accepts; the numbers are those of the published file."""
    port = free_port()
    idle = [socket.socket() for _ in range(200)]
    with Daemon(live, "--metrics", str(port)) as daemon:
        for one in idle:
            one.connect(("127.0.0.1", port))  # clients that say nothing delay nobody
        begun = time.monotonic()
        fetch(port)
        live.check(time.monotonic() - begun < 3, f"behind idle clients: {time.monotonic() - begun} s")
        subprocess.run(["dd", "if=/dev/zero", f"of={live.path('some')}", "bs=64k", "count=50", "oflag=direct"], check=True, stderr=subprocess.DEVNULL)
        time.sleep(0.3)
        kind, text = fetch(port, Accept="application/openmetrics-text; version=1.0.0")
        live.equal("type", kind, "application/openmetrics-text; version=1.0.0; charset=utf-8")
        families = {one.name: one for one in openmetrics.parser.text_string_to_metric_families(text)}
        for name in ("iotrace_operation_duration_seconds", "iotrace_block_request_duration_seconds", "iotrace_fuse_request_duration_seconds",
                     "iotrace_operations_in_flight", "iotrace_oldest_operation_age_seconds", "iotrace_bytes", "iotrace_errors", "iotrace_spans"):
            live.check(name in families, f"{name}: {sorted(families)}")
        writes = [one.value for one in families["iotrace_operation_duration_seconds"].samples
                  if one.name.endswith("_count") and one.labels["operation"] == "write"]
        live.check(sum(writes) >= 50, f"writes: {writes}")
        kind, text = fetch(port)
        live.equal("older type", kind, "text/plain; version=0.0.4; charset=utf-8")
        live.check(len(list(parser.text_string_to_metric_families(text))) >= len(families), "the older format")
        try:
            fetch(port, "/")
            live.check(False, "another page")
        except urllib.error.HTTPError as error:
            live.equal("another page", error.code, 404)
        counting = daemon.children()[0]
        os.kill(counting, signal.SIGKILL)
        live.check(wait_until(lambda: "iotrace_restarts_total 1" in fetch(port)[1]), "it is served while nobody counts")
        ran = live.run([IOTRACE, "daemon", "--directory", live.path("served"), "--metrics", str(port)])
        live.equal("taken", (ran.returncode, b"Address already in use" in ran.stderr), (125, True))
    for one in idle:
        one.close()
    for address in ("0.0.0.0", "x:1", "[::1:5", "1.2.3.4:99999"):
        ran = live.run([IOTRACE, "daemon", "--directory", live.path("served"), "--metrics", address])
        live.equal(address, (ran.returncode, b"invalid address" in ran.stderr), (125, True))


ADMIN, TRACE = 1 << 21, 1 << 19  # CAP_SYS_ADMIN, CAP_SYS_PTRACE


@contextlib.contextmanager
def paranoid(level):
    """Whom the kernel lets open events: above 2, only CAP_SYS_ADMIN."""
    path = "/proc/sys/kernel/perf_event_paranoid"

    def put(value):
        with open(path, "w", encoding="ascii") as file:
            file.write(value)

    with open(path, encoding="ascii") as file:
        before = file.read()
    put(str(level))
    try:
        yield
    finally:
        put(before)


def service(live):
    """It tells systemd, and keeps only those of the unit's capabilities that it needs; SIGTERM is a good end."""
    with open(os.path.join(os.environ["SOURCE_DIR"], "share/iotrace.service"), encoding="utf-8") as file:
        unit = dict(line.strip().split("=", 1) for line in file if "=" in line and line[0] not in "#[")
    bounds = ",".join("+" + word[4:].lower() for word in unit["CapabilityBoundingSet"].split())
    flight = ["--flight", "5s", "--archives", live.path("archives")]
    for level, words, kept in ((2, [], 0), (3, [], ADMIN), (2, ["--hang", "5s"], ADMIN | TRACE), (2, flight, TRACE), (3, flight, ADMIN | TRACE)):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify, paranoid(level):
            notify.bind(live.path("notify"))
            notify.settimeout(60)
            process = subprocess.Popen(["setpriv", f"--bounding-set=-all,{bounds}", "--inh-caps=-all", "--no-new-privs", IOTRACE, "daemon", "--directory",
                                        live.path("service"), "-i", "100ms", *words], env=dict(CALMED, NOTIFY_SOCKET=live.path("notify")))
            live.equal(f"{words}: ready", notify.recv(1000), b"READY=1\nSTATUS=counting")
            live.check(os.path.exists(live.path("service", "stat")), f"{words}: it publishes")
            with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
                permitted = int(dict(line.split(":", 1) for line in file)["CapPrm"], 16)
            live.equal(f"{level} {words}: capabilities", permitted & (ADMIN | TRACE), kept)
            process.terminate()
            live.equal(f"{words}: stopping", notify.recv(1000), b"STOPPING=1")
            live.equal(f"{words}: status", process.wait(60), 0)
        os.unlink(live.path("notify"))


def ended_at_once(live):
    """systemd ends all processes of a service at the same time, perhaps while they start: this is a good end, too."""
    for number in range(12):
        daemon = Daemon(live, "--flight", "5s", "--archives", live.path("none"), directory=live.path(f"at-once-{number}"), waits=False)
        live.check(wait_until(lambda daemon=daemon: len(daemon.children()) == 2, 20), "two processes")
        time.sleep(number / 20)
        for pid in [*daemon.children(), daemon.process.pid]:
            os.kill(pid, signal.SIGTERM)
        live.equal(f"ended after {number / 20} s", daemon.process.wait(60), 0)


def without_perf(live):
    """Kernels of some distributions let only CAP_SYS_ADMIN open perf's events, which counting does not need."""
    refuse = ["strace", "-D", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e", "trace=perf_event_open", "-e",
              "inject=perf_event_open:error=EACCES"]
    leaks = "detect_leaks=0"  # under ptrace, AddressSanitizer cannot search for them
    with Daemon(live, wrapper=refuse, ASAN_OPTIONS=leaks) as daemon:
        before = totals(live, daemon, "fs")
        subprocess.run(["dd", "if=/dev/zero", f"of={live.path('some')}", "bs=64k", "count=50"], check=True, stderr=subprocess.DEVNULL)
        after = totals(live, daemon, "fs")
        live.check(sum(change(before, after, name, "written_bytes_total") for name in after) >= 50 << 16, f"without events: {after}")
        ran = live.run([*NOBODY, live.path("iotrace"), "stat", f"--daemon={daemon.directory}", "--by", "process", "--json", "-n", "2", "-i", "300ms"])
        live.equal("without events: processes", (ran.returncode, ran.stdout.count(b"\n")), (0, 2))


def of_user(live):
    """Views of processes: a user sees calls of his own threads and nothing of others; root sees all. It costs nothing when nobody looks."""
    iotrace = live.for_all(IOTRACE)
    others = subprocess.Popen([sys.executable, "-S", "-c", "import os, time\nopen('/proc/self/comm', 'w').write('other-secret')\n"
                               "while True: os.stat('/'); time.sleep(0.01)"])
    mine = subprocess.Popen([*NOBODY, sys.executable, "-S", "-c", "import os, time\nopen('/proc/self/comm', 'w').write('my-own')\n"
                             "while True: os.stat('/'); time.sleep(0.01)"])
    readers = []
    try:
        with Daemon(live) as daemon:
            counting = daemon.children()
            stat = [iotrace, "stat", f"--daemon={daemon.directory}", "--json", "-i", "300ms", "--by"]
            for wrapper, wanted in ((NOBODY, {"mine": True, "other": False}), ([], {"mine": True, "other": True})):
                ran = live.run([*wrapper, *stat, "process", "-n", "3"])
                live.equal(f"{wrapper}: status", (ran.returncode, ran.stderr), (0, b""))
                live.equal(f"{wrapper}: frames", ran.stdout.count(b"\n"), 3)
                names = {row["name"] for line in ran.stdout.splitlines() for row in json.loads(line)["rows"]}
                found = {"mine": f"my-own({mine.pid})" in names, "other": f"other-secret({others.pid})" in names}
                live.equal(f"{wrapper}: processes", found, wanted)
                live.check(wrapper == [] or b"secret" not in ran.stdout, "a foreign name")
            ran = live.run([*NOBODY, *stat, "op", "-n", "2"])
            live.equal("op", json.loads(ran.stdout.splitlines()[0])["view"], "op")
            ran = live.run([*NOBODY, iotrace, "stat", "-a", f"--daemon={daemon.directory}", "--by", "user", "-n", "1", "-i", "500ms"])
            live.check(b" nobody " in ran.stdout and b" root " not in ran.stdout, ran.stdout.decode())
            live.check(wait_until(lambda: daemon.children() == counting), "nobody looks any more")
            for view, number in (("op", signal.SIGINT), ("all", signal.SIGINT), ("all", signal.SIGTERM)):
                with subprocess.Popen([*NOBODY, *stat, view], stdout=subprocess.PIPE) as reader:
                    live.check(reader.stdout.readline().startswith(b"{"), f"{view}: no line")
                    reader.send_signal(number)
                    reader.stdout.read()
                live.equal(f"{view}: ended by {number}", reader.returncode, 0)
            for _ in range(8):
                readers.append(subprocess.Popen([*NOBODY, *stat, "op"], stdout=subprocess.DEVNULL))
            live.check(wait_until(lambda: len(daemon.children()) == 9), f"eight are served: {daemon.children()}")
            ran = live.run([*NOBODY, *stat, "op", "-n", "1"])
            live.equal("a ninth", (ran.returncode, b"serves as many displays as it may" in ran.stderr), (125, True))
            for reader in readers:
                reader.kill()
                reader.wait()
            live.check(wait_until(lambda: daemon.children() == counting), "they have left")
            for request in ("stat file 1000000000 1 json 20 0", "stat op 1 1 json 20 0", "quit", "stat op 1000000000", "x" * 1000):
                with socket.socket(socket.AF_UNIX) as peer:
                    peer.connect(os.path.join(daemon.directory, "socket"))
                    peer.sendall(request.encode() + b"\n")
                    peer.settimeout(60)
                    answer = b""
                    with contextlib.suppress(ConnectionResetError):
                        answer = peer.recv(1000)
                    live.check(answer == b"" if len(request) > 255 else b"does not understand the request" in answer, f"{request}: {answer}")
    finally:
        for process in [mine, others, *readers]:
            process.kill()
            process.wait()


def hang(live):
    """A request that hangs is said once, with who waits, and the command runs once."""
    with RawFuse(live) as server:
        if not has_fuse(live, server):
            return
        ran_for = live.path("hangs")
        with Daemon(live, "--hang", "300ms", "--on-hang", f"cat >> {ran_for}; echo $IOTRACE_HANG_NAME >> {ran_for}") as daemon:
            reader = subprocess.Popen(["cat", f"{server.place}/hang"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            words = f"fuse {server.place} READ by cat({reader.pid}) of root:root"
            live.check(wait_until(lambda: words in daemon.said()), f"{words}: {daemon.said()}")
            live.check(wait_until(lambda: f"fs {server.place} read by cat" in daemon.said()), daemon.said())
            # On a busy machine, something else may hang for so long.
            names = [f'"{view} {server.place} {word}"' for view, word in (("fuse", "READ"), ("fs", "read"))]
            live.check(wait_until(lambda: os.path.exists(ran_for) and all(name in open(ran_for, encoding="utf-8").read() for name in names)), "it runs")
            time.sleep(0.5)
            live.equal("once", daemon.said().count(words), 1)
            with open(ran_for, encoding="utf-8") as file:
                found = {one["name"]: one for one in (json.loads(line) for line in file if line.startswith("{"))}
            one = found.get(f"fuse {server.place} READ", {})
            live.equal("details", (one.get("tid"), one.get("comm"), one.get("user"), one.get("call"), one.get("file")),
                       (reader.pid, "cat", "root", "read", f"{server.place}/hang"))
            rows = live.run([IOTRACE, "stat", f"--daemon={daemon.directory}", "--by", "fuse", "-n", "1", "-i", "200ms"]).stdout
            live.check(f" ! {server.place}".encode()[:20] in rows, rows.decode())
            server.asked("answer")
            reader.wait()
    with RawFuse(live) as server, waiting_request(live, server), Daemon(live, "--hang", "300ms") as daemon:
        words = "something hangs: more than"
        live.check(wait_until(lambda: words in daemon.said() and f"fuse {server.place} begun before" in daemon.said()), f"{words}: {daemon.said()}")
        row = totals(live, daemon, "fuse")[server.place]
        live.check(row["inflight"] == 1 and row["hang"] and row["oldest_s"] > 0.3 and row["util_percent"] > 90, f"begun before: {row}")
    ran = live.run([IOTRACE, "daemon", "--directory", live.path("other"), "--on-hang", "true"])
    live.equal("--on-hang alone", (ran.returncode, b"--on-hang goes with --hang TIME" in ran.stderr), (125, True))


FAILING = "import os\nfd = os.open('/', os.O_RDONLY)\ntry: os.read(fd, 1)\nexcept OSError: pass"


def flight(live):
    """It records into memory. A trigger, or root, makes an archive that only its user can read; the oldest goes; one that dies begins again."""
    place = live.made("archives")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=700", "none", place], check=True)
    try:
        flights(live, place)
    finally:
        subprocess.run(["umount", "-l", place], check=False)


def flights(live, place):
    """The directory of the archives is a file system of its own."""

    def has(*numbers):
        want = {f"flight-{number}" for number in numbers}
        return wait_until(lambda: set(os.listdir(place)) == want, 20)

    def marks(number):
        text = live.run([IOTRACE, "convert", "--format", "text", "-o", "-", os.path.join(place, f"flight-{number}")]).stdout.decode(errors="replace")
        return [line.split(" - MARK ", 1)[1] for line in text.splitlines() if " - MARK " in line]

    words = ("--flight", "5s,64M", "--archives", place, "--trigger", "error=EISDIR:process=*python3*", "--spacing", "100ms", "--keep", "2")
    with Daemon(live, *words) as daemon:
        live.check(wait_until(lambda: "stay in memory" in daemon.said(), 20), daemon.said())
        ask = [IOTRACE, "snapshot", f"--daemon={daemon.directory}"]
        ran = live.run(ask)
        live.equal("snapshot", ran.returncode, 0)
        live.check(" recording " in ran.stdout.decode(), f"snapshot: {ran.stdout}")
        live.check(has(1), f"snapshot: {daemon.said()}")
        live.equal("its own writes", totals(live, daemon, "fs").get(place, {}).get("written_bytes_total"), 0)
        live.equal("who asked", marks(1), ['"snapshot: a user asked for it"'])
        live.equal("rights", os.stat(place).st_mode & 0o777, 0o700)
        live.equal("rights of the archive", os.stat(os.path.join(place, "flight-1", "traces.otf2")).st_mode & 0o077, 0)
        live.equal("the archive", live.run([IOTRACE, "check-archive", os.path.join(place, "flight-1")]).returncode, 0)
        ran = live.run([*NOBODY, live.for_all(IOTRACE), *ask[1:]])
        live.equal("nobody: status", ran.returncode, 1)
        live.check("only root and the user of the daemon" in ran.stderr.decode(), f"nobody: {ran.stderr}")
        subprocess.run([sys.executable, "-S", "-c", FAILING], check=True)
        live.check(has(1, 2), f"error: {daemon.said()}")
        said = marks(2)
        live.check(len(said) == 1 and said[0].startswith('"error=EISDIR:process=*python3*: read of / by '), f"error: {said}")
        recorder = int(ran_pid(live, ask))
        live.check(has(2, 3), f"keep: {daemon.said()}")
        os.kill(recorder, signal.SIGKILL)
        live.check(wait_until(lambda: "the flight recorder has ended (status 137)" in daemon.said(), 20), daemon.said())
        live.check(wait_until(lambda: live.run(ask).returncode == 0, 20), f"again: {daemon.said()}")
        live.check(has(3, 4), f"again: {daemon.said()}")
        live.check(totals(live, daemon, "fs"), "it counts, too")
    with Daemon(live, *words) as daemon:
        live.check(wait_until(lambda: live.run(ask).returncode == 0, 20), daemon.said())
        live.check(has(4, 5), f"those of an earlier daemon: {daemon.said()}")
    wrong = Daemon(live, "--flight", "3s", "--archives", place, "--trigger", "util=nodevice>90%:1s", directory=live.path("wrong"), waits=False)
    live.equal("no such device: status", wrong.process.wait(60), 125)
    live.check("no block device nodevice" in wrong.said(), wrong.said())
    with Daemon(live, directory=live.path("plain")) as daemon:
        ran = live.run([IOTRACE, "snapshot", f"--daemon={daemon.directory}"])
        live.equal("no recorder: status", ran.returncode, 1)
        live.check("it needs --flight" in ran.stderr.decode(), f"no recorder: {ran.stderr}")


def ran_pid(live, ask):
    """The process of the recorder: the first word of its answer."""
    return live.run(ask).stdout.decode().split()[0]


HOSTILE = b"4711  \x1b]0;title\x07 \xff\xc2\x9b2J\\\\x\niotrace: \x1b[2Jno\n"


def hostile(live):
    """Another program answers at the socket: a terminal gets none of its control characters."""
    directory = live.made("hostile")
    server = socket.socket(socket.AF_UNIX)
    server.bind(os.path.join(directory, "socket"))
    server.listen()
    for words in (["snapshot"], ["stat", "--by", "op", "--batch"]):
        process = subprocess.Popen([IOTRACE, *words, f"--daemon={directory}"], env=CALMED, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with server.accept()[0] as client:
            client.recv(100)
            client.sendall(HOSTILE)
        out, said = process.communicate(timeout=60)
        live.equal(f"{words}: text", out, b"4711  \\x1b]0;title\\x07 \\xff\\xc2\\x9b2J\\\\x\n")
        live.equal(f"{words}: messages", said, b"iotrace: \\x1b[2Jno\n")
    server.close()


TESTS = (device, file_system, fuse, everything, killed, gone, full, without_space, version, metrics_by_http, service, ended_at_once, without_perf, of_user, hang, flight, hostile)

with Live() as all_tests:
    if SOURCE != "bpf":
        sys.exit(0)  # only the kernel counts for a daemon
    together(all_tests, [one for one in TESTS if one.__name__ in sys.argv[1:]] or TESTS)
