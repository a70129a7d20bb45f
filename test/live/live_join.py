#!/usr/bin/python3
"""One recorder for all commands of a job on a node: what it records, who gets what status, and what is left when somebody is
killed."""

import os
import select
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive  # noqa: E402
from live import CALMED, IOTRACE, SOURCE, Live, together, wait_until, without_others  # noqa: E402

RANKS = 16
MEETINGS = f"/tmp/iotrace-{os.getuid()}"
# As much as it takes on a busy machine.
PATIENCE = 60


def start(live, name, archive, command, *options, env=None, **more):
    """Starts a guest."""
    return subprocess.Popen([IOTRACE, f"--source={SOURCE}", "--join", name, "-o", archive, *options, "--", *command],
                            env=dict(CALMED, **(env or {})), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            cwd=live.dir, **more)


def ends(process):
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


def processes(word):
    """The processes that have this word on their command line."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if word.encode() in file.read().split(b"\0"):
                    found.append(int(pid))
        except OSError:
            pass
    return found


def host_of(name):
    """The recorder: it is a child of nobody here, in a session of its own, and has threads."""
    for pid in processes(name):
        try:
            if os.getsid(pid) != os.getsid(0) and len(os.listdir(f"/proc/{pid}/task")) > 1:
                return pid
        except OSError:
            pass
    return None


def left(name):
    """What is left of a rendezvous: processes and files."""
    files = os.listdir(MEETINGS) if os.path.isdir(MEETINGS) else []
    return processes(name), [file for file in files if file.startswith(f"name-{name}.")]


def writes(live, number, first=""):
    """A command that writes `number` times and exits with `number`. first: what it does before."""
    return ["sh", "-c", f"{first}i=0; while [ $i -lt {number} ]; do echo $i; i=$((i+1)); done >{live.dir}/written.{number}; exit {number}"]


def written(archive, what):
    """What each process has written, to whatever file: through perf the name of one can be missing while others join."""
    return sorted(sum(file[what] for file in p.whole().files.values()) for p in Archive(archive).processes().values())


def test_ranks(live):
    """All are in one archive, whole; each has its own status and output; one of them says what there is to say."""
    name, archive = f"ranks-{os.getpid()}", live.path("ranks")
    pipes = [live.path(f"go.{n}") for n in range(1, RANKS + 1)]
    for pipe in pipes:
        os.mkfifo(pipe)
    started = [start(live, name, archive, writes(live, n, f"read go <{pipe}; ")) for n, pipe in enumerate(pipes, 1)]
    opened = [os.open(pipe, os.O_WRONLY) for pipe in pipes]  # each waits for its reader
    for fd in opened:
        os.close(fd)
    ended = [ends(process) for process in started]
    live.equal("ranks: statuses", [code for code, _, _ in ended], list(range(1, RANKS + 1)))
    summaries = [err for _, _, err in ended if err]
    live.equal("ranks: how many say the summary", len(summaries), 1)
    live.check(f"iotrace summary: {RANKS} commands, the first: sh -c".encode() in summaries[0], f"ranks: {summaries[0]!r}")
    about = live.examine(archive)
    live.equal("ranks: complete", about["is_complete"], True)
    live.equal("ranks: joined", about["command"]["joined"], RANKS)
    live.equal("ranks: exit statuses in iotrace.json", sorted(command["exit_status"] or 0 for command in about["commands"]),
               list(range(1, RANKS + 1)))
    live.equal("ranks: writes", written(archive, "writes"), list(range(1, RANKS + 1)))
    if SOURCE == "bpf":
        names = {f"{live.dir}/written.{n}" for n in range(1, RANKS + 1)}
        read = {name for p in Archive(archive).processes().values() for name in p.whole().files}
        live.equal("ranks: names", names - read, set())
    live.check(wait_until(lambda: left(name) == ([], [])), f"ranks: left: {left(name)}")


def test_late(live):
    """One comes while another runs; a name that is no command; other options."""
    name, archive = f"late-{os.getpid()}", live.path("late")
    first = start(live, name, archive, ["sh", "-c", "read -r _ <gate"])
    os.mkfifo(live.path("gate"))
    live.check(wait_until(lambda: host_of(name)), "late: no recorder")
    code, out, err = ends(start(live, name, archive, writes(live, 5)))
    live.equal("late: the second", (code, out, err), (5, b"", b""))
    code, _, err = ends(start(live, name, archive, ["/nothing/there"]))
    live.check(code == 127 and b"/nothing/there" in err, f"late: no command: {code} {err!r}")
    code, out, err = ends(start(live, name, live.path("other"), ["echo", "ran"]))
    live.check(code == 125 and not out and b"but this command has --output=" in err, f"late: other options: {code} {out!r} {err!r}")
    with open(live.path("gate"), "w", encoding="utf-8") as gate:
        gate.write("go\n")
    live.equal("late: the first", ends(first)[0], 0)
    live.examine(archive)
    live.equal("late: writes", written(archive, "writes")[-1], 5)


def test_alone(live):
    """In a job with ranks it is the default; with names of their own, or if they are asked to, they are alone."""
    def run(archive, *options):
        env = dict(CALMED, OMPI_COMM_WORLD_LOCAL_SIZE="2", SLURM_JOB_ID=f"9{os.getpid()}")
        started = [subprocess.Popen([IOTRACE, "-q", f"--source={SOURCE}", *options, "-o", live.path(archive), "--", "sleep", "0.3"],
                                    env=dict(env, OMPI_COMM_WORLD_RANK=str(rank)), stderr=subprocess.PIPE) for rank in range(2)]
        return [ends(process)[0] for process in started]
    live.equal("job: statuses", run("job"), [0, 0])
    live.equal("job: joined", live.examine(live.path("job"))["command"]["joined"], 2)
    env = dict(CALMED, OMPI_COMM_WORLD_RANK="0", SLURM_JOB_ID=f"8{os.getpid()}")
    for number in range(2):
        ran = live.run([IOTRACE, "-q", f"--source={SOURCE}", "-o", live.path(f"apart.{number}"), "--", "true"], env=env)
        live.equal("job: other options, one after the other", (ran.returncode, ran.stderr), (0, b""))
    live.equal("job: alone, one name", sorted(run("alone", "--alone")), [0, 125])
    live.equal("job: names of their own", run("own.%r"), [0, 0])
    live.equal("job: names of their own: joined", live.examine(live.path("own.1"))["command"]["joined"], 0)
    for options, word in ((["--alone"], b"--alone"), (["-a"], b"-a"), (["--wait"], b"--wait")):
        code, _, err = ends(start(live, "never", live.path("never"), ["true"], *options))
        live.check(code == 125 and word in err, f"job: {options}: {code} {err!r}")


def test_killed_guests(live):
    """As mpirun ends its ranks: TERM, and KILL 44 ms later. The recorder goes on until it has a whole archive."""
    name, archive = f"ended-{os.getpid()}", live.path("ended")
    files = [live.path(f"ended.{number}") for number in range(4)]
    started = [start(live, name, archive, ["sh", "-c", f"trap : TERM; while :; do echo; done >{file}"], start_new_session=True)
               for file in files]
    live.check(wait_until(lambda: all(os.path.exists(file) for file in files)), "ended: nothing is written")
    for number in (signal.SIGTERM, signal.SIGKILL):
        for process in started:
            os.killpg(process.pid, number)
        time.sleep(0.044)
    live.equal("ended: statuses", [ends(process)[0] for process in started], [-signal.SIGKILL] * 4)
    live.check(wait_until(lambda: left(name) == ([], [])), f"ended: left: {left(name)}")
    about = live.examine(archive)
    live.equal("ended: complete", about["is_complete"], True)
    live.equal("ended: bytes", written(archive, "written_bytes"), sorted(os.path.getsize(file) for file in files))


def test_orphan(live):
    """A guest is killed, and its command goes on: it is recorded to its end."""
    name, archive = f"orphan-{os.getpid()}", live.path("orphan")
    os.mkfifo(live.path("orphan.gate"))
    process = start(live, name, archive, ["sh", "-c", "read -r _ <orphan.gate; exec cat /etc/passwd"])
    live.check(wait_until(lambda: host_of(name)), "orphan: no recorder")
    with open(live.path("orphan.gate"), "w", encoding="utf-8") as gate:
        process.kill()
        process.wait()
        gate.write("go\n")
    live.check(wait_until(lambda: left(name) == ([], [])), f"orphan: left: {left(name)}")
    process.communicate()
    live.equal("orphan: complete", live.examine(archive)["is_complete"], True)
    reads = sum(p.whole().files["/etc/passwd"]["read_bytes"] for p in Archive(archive).processes().values())
    live.equal("orphan: bytes", reads, os.path.getsize("/etc/passwd"))


def test_killed_host(live):
    """The commands run on, and what was recorded converts."""
    name, archive = f"killed-{os.getpid()}", live.path("killed")
    os.mkfifo(live.path("killed.gate"))
    command = ["sh", "-c", "echo begun >killed.out; read -r _ <killed.gate; exit 7"]
    started = [start(live, name, archive, command) for _ in range(2)]
    live.check(wait_until(lambda: os.path.exists(live.path("killed.out"))), "killed: no command runs")
    time.sleep(1.5)  # longer than a round: what happened is in the spool
    host = os.pidfd_open(host_of(name))
    signal.pidfd_send_signal(host, signal.SIGKILL)
    live.check(select.select([host], [], [], 60)[0], "killed: the recorder runs on")  # it closes all events and rings first
    os.close(host)
    with open(live.path("killed.gate"), "w", encoding="utf-8") as gate:
        time.sleep(0.2)
        gate.write("go\ngo\n")
    spool = live.path(".killed.iotrace", "spool")
    for process in started:
        code, _, err = ends(process)
        live.equal("killed: status", code, 7)
        live.check(b"from here on the command is not recorded" in err and f"iotrace convert {spool}".encode() in err, f"killed: {err!r}")
    ran = live.run([IOTRACE, "convert", "-q", spool, "-o", archive])
    live.equal("killed: convert", ran.returncode, 0)
    live.equal("killed: complete", live.examine(archive, lossless=False)["is_complete"], False)
    shutil.rmtree(live.path(".killed.iotrace"))
    code, _, err = ends(start(live, name, live.path("again"), ["true"]))
    live.equal("killed: the next recording", code, 0)


def test_stop(live):
    """`iotrace stop` with the process of any of them ends the recording of all; the commands run on."""
    name, archive = f"stop-{os.getpid()}", live.path("stop")
    os.mkfifo(live.path("stop.gate"))
    started = [start(live, name, archive, ["sh", "-c", "echo >>stop.out; read -r _ <stop.gate; exit 3"]) for _ in range(2)]
    live.check(wait_until(lambda: os.path.exists(live.path("stop.out")) and os.path.getsize(live.path("stop.out")) == 2),
               "stop: the commands do not run")
    live.equal("stop: status", live.run([IOTRACE, "stop", str(started[0].pid)]).returncode, 0)
    live.check(wait_until(lambda: os.path.exists(archive)), "stop: no archive")
    with open(live.path("stop.gate"), "w", encoding="utf-8") as gate:
        time.sleep(0.2)
        gate.write("go\ngo\n")
    live.equal("stop: statuses", [ends(process)[0] for process in started], [3, 3])
    live.equal("stop: complete", live.examine(archive)["is_complete"], False)


def test_over(live):
    """A command that comes when the recording has ended before the others runs all the same, without a recording: a job does not end
    for its rank that is late."""
    for kind, archive, more in (("over", "over", ()), ("over-each", "over.{0}", ("--each",))):
        name = f"{kind}-{os.getpid()}"
        os.mkfifo(live.path(f"{kind}.gate"))
        first = start(live, name, live.path(archive.format(1)), ["sh", "-c", f"echo >{kind}.out; read -r _ <{kind}.gate; exit 3"], *more)
        live.check(wait_until(lambda file=f"{kind}.out": os.path.exists(live.path(file))), f"{kind}: the command does not run")
        live.equal(f"{kind}: stop", live.run([IOTRACE, "stop", name]).returncode, 0)
        live.check(wait_until(lambda path=archive.format(1): os.path.exists(live.path(path))), f"{kind}: no archive")
        late = start(live, name, live.path(archive.format(2)), ["sh", "-c", "echo ran; exit 5"], *more)
        live.equal(f"{kind}: a late command", ends(late),
                   (5, b"ran\n", b"iotrace: the recording of this node has ended already: the command is not recorded\n"))
        with open(live.path(f"{kind}.gate"), "w", encoding="utf-8") as gate:
            gate.write("go\n")
        live.equal(f"{kind}: status", ends(first)[0], 3)
        live.check(wait_until(lambda it=name: left(it) == ([], [])), f"{kind}: left: {left(name)}")
        live.equal(f"{kind}: outputs", [file for file in os.listdir(live.dir) if "over" in file and "iotrace" in file], [])
    live.equal("over: no archive of a late command", os.path.exists(live.path("over.2")), False)


def test_duration(live):
    """The time begins with the first command, and is the same for all."""
    name, archive = f"duration-{os.getpid()}", live.path("duration")
    script = f"echo a >{archive}.first; until [ -e {archive} ]; do sleep 0.1; done; echo b >{archive}.second"
    started = [start(live, name, archive, ["sh", "-c", script], "--duration", "1") for _ in range(2)]
    live.equal("duration: statuses", [ends(process)[0] for process in started], [0, 0])
    live.equal("duration: complete", live.examine(archive)["is_complete"], False)
    paths = {path for p in Archive(archive).groups.values() for path in p.whole().files}
    live.equal("duration: what was written", (f"{archive}.first" in paths, f"{archive}.second" in paths), (True, False))


def test_patient(live):
    """A command that ignores requests to end has them for itself: the recording of all goes on."""
    name, archive = f"patient-{os.getpid()}", live.path("patient")
    os.mkfifo(live.path("patient.gate"))
    script = "trap : TERM; echo >patient.out; until read -r _ <patient.gate; do :; done; cat /etc/passwd"
    process = start(live, name, archive, ["sh", "-c", script])
    live.check(wait_until(lambda: os.path.exists(live.path("patient.out"))), "patient: the command does not run")
    process.terminate()
    time.sleep(1.1)  # within a second two are one
    process.terminate()
    with open(live.path("patient.gate"), "w", encoding="utf-8") as gate:
        gate.write("go\n")
    live.equal("patient: status", ends(process)[0], 0)
    live.equal("patient: complete", live.examine(archive)["is_complete"], True)


def test_batch_end(live):
    """As Slurm ends a job in control groups: TERM to all, to the recorder as well, and 30 s later KILL. The archive is whole before."""
    name, archive = f"batch-{os.getpid()}", live.path("batch")
    script = "trap '' TERM; cat /etc/passwd; echo >batch.out; until [ -e batch.gate ]; do sleep 0.2; done; exit 4"
    process = start(live, name, archive, ["sh", "-c", script])
    live.check(wait_until(lambda: os.path.exists(live.path("batch.out"))), "batch: the command does not run")
    host = host_of(name)
    os.kill(host, signal.SIGTERM)
    begun = time.monotonic()
    time.sleep(5)
    live.check(not os.path.exists(archive), "batch: the recording does not wait for the command")
    live.check(wait_until(lambda: os.path.exists(archive)), "batch: no archive")
    took = time.monotonic() - begun
    live.check(took < 30, f"batch: the archive was whole after {took:.1f} s only")
    live.check(wait_until(lambda: not os.path.exists(f"/proc/{host}")), "batch: the recorder stays")
    live.equal("batch: the command runs on", process.poll(), None)
    with open(live.path("batch.gate"), "w", encoding="utf-8"):
        pass
    code, _, err = ends(process)
    live.equal("batch: status", code, 4)
    live.check(b"iotrace summary" in err, f"batch: {err!r}")
    live.equal("batch: complete", live.examine(archive)["is_complete"], False)


def test_refused(live):
    """A recorder that cannot begin: each guest says why, and no command runs."""
    name, archive = f"refused-{os.getpid()}", live.path("there")
    os.mkdir(archive)
    started = [start(live, name, archive, ["echo", "ran"]) for _ in range(3)]
    said = []
    for code, out, err in map(ends, started):
        live.check(code == 125 and not out and err, f"refused: {code} {out!r} {err!r}")
        said.append(b"already exists" in err)
        live.check(said[-1] != (b"could not start" in err), f"refused: two reasons: {err!r}")
    live.check(any(said), "refused: nobody says why")
    live.check(wait_until(lambda: left(name) == ([], [])), f"refused: left: {left(name)}")


def test_directory(live):
    """A rendezvous directory that others may enter is refused."""
    os.makedirs(MEETINGS, mode=0o700, exist_ok=True)
    os.chmod(MEETINGS, 0o755)
    try:
        code, out, err = ends(start(live, "open", live.path("open"), ["echo", "ran"]))
    finally:
        os.chmod(MEETINGS, 0o700)
    live.check(code == 125 and not out and b"is open to other users" in err and b"--alone" in err, f"directory: {code} {err!r}")


# Those that wait longest come first.
TESTS = (test_batch_end, test_alone, test_killed_guests, test_orphan, test_late, test_ranks, test_killed_host, test_stop, test_over,
         test_duration, test_patient, test_refused, test_directory)

without_others()  # one of these tests opens the rendezvous directory to all
with Live() as test:
    chosen = [each for each in TESTS if each.__name__ in sys.argv[1:]] or TESTS
    together(test, [each for each in chosen if each != test_directory])
    if test_directory in chosen:  # nobody can meet meanwhile
        test_directory(test)
