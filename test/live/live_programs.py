#!/usr/bin/python3
"""Every process has the arguments of its program and its exit status; and an archive defines what it uses, directories as such."""

import os
import sys
from contextlib import closing

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
import otf2  # noqa: E402
from live import SOURCE, Live  # noqa: E402
from otf2 import definitions, events  # noqa: E402

LONG = "x" * 100_000
BYTES = 8000  # of a command line are kept
UNDEFINED = -1 << 63
PROGRAM = r"""
import os, subprocess, sys, time
def run(*words):
    return subprocess.run(words).returncode
run("/bin/tar", "cf", "/dev/null", "--", "/etc/hostname")
run("/bin/true", "a", "b c", "")
run("/bin/sh", "-c", "read x < /etc/hostname; exit 3", b"any\xff\n\x1b")
run("/bin/sh", "-c", "kill -9 $$", "killed")
run("/bin/true", "long", sys.argv[1] * 100000)
run(sys.executable, "-S", "-c", "import time; time.sleep(0.3)", "slow")
if os.fork() == 0:
    open("/etc/passwd").close()
    os.execv("/bin/cat", ["cat", "/etc/hostname", "last"])
os._exit(os.wait()[1] >> 8)
"""


class Programs:
    """What ProgramBegin, ProgramEnd and the property of its process say, by the last words of the program."""

    def __init__(self, directory):
        self.begun, self.status, self.line = {}, {}, {}
        with closing(otf2.reader.Reader(f"{directory}/traces.otf2")) as reader:
            for location, event in reader.events:
                if isinstance(event, events.ProgramBegin):
                    self.begun[location.group] = [event.program_name, *event.program_arguments]
                elif isinstance(event, events.ProgramEnd):
                    self.status[location.group] = event.exit_status
            for line in reader.definitions.location_group_properties:
                if line.name == "Command line":
                    self.line[line.location_group] = line.value

    def find(self, name, mark):
        """Returns the words and the status of the program of this name with this word, or None."""
        for group, words in self.begun.items():
            if group.name.split(" ", 1)[1] == name and mark in words:
                return words, self.status[group], self.line[group]
        return None


def test_arguments(live):
    directory = live.path("programs")
    live.record(directory, ["/usr/bin/python3", "-S", "-c", PROGRAM, "x"], "-q", status=1)
    live.examine(directory)
    seen = Programs(directory)
    cut = ["/bin/true", "long", LONG[:BYTES - len("/bin/true\0long\0")], "[...]"]
    expected = [("tar", "--", ["/bin/tar", "cf", "/dev/null", "--", "/etc/hostname"], 0),
                ("true", "b c", ["/bin/true", "a", "b c", ""], 0),
                ("sh", "any\\xff\n\x1b", ["/bin/sh", "-c", "read x < /etc/hostname; exit 3", "any\\xff\n\x1b"], 3),
                ("sh", "killed", ["/bin/sh", "-c", "kill -9 $$", "killed"], 137),
                ("true", "long", cut, 0),
                ("python3", "slow", ["/usr/bin/python3", "-S", "-c", "import time; time.sleep(0.3)", "slow"], 0),
                ("cat", "last", ["cat", "/etc/hostname", "last"], 1)]
    for name, mark, words, status in expected:
        found = seen.find(name, mark)
        if found is None and SOURCE == "perf" and mark != "slow":
            continue  # it had ended before /proc was asked
        if not live.check(found is not None, f"no {name} with the argument {mark!r}"):
            continue
        live.equal(f"{name}: words", found[0], words)
        live.equal(f"{name}: status", found[1], status if SOURCE == "bpf" else UNDEFINED)
        live.equal(f"{name}: command line", found[2], " ".join(words).rstrip())
    command = seen.find("python3", "x")
    live.equal("command: words", command and command[0][:3] + command[0][4:], ["/usr/bin/python3", "-S", "-c", "x"])
    live.equal("command: status", command and command[1], 1)


def test_long_command(live):
    directory = live.path("long")
    live.record(directory, ["/bin/sh", "-c", "read x < /etc/hostname; exit 5", *[LONG[:50_000]] * 3], "-q", status=5)
    live.examine(directory)
    seen = Programs(directory)
    found = seen.find("sh", "[...]")
    if live.check(found is not None, "no long command"):
        live.equal("long command: words", found[0][:3], ["/bin/sh", "-c", "read x < /etc/hostname; exit 5"])
        live.equal("long command: size", len("\0".join(found[0][:-1])), BYTES)
        live.equal("long command: status", found[1], 5)


def used(value, of):
    """Adds what a record refers to."""
    if isinstance(value, (definitions.IoRegularFile, definitions.IoDirectory, definitions.IoHandle, definitions.Region)):
        of.add(value)
    if isinstance(value, definitions.IoHandle) and value.file is not None:
        of.add(value.file)


def test_definitions(live):
    directory, tree = live.path("used"), live.made("tree")
    for name in ("one", "two"):
        os.makedirs(f"{tree}/{name}/below")
        with open(f"{tree}/{name}/file", "w", encoding="utf-8") as file:
            file.write(name)
    script = f"ls -lR {tree} /usr/share/doc/tar >/dev/null; cat {tree}/one/file >/dev/null; mkdir {tree}/gone; rmdir {tree}/gone"
    for options in (["--path", f"{tree}/one*"], []):
        live.record(directory + str(len(options)), ["/bin/sh", "-c", script], "-q", *options)
        live.examine(directory + str(len(options)))
        with closing(otf2.reader.Reader(f"{directory}{len(options)}/traces.otf2")) as reader:
            refs = set()
            for _, event in reader.events:
                for value in [*vars(event).values(), *(event.attributes or {}).values()]:
                    used(value, refs)
            for what in ("io_files", "io_handles", "regions"):
                unused = [d.name for d in getattr(reader.definitions, what) if d not in refs]
                live.equal(f"{options}: unused {what}", unused, [])
            for file in reader.definitions.io_files:
                if file.name.startswith(tree):
                    is_directory = os.path.isdir(file.name) or file.name.endswith("/gone")
                    live.equal(file.name, type(file).__name__, "IoDirectory" if is_directory else "IoRegularFile")


with Live() as test:
    test_arguments(test)
    test_long_command(test)
    test_definitions(test)
