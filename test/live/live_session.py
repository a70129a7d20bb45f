#!/usr/bin/python3
"""The command keeps its terminal, and the recording lasts as long as the command: Ctrl-C, Ctrl-\\, Ctrl-Z, timeout, kill."""

import json
import os
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive  # noqa: E402
from live import CALMED, IOTRACE, SOURCE, Live  # noqa: E402
from terminal import Terminal  # noqa: E402

PYTHON = "/usr/bin/python3"
PLAIN = dict(CALMED, TERM="dumb", PS1="$ ", HISTFILE="/dev/null")


def about(directory):
    with open(f"{directory}/iotrace.json", encoding="utf-8") as file:
        return json.load(file)


def files(directory):
    """The names of all files that the archive has records of."""
    return {name for process in Archive(directory).groups.values() for name in process.whole().files}


def left_beside(live, name):
    return [found for found in os.listdir(live.dir) if found.startswith(name) and found != name]


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def state(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return "gone"


def is_running(pid, program):
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe")) == program
    except FileNotFoundError:
        return False


def waits(test, seconds=30):
    """Returns whether it becomes true."""
    until = time.time() + seconds
    while not test():
        if time.time() > until:
            return False
        time.sleep(0.02)
    return True


def test_repl(live):
    """A program that handles Ctrl-C: all that it does afterwards is recorded, too, however often it comes."""
    late = live.path("late")
    with open(late, "w", encoding="ascii") as file:
        file.write("x")
    terminal = Terminal(80, [IOTRACE, "-o", live.path("repl"), PYTHON, "-q"], PLAIN)
    for pause in (0.1, 1.2, 0.1):
        live.check(terminal.shows(b">>> "), "repl: no prompt")
        time.sleep(pause)
        terminal.types(b"\x03")
        live.check(terminal.shows(b"KeyboardInterrupt"), f"repl: Ctrl-C did not reach it: {terminal.said!r}")
    terminal.shows(b">>> ")
    terminal.types(b"open('%s').read() + 'y'\n" % late.encode())
    live.check(terminal.shows(b"'xy'"), f"repl: it does not go on: {terminal.said!r}")
    terminal.types(b"\x04")
    live.equal("repl: status", terminal.ends(), 0)
    live.equal("repl: exit status in iotrace.json", about(live.path("repl"))["command"]["exit_status"], 0)
    live.equal("repl: complete", about(live.path("repl"))["is_complete"], True)
    live.check(late in files(live.path("repl")), "repl: what it read after Ctrl-C is not in the archive")
    live.examine(live.path("repl"))


def test_pager(live):
    """less takes Ctrl-C for its own, and is not left behind by the recorder, however often it comes."""
    text = live.path("text")
    with open(text, "w", encoding="ascii") as file:
        file.writelines(f"line {number}\n" for number in range(1000))
    terminal = Terminal(80, [IOTRACE, "-o", live.path("pager"), "less", text], dict(PLAIN, TERM="vt100", LESS=""))
    live.check(terminal.shows(b"line 5"), f"less: shows nothing: {terminal.said!r}")
    for pause in (0.1, 1.2, 0.1):
        terminal.types(b"F")  # waits for more, until it is interrupted
        live.check(terminal.shows(b"interrupt to abort"), f"less: does not wait: {terminal.said!r}")
        time.sleep(pause)
        terminal.types(b"\x03")
        live.check(terminal.shows(b"(END)"), f"less: Ctrl-C did not reach it: {terminal.said!r}")
    terminal.types(b"g")
    live.check(terminal.shows(b"line 1"), f"less: it does not go on: {terminal.said!r}")
    terminal.types(b"q")
    live.equal("less: status", terminal.ends(), 0)
    live.equal("less: complete", about(live.path("pager"))["is_complete"], True)
    live.check(text in files(live.path("pager")), "less: what it read is not in the archive")
    live.examine(live.path("pager"))


def test_early_interrupt(live):
    """Ctrl-C at any moment of the start ends all: no command runs on, and nothing is left but a whole archive."""
    for step in range(16):
        name = f"early{step}"
        begun = time.time()
        terminal = Terminal(80, [IOTRACE, "-q", "-o", live.path(name), "sleep", "20"], PLAIN)
        live.check(waits(lambda pid=terminal.pid: is_running(pid, "iotrace")), f"{name}: does not start")
        time.sleep(step * 0.02)
        terminal.types(b"\x03")
        status = terminal.ends(30)
        live.check(status in (130, -signal.SIGINT), f"{name}: ended with {status}: {terminal.said!r}")
        live.check(time.time() - begun < 15, f"{name}: the command ran on")
        live.equal(f"{name}: left", left_beside(live, name) + left_beside(live, f".{name}"), [])
        if os.path.exists(live.path(name)):
            live.equal(f"{name}: complete", about(live.path(name))["is_complete"], True)
            live.examine(live.path(name))


def test_first_moment(live):
    """A signal just after the call that makes the work directory, and after the one that gives it its name: nothing is left."""
    for call, words in (("mkdirat", ["-q", "-o", "trace"]), ("renameat2", ["-q", "-o", "trace"]), ("mkdirat", ["leaks"])):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            what = f"{call} of {words[0]}, signal {int(number)}"
            place = live.made(what)
            ran = live.run(["strace", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal={int(number)}:when=1",
                            IOTRACE, *words, "touch", "ran"], cwd=place,
                           env=dict(CALMED, ASAN_OPTIONS="detect_leaks=0"))  # a search for leaks cannot run under strace
            live.equal(f"{what}: status", ran.returncode, -number)
            live.equal(f"{what}: left", os.listdir(place), [])


def test_quit(live):
    """Ctrl-\\ is the command's as well; and a signal of the terminal reaches it once."""
    script = "trap 'n=$((n + 1)); echo got $n' INT QUIT; echo ready; while [ ! -e go ]; do sleep 0.05; done; cat go; exit $n"
    with open(live.path("script"), "w", encoding="ascii") as file:
        file.write(script)
    os.chdir(live.dir)
    terminal = Terminal(80, [IOTRACE, "-q", "-o", "quit", "sh", "script"], PLAIN)
    terminal.shows(b"ready")
    for number, key in enumerate((b"\x03", b"\x1c", b"\x03")):
        terminal.types(key)
        live.check(terminal.shows(b"got %d" % (number + 1)), f"quit: {key} did not reach it: {terminal.said!r}")
    terminal.listen(0.2)
    with open(live.path("go"), "w", encoding="ascii") as file:
        file.write("on\n")
    live.equal("quit: status", terminal.ends(), 3)
    live.check(live.path("go") in files("quit"), "quit: the archive ends before the command")
    live.equal("quit: complete", about("quit")["is_complete"], True)


def test_jobs(live):
    """Ctrl-Z stops both, the shell says so, fg goes on, and what happened before and after is recorded."""
    os.chdir(live.dir)
    for name in ("before", "after"):
        with open(live.path(name), "w", encoding="ascii") as file:
            file.write(f"{name}\n")
    shell = Terminal(80, ["bash", "--norc", "--noprofile", "-i"], PLAIN)
    shell.shows(b"$ ")
    shell.types(b"'%s' -q -o jobs sh -c 'cat before; read -r _; cat after; exit 6'\n" % IOTRACE.encode())
    live.check(shell.shows(b"before\r\n"), f"jobs: it does not begin: {shell.said!r}")
    shell.types(b"\x1a")
    live.check(shell.shows(b"Stopped"), f"jobs: Ctrl-Z: {shell.said!r}")
    recorder = children(shell.pid)[0]
    live.check(waits(lambda: state(recorder) == "T"), "jobs: iotrace is not stopped")
    live.check(waits(lambda: [state(pid) for pid in children(recorder)] == ["T"]), "jobs: the command is not stopped")
    shell.types(b"echo in-the-shell\nfg\n")
    live.check(shell.shows(b"in-the-shell\r\n"), f"jobs: the shell's own turn: {shell.said!r}")
    shell.types(b"\n")
    live.check(shell.shows(b"after\r\n"), f"jobs: fg: {shell.said!r}")
    shell.types(b"echo status-$?\n")
    live.check(shell.shows(b"status-6"), f"jobs: status: {shell.said!r}")
    shell.types(b"exit\n")
    shell.ends()
    live.check({live.path("before"), live.path("after")} <= files("jobs"), "jobs: a file is not in the archive")
    live.equal("jobs: complete", about("jobs")["is_complete"], True)


def test_timeout(live):
    """As timeout does, a signal to iotrace and then one to the group: a command that it ended is recorded to its end."""
    for i, (number, has_group) in enumerate(((signal.SIGTERM, True), (signal.SIGTERM, True), (signal.SIGTERM, True),
                                             (signal.SIGTERM, False), (signal.SIGINT, True), (signal.SIGHUP, True))):
        name = f"timeout{i}"
        run = subprocess.Popen([IOTRACE, "-q", "-o", live.path(name), "--", "sh", "-c", "echo ready; exec sleep 60"],
                               env=CALMED, stdout=subprocess.PIPE, start_new_session=True)
        live.equal(f"{name}: ready", run.stdout.readline(), b"ready\n")
        run.send_signal(number)
        if has_group:
            os.killpg(run.pid, number)
        live.equal(f"{name}: status", run.wait(60), 128 + number)
        run.stdout.close()
        what = about(live.path(name))
        live.equal(f"{name}: complete", what["is_complete"], True)
        live.equal(f"{name}: end", what["end"], "ended")
        live.equal(f"{name}: beside it", left_beside(live, name), [])
    run = live.start("-q", "-o", live.path("real"), "--", "sleep", "60", wrapper=("timeout", "50"))
    run.send_signal(signal.SIGALRM)  # its time is over
    live.equal("timeout: status", run.wait(60), 124)
    live.equal("timeout: complete", about(live.path("real"))["is_complete"], True)


def test_late_repeat(live):
    """The second signal of two comes at any moment, even when iotrace ends."""
    for number in range(5):
        name = f"late{number}"
        run = subprocess.Popen([IOTRACE, "-q", "-o", live.path(name), "--", "sh", "-c", "echo ready; exec sleep 60"],
                               env=CALMED, stdout=subprocess.PIPE, start_new_session=True)
        live.equal(f"{name}: ready", run.stdout.readline(), b"ready\n")
        end = time.monotonic() + 0.9  # later ones would count
        while run.poll() is None and time.monotonic() < end:
            run.send_signal(signal.SIGTERM)
        live.equal(f"{name}: status", run.wait(60), 128 + signal.SIGTERM)
        live.equal(f"{name}: complete", about(live.path(name))["is_complete"], True)
        run.stdout.close()


class Stubborn:
    """iotrace with a command that counts SIGTERM and reads a file for each line that it gets."""

    SCRIPT = ("import os, signal, sys\n"
              "got = []\n"
              "for n in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):\n"
              "    signal.signal(n, lambda n, _: got.append(n))\n"
              "print('ready', flush=True)\n"
              "for line in sys.stdin:\n"
              "    open(line.strip()).read()\n"
              "    print('signals', *(int(n) for n in got), flush=True)\n"
              "sys.exit(5)\n")

    def __init__(self, live, name, *options):
        self.live, self.name, self.archive = live, name, live.path(name)
        self.iotrace = subprocess.Popen([IOTRACE, "-o", self.archive, *options, "--", PYTHON, "-c", self.SCRIPT],
                                        env=CALMED, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        start_new_session=True, text=True)
        live.equal(f"{name}: ready", self.iotrace.stdout.readline(), "ready\n")

    def reads(self, name):
        """Returns the signals that the command had until then."""
        path = self.live.path(f"{self.name}.{name}")
        with open(path, "w", encoding="ascii") as file:
            file.write("x")
        self.iotrace.stdin.write(path + "\n")
        self.iotrace.stdin.flush()
        return [int(word) for word in self.iotrace.stdout.readline().split()[1:]]

    def has(self, name):
        return self.live.path(f"{self.name}.{name}") in files(self.archive)

    def ends(self):
        said = self.iotrace.communicate(timeout=60)[1]
        self.live.equal(f"{self.name}: exit status", self.iotrace.returncode, 5)
        return said


def test_terminate(live):
    """A second SIGTERM ends the recording with a whole archive; the command is never left alone."""
    for number in range(5):
        run, begun = Stubborn(live, f"terminate.{number}"), time.monotonic()
        run.iotrace.send_signal(signal.SIGTERM)
        live.check(waits(lambda run=run: run.reads("once")), "terminate: SIGTERM did not reach the command")
        run.iotrace.send_signal(signal.SIGTERM)
        time.sleep(0.1)
        got, has_ended = run.reads("twice"), os.path.exists(run.archive)
        if time.monotonic() < begun + 1:
            break
        run.ends()  # too slow for what has to happen within a second
    live.equal("terminate: twice within a second", got, [15])
    live.check(not has_ended, "terminate: the recording ended with the first SIGTERM")
    time.sleep(1.1)
    run.iotrace.send_signal(signal.SIGTERM)
    live.check(waits(lambda: os.path.exists(run.archive + "/iotrace.json")), "terminate: the second SIGTERM ended nothing")
    live.equal("terminate: it gets the second, too", run.reads("unrecorded"), [15, 15])
    live.equal("terminate: the spool is gone while the command runs", os.path.exists(run.archive + ".spool"), False)
    early(live, run)


def early(live, run):
    """The recording was stopped, and the command runs still."""
    live.equal(f"{run.name}: iotrace waits for the command", run.iotrace.poll(), None)
    said = run.ends()
    live.check("the recording was stopped before the command ended" in said, f"{run.name}: said {said!r}")
    what = live.examine(run.archive)
    live.equal(f"{run.name}: complete", what["is_complete"], False)
    live.equal(f"{run.name}: end", what["end"], "detached")
    live.equal(f"{run.name}: exit status in iotrace.json", what["command"]["exit_status"], None)
    live.check(not run.has("unrecorded"), f"{run.name}: what came after the end is in the archive")


def test_stop(live):
    """iotrace stop: the recording ends, the command notices nothing."""
    run = Stubborn(live, "stop")
    run.reads("recorded")
    ran = live.run([IOTRACE, "stop", str(run.iotrace.pid)])
    live.equal("stop: status", (ran.returncode, ran.stderr), (0, b""))
    live.check(waits(lambda: os.path.exists(run.archive + "/iotrace.json")), "stop: the recording goes on")
    live.equal("stop: signals of the command", run.reads("unrecorded"), [])
    live.check(run.has("recorded"), "stop: what came before it is not in the archive")
    early(live, run)


def test_stop_refused(live):
    """Nobody else gets the signal, which would kill most."""
    sleeper = subprocess.Popen(["sleep", "30"])
    run = Stubborn(live, "refused", "-q")
    command = children(run.iotrace.pid)[0]
    for pid, sentence in ((sleeper.pid, "is not iotrace: it is 'sleep'"), (command, "is not iotrace: it is 'python3"),
                          (4194303, "no process 4194303"), (os.getpid(), "is not iotrace")):
        for words in (["stop"], ["pause"], ["start"], ["status"], ["mark", "text", "-r"]):
            ran = live.run([IOTRACE, *words, str(pid)])
            live.equal(f"{words} {pid}: status", ran.returncode, 1)
            live.check(sentence in ran.stderr.decode(), f"{words} {pid}: said {ran.stderr!r}")
    for word, status in (("one", 1), ("0", 1), ("-1", 125)):
        live.equal(f"stop {word}: status", live.run([IOTRACE, "stop", word]).returncode, status)
    live.equal("refused: sleep lives", sleeper.poll(), None)
    sleeper.kill()
    sleeper.wait()
    run.reads("last")
    run.ends()
    live.equal("refused: complete", about(run.archive)["is_complete"], True)


def test_kill_interrupt(live):
    """kill -INT for iotrace alone goes to the command, and ends nothing."""
    run = Stubborn(live, "kill", "-q")
    for _ in range(2):
        run.iotrace.send_signal(signal.SIGINT)
        time.sleep(1.1)
    live.equal("kill -INT: the command's signals", run.reads("later"), [2, 2])
    run.ends()
    live.check(run.has("later"), "kill -INT: it ended the recording")
    live.equal("kill -INT: complete", about(run.archive)["is_complete"], True)


def test_duration(live):
    """--duration with a command: the command runs on and keeps its status."""
    for seconds in (1, 4, 16):
        begun = time.monotonic()
        run = Stubborn(live, f"duration.{seconds}", "--duration", str(seconds))
        run.reads("recorded")
        if time.monotonic() < begun + seconds:
            break
        run.ends()  # too slow for this duration
    live.check(waits(lambda: os.path.exists(run.archive + "/iotrace.json")), "duration: the recording goes on")
    run.reads("unrecorded")
    live.check(run.has("recorded"), "duration: what came before is not in the archive")
    early(live, run)
    ran = live.record(live.path("short"), ["sh", "-c", "exit 4"], "--duration", "100", status=4)
    live.check(b"was stopped before" not in ran.stderr, "duration: a command that ended before")
    live.equal("short: complete", about(live.path("short"))["is_complete"], True)


# Opens many files, says so, and waits.
MANY_FILES = """
import os, resource, time
resource.setrlimit(resource.RLIMIT_NOFILE, (20000, 20000))
for i in range(15000):
    os.open("/dev/null", os.O_RDONLY)
print("open", flush=True)
time.sleep(100)
"""


def test_duration_of_the_machine(live):
    """What is looked up when a recording of the machine begins is part of its duration."""
    many = [subprocess.Popen([sys.executable, "-c", MANY_FILES], stdout=subprocess.PIPE) for _ in range(4)]
    for process in many:
        process.stdout.readline()
    # On a busy machine the looking up alone may take seconds.
    live.check(any(lasts(live, seconds) for seconds in (1, 4, 16)), "duration of the machine: none is kept to")
    for process in many:
        process.kill()
        process.wait()
        process.stdout.close()


def lasts(live, seconds):
    """Returns whether a recording of the machine takes these seconds."""
    summary = live.path(f"machine.{seconds}.json")
    ran = live.run([IOTRACE, "-q", "-a", "--no-block", "--duration", str(seconds), "--format", "null", f"--summary=json:{summary}"])
    if not live.equal(f"duration of the machine: {seconds} s: status", ran.returncode, 0):
        print(ran.stderr.decode(errors="replace"))
        return False
    with open(summary, encoding="utf-8") as file:
        took = json.load(file)["run"]["duration_ns"] / 1e9
    print(f"duration of the machine: {took:.1f} s instead of {seconds} s")
    return 0.9 * seconds < took < seconds + 2


def test_words(live):
    """-v says how the recording is made, and where the capture grows."""
    ran = live.run([IOTRACE, "-v", f"--source={SOURCE}", "--summary=none", "-o", live.path("words"), "true"])
    source = {"bpf": "BPF", "perf": "perf"}[SOURCE]
    for sentence in (rf"recording through {source}, with rings of \d+ KiB on {os.cpu_count()} CPUs",
                     rf"the capture grows in {live.path('.words.iotrace', 'spool')} until it is converted"):
        live.check(re.search(sentence.encode(), ran.stderr), f"-v does not say '{sentence}': {ran.stderr!r}")


def test_silence(live):
    """-a and -p say on a terminal that they record, where to, and how to end it. Elsewhere they are silent."""
    sleeper = subprocess.Popen(["sleep", "100"])
    for name, options, whom, columns in (("whole", ["-a", "--no-block"], "all processes", 200),
                                         ("one", ["-p", str(sleeper.pid)], f"process {sleeper.pid}", 200),
                                         ("serial", ["-p", str(sleeper.pid)], f"process {sleeper.pid}", 0)):
        terminal = Terminal(columns, [IOTRACE, *options, "-o", live.path(name)], PLAIN)
        line = f"iotrace: recording {whom} to {live.path(name)}; Ctrl-C ends the recording"
        live.check(terminal.shows(b"recording\r\n"), f"{name}: said {terminal.said!r}")
        live.equal(f"{name}: said", terminal.lines().split(), line.split())
        terminal.types(b"\x03")
        live.equal(f"{name}: status", terminal.ends(), 0)
        live.equal(f"{name}: complete", about(live.path(name))["is_complete"], True)
    terminal = Terminal(200, [IOTRACE, "-q", "-p", str(sleeper.pid), "-o", live.path("quiet")], PLAIN)
    terminal.listen(1)
    terminal.types(b"\x03")
    live.equal("-q: status", terminal.ends(), 0)
    live.equal("-q: said", terminal.said.replace(b"^C", b""), b"")
    ran = live.run([IOTRACE, "-p", str(sleeper.pid), "-o", live.path("piped"), "--duration", "0.5"])
    live.check(about(live.path("piped"))["duration_ns"] >= 5 * 10**8, "-p: the time without I/O does not count")
    live.check(b"recording" not in ran.stderr.split(b"\n")[0], f"piped: {ran.stderr!r}")
    # In the background of a script Ctrl-C is ignored; iotrace stop is what is left.
    script = f"'{IOTRACE}' -p {sleeper.pid} -o '{live.path('back')}' & wait"
    terminal = Terminal(200, ["sh", "-c", script], PLAIN)
    live.check(terminal.shows(b"; 'iotrace stop "), f"background: said {terminal.said!r}")
    terminal.listen(0.5)
    found = re.search(rb"'iotrace stop (\d+)'", terminal.said)
    if found:
        live.equal("background: stop", live.run([IOTRACE, "stop", found.group(1)]).returncode, 0)
    live.equal("background: status", terminal.ends(), 0)
    live.equal("background: complete", about(live.path("back"))["is_complete"], True)
    sleeper.kill()
    sleeper.wait()


with Live() as test:
    for each in (test_repl, test_pager, test_early_interrupt, test_first_moment, test_quit, test_jobs, test_timeout,
                 test_late_repeat, test_terminate, test_stop, test_stop_refused, test_kill_interrupt, test_duration, test_duration_of_the_machine, test_words, test_silence):
        each(test)
