#!/usr/bin/python3
"""Commands that join one recorder, each with --path, --comm and --syscalls of its own. The archive has of each what strace counts of it,
without what it did not ask for: in one archive, and with an archive for each."""

import os
import re
import subprocess
import sys
from collections import Counter

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive  # noqa: E402
from live import CALMED, IOTRACE, SOURCE, Live  # noqa: E402

PATIENCE = 60
# Each command works in a directory of its own, so a path says whose a call is. It says that it is there, and waits for a line.
WORK = ("cd own.{0} && dd if=in/x of=out bs=1 count=7 2>/dev/null && head -qc 50 in/x out >both && chmod 600 both && echo >here && "
        "read -r _ <gate")
CHANGES = ("chmod", "fchmodat")


class Row:
    """A command: its options, and which programs, files and calls they choose."""

    def __init__(self, options, program=".*", file=".*", has_data=True, has_meta=True):
        self.options, self.program, self.file, self.has_data, self.has_meta = options, program, file, has_data, has_meta

    def wants(self, program, call, path):
        is_group = self.has_meta if call in CHANGES else self.has_data
        return is_group and re.fullmatch(self.program, program) and re.fullmatch(self.file, path)


ROWS = [
    Row(["--path", "own.0/in/*"], file="in/.*"),
    Row(["--syscalls=meta"], has_data=False),
    Row(["--syscalls=data", "--exclude-path", "*/in/x"], file="(?!in/).*", has_meta=False),
    Row(["--comm", "dd", "--comm", "chmod"], program="dd|chmod"),
    Row([]),
    Row(["--comm", "head", "--path", "*/both", "--syscalls=data,sync"], program="head", file="both", has_meta=False),
    Row([]),
]


def prepare(live, number):
    os.makedirs(live.path(f"own.{number}/in"))
    with open(live.path(f"own.{number}/in/x"), "w", encoding="utf-8") as file:
        file.write("x" * 100)
    for name in ("here", "gate"):
        os.mkfifo(live.path(f"own.{number}/{name}"))


def start(live, name, archive, number, *options):
    return subprocess.Popen([IOTRACE, "-q", f"--source={SOURCE}", "--join", name, "-o", archive, *options, *ROWS[number].options, "--",
                             "sh", "-c", WORK.format(number)], env=CALMED, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=live.dir)


def say(live, number):
    with open(live.path(f"own.{number}/gate"), "w", encoding="utf-8") as gate:
        gate.write("go\n")


def hear(live, number):
    with open(live.path(f"own.{number}/here"), encoding="utf-8") as here:
        here.read()


def of_strace(live):
    """How often each program makes each call on each file of the command's directory."""
    number = len(ROWS)
    prepare(live, number)
    log = live.path("strace")
    with subprocess.Popen(["strace", "-f", "-y", "-o", log, "-e", "trace=execve,read,write,chmod,fchmodat", "sh", "-c",
                           WORK.format(number)], cwd=live.dir, env=CALMED, stdin=subprocess.DEVNULL):
        hear(live, number)
        say(live, number)
    program, calls = {}, Counter()
    with open(log, encoding="utf-8") as lines:
        for line in lines:
            pid, text = line.split(None, 1)
            ran = re.match(r'execve\("[^"]*?([^/"]*)".* = 0$', text)
            call = re.match(r'(\w+)\((?:\d+<([^>]*)>|(?:AT_FDCWD[^,]*, )?"([^"]*)").*\) += \d+$', text)
            if ran:
                program[pid] = ran[1]
            if not call or program.get(pid) not in ("dd", "head", "chmod"):
                continue
            path = os.path.relpath(os.path.join(live.path(f"own.{number}"), call[2] or call[3]), live.path(f"own.{number}"))
            if not path.startswith(".."):
                calls[program[pid], "chmod" if call[1] in CHANGES else call[1], path] += 1
    return calls


def of_archive(live, archive, number):
    """The same of the files of a command. Which file chmod changed is in no record."""
    calls = Counter()
    for process in archive.groups.values():
        for path, sums in process.whole().files.items():
            if path and path.startswith(live.path(f"own.{number}/")):
                name = os.path.relpath(path, live.path(f"own.{number}"))
                if name in ("here", "gate"):
                    continue
                for call in ("read", "write"):
                    if sums[f"{call}s"]:
                        calls[process.name.split(" (")[0].split("/")[-1].split(" ")[0], call, name] += sums[f"{call}s"]
    return calls


def changes_in(archive):
    return sum(n for process in archive.groups.values() for (name, _), n in process.whole().calls.items() if name in CHANGES)


def wanted(row, strace):
    return {key: n for key, n in strace.items() if row.wants(*key)}


def data_of(calls):
    return {key: n for key, n in calls.items() if key[1] != "chmod"}


def changes(calls):
    return sum(n for key, n in calls.items() if key[1] == "chmod")


def test_filters(live, what, rows):
    """iotrace.json says what each command asked for."""
    by_number = {int(re.search(r"own\.(\d)", command["argv"][2])[1]): command["filters"] for command in rows}
    live.equal(f"{what}: paths", {n: filters["path"] for n, filters in by_number.items() if filters["path"]},
               {n: path for n, path in ((0, [f"{live.dir}/own.0/in/*"]), (5, ["*/both"])) if n in by_number})
    live.equal(f"{what}: names", {n: filters["comm"] for n, filters in by_number.items() if filters["comm"]},
               {n: comm for n, comm in ((3, ["dd", "chmod"]), (5, ["head"])) if n in by_number})
    for number, filters in by_number.items():
        live.equal(f"{what}: groups of {number}", ("data" in filters["syscalls"], "meta" in filters["syscalls"]),
                   (ROWS[number].has_data, ROWS[number].has_meta))


def run_all(live, name, archive, *options):
    """Whoever comes first has the recorder; all of them are there at the same time."""
    for number in range(len(ROWS)):
        prepare(live, number)
    started = []
    for number in range(len(ROWS)):
        started.append(start(live, name, archive.format(number), number, *options))
        hear(live, number)
    for number in range(len(ROWS)):
        say(live, number)
    for number, process in enumerate(started):
        _, err = process.communicate(timeout=PATIENCE)
        live.equal(f"{name}: how command {number} ends", (process.returncode, err), (0, b""))


def test_one(live, strace):
    run_all(live, f"select-{os.getpid()}", live.path("one"))
    about = live.examine(live.path("one"))
    archive = Archive(live.path("one"))
    live.equal("one: complete", about["is_complete"], True)
    live.equal("one: all groups", [group in about["syscalls"] for group in ("data", "meta")], [True, True])
    test_filters(live, "one", about["commands"])
    for number, row in enumerate(ROWS):
        live.equal(f"one: command {number}", dict(of_archive(live, archive, number)), data_of(wanted(row, strace)))
    live.equal("one: chmod", changes_in(archive), sum(changes(wanted(row, strace)) for row in ROWS if not hides_change(row)))


def hides_change(row):
    """Through perf nobody knows the path of chmod(2) for certain."""
    return False if SOURCE == "bpf" else row.file != ".*"


def test_each(live, strace):
    run_all(live, f"each-{os.getpid()}", live.path("each.{0}"), "--each")
    for number, row in enumerate(ROWS):
        directory = live.path(f"each.{number}")
        about = live.examine(directory)
        archive = Archive(directory)
        test_filters(live, f"each {number}", about["commands"])
        live.equal(f"each {number}: groups", ("data" in about["syscalls"], "meta" in about["syscalls"]), (row.has_data, row.has_meta))
        live.equal(f"each: command {number}", dict(of_archive(live, archive, number)), data_of(wanted(row, strace)))
        live.equal(f"each: chmod of {number}", changes_in(archive), 0 if hides_change(row) else changes(wanted(row, strace)))


def test_refused(live):
    """What is the recorder's cannot differ: the sentence says which option, and both values. The command does not run."""
    name, archive = f"refused-{os.getpid()}", live.path("refused")
    os.mkfifo(live.path("end"))
    first = subprocess.Popen([IOTRACE, f"--source={SOURCE}", "--join", name, "-o", archive, "--buffer=8M", "-q", "--", "sh", "-c",
                              f"echo >{live.path('end')}; read -r _ <{live.path('end')}"], env=CALMED, cwd=live.dir)
    with open(live.path("end"), encoding="utf-8") as end:
        end.read()
    for options, its, ours in ((["--buffer=16M"], "--buffer=8M", "--buffer=16M"), ([], "--buffer=8M", "no --buffer"),
                               (["--buffer=8M", "--top=3"], "no --top", "--top=3"),
                               (["--buffer=8M", "--syscalls=+uring"], "no --syscalls=+uring", "--syscalls=+uring")):
        ran = live.run([IOTRACE, f"--source={SOURCE}", "--join", name, "-o", archive, "-q", *options, "--", "echo", "ran"], env=CALMED,
                       cwd=live.dir)
        live.equal(f"refused: {options}", (ran.returncode, ran.stdout, ran.stderr.decode()),
                   (125, b"", f"iotrace: --join: the recorder of this node has {its}, but this command has {ours}: it must be the same "
                    "for all commands of a recorder\niotrace: Give all commands the same value, or record this one with --alone and another -o\n"))
    with open(live.path("end"), "w", encoding="utf-8") as end:
        end.write("go\n")
    live.equal("refused: the first", first.wait(timeout=PATIENCE), 0)
    live.equal("refused: commands", live.examine(archive)["command"]["joined"], 1)


def clear(live):
    for number in range(len(ROWS) + 1):
        subprocess.run(["rm", "-rf", live.path(f"own.{number}")], check=True)


def main():
    with Live() as live:
        strace = of_strace(live)
        live.check(changes(strace) == 1 and len(data_of(strace)) == 5, f"strace: {strace}")
        test_one(live, strace)
        clear(live)
        test_each(live, strace)
        test_refused(live)


if __name__ == "__main__":
    main()
