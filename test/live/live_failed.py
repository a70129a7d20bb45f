#!/usr/bin/python3
"""What did not work, and which sentence says so. What calls failed at: the text, the archive, the summary and --path have the paths that a program named, which it prints
itself. Through perf a path may be missing, but is never another one. Needs root, python3-otf2."""

import os
import re
import shlex
import sys
from collections import Counter

import otf2

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from live import IOTRACE, SOURCE, Live  # noqa: E402

# Makes calls that fail, and prints which, with the error and the path that each named.
FAILS = """
import errno, os, sys, threading
here = os.path.realpath(sys.argv[1])
os.chdir(here)
os.mkdir("dir")
os.chdir("dir")
up = os.open("..", os.O_RDONLY | os.O_DIRECTORY)

def failed(call, path, function, *args, **more):
    try:
        function(*args, **more)
    except OSError as error:
        print(call, errno.errorcode[error.errno], path)

def many():
    failed("openat", here + "/none1", os.open, here + "/none1", os.O_RDONLY)
    failed("openat", here + "/dir/none2", os.open, "none2", os.O_RDONLY)
    failed("openat", here + "/none3", os.open, "../none3", os.O_RDONLY)
    failed("openat", here + "/dir/a/../none4", os.open, "a/../none4", os.O_RDONLY)
    failed("openat", here + "/none5", os.open, "none5", os.O_RDONLY, dir_fd=up)
    failed("openat", "none6", os.open, "none6", os.O_RDONLY, dir_fd=999)
    failed("openat", here + "/dir", os.open, ".", os.O_WRONLY)
    failed("openat", here + "/dir", os.open, here + "/dir", os.O_CREAT | os.O_EXCL)
    failed("openat", "-", os.open, "x" * 5000, os.O_RDONLY)
    failed("newstat", here + "/dir/none7", os.stat, "none7")
    failed("newfstatat", here + "/none8", os.stat, "none8", dir_fd=up)
    failed("unlink", here + "/dir/none9", os.unlink, "none9")
    failed("rename", here + "/dir/none10", os.rename, "none10", "x")
    failed("mkdir", here + "/dir", os.mkdir, "../dir")
    failed("chdir", here + "/dir/none11", os.chdir, "none11")
    failed("execve", here + "/dir/none12", os.execv, "none12", ["x"])
many()
thread = threading.Thread(target=many)
thread.start()
thread.join()
"""
LEAVE = re.compile(r"\d+ \S+ LEAVE (\w+) (E\w+)(?: \"(.*)\")?$")
# What the machine's own library makes of a function of the program.
SAME = {"newstat": "newfstatat"}


def counted(lines, folder):
    """Counts calls with error and path: of the folder, behind no known directory, or without a path."""
    return Counter((SAME.get(call, call), error, path or "-") for call, error, path in lines
                   if path in (None, "-", "none6") or path.startswith(folder))


def said(ran, folder):
    return counted((line.split(" ") for line in ran.stdout.decode().splitlines()), folder)


def compare(live, what, got, expected):
    """Through BPF all are there; through perf none is there that should not be."""
    if SOURCE == "bpf":
        live.same_counts(what, {key: n for key, n in got.items() if key[2] != "-"},
                         {key: n for key, n in expected.items() if key[2] != "-"})
        for key, count in expected.items():  # programs fail without a path elsewhere, too
            live.check(key[2] != "-" or got[key] >= count, f"{what}: {key}: {got[key]} instead of {count}")
    else:
        wrong = {key for key in got if key[2] != "-" and got[key] > expected.get(key, 0)}
        live.equal(f"{what}: paths that were not named", wrong, set())


def command_in(folder):
    return [sys.executable, "-c", FAILS, folder]


def text(live):
    folder = live.made("text")
    ran = live.record(live.path("text.txt"), command_in(folder), "-q", "--format", "text")
    with open(live.path("text.txt"), encoding="utf-8") as file:
        found = [LEAVE.match(line.rstrip("\n")) for line in file]
    live.check(sum(said(ran, folder).values()) == 32, f"the program failed {said(ran, folder)}")
    compare(live, "text", counted((match.groups() for match in found if match), folder), said(ran, folder))


def archive(live):
    folder = live.made("archive")
    ran = live.record(live.path("a"), command_in(folder), "-q")
    live.examine(live.path("a"))
    found = []
    with otf2.reader.open(live.path("a", "traces.otf2")) as trace:
        for _, event in trace.events:
            named = {attribute.name: value for attribute, value in (event.attributes or {}).items()}
            if "OTF2::IO_PATH" in named:
                live.check(isinstance(event, otf2.events.Leave), f"a path at {event}")
                found.append((event.region.name, os_error(named["errno"]), named["OTF2::IO_PATH"]))
    expected = said(ran, folder)
    compare(live, "archive", counted(found, folder) + Counter({key: n for key, n in expected.items() if key[2] == "-"}),
            expected)


def os_error(number):
    import errno
    return errno.errorcode[number]


def kept(live):
    """--path keeps what failed at a path that matches; what is left out fails silently."""
    folder = live.made("kept")
    glob = f"{folder}/dir/none?"
    ran = live.record(live.path("kept.txt"), command_in(folder), "-q", "--format", "text", "--path", glob)
    with open(live.path("kept.txt"), encoding="utf-8") as file:
        found = counted((match.groups() for match in map(LEAVE.match, file) if match), folder)
    wanted = {key: n for key, n in said(ran, folder).items() if re.fullmatch(f"{folder}/dir/none.", key[2])}
    live.equal("--path: calls without a path", [key for key in found if key[2] == "-"], [])
    compare(live, "--path", found, wanted)


def summary(live):
    """The question of each newcomer: which file was not there? Of all look-ups it stands first."""
    ran = live.run([IOTRACE, "--format", "null", "--", "cat", "/nonexistent/some file"], cwd=live.dir)
    lines = ran.stderr.decode().splitlines()
    if SOURCE == "bpf":
        at = [i for i, line in enumerate(lines) if line.startswith("not found:")]
        live.equal("the file that was not there", lines[at[0] + 1] if at else lines,
                   "  1 ENOENT of openat: /nonexistent/some file")
    else:
        live.equal("no other file", [line for line in lines if line.startswith("  1 ENOENT") and "/nonexistent/" not in line], [])


def unmatched(live):
    """A filter that nothing matches is named, and what was there instead."""
    for option, said in ((["--path", "/no/*"], r"no file matched --path '/no/\*'. \d+ calls on other files, or on no file, were excluded"),
                         (["--comm", "no*"], "no task that matches --comm 'no\\*' made a call. Calls of 'cat' were excluded"),
                         (["--uid", "nobody"], "no task that matches --uid 'nobody' made a call"),
                         (["--path", "/no/*", "--comm", "no*"], r"no file matched --path '/no/\*'\.$"),
                         (["--path", "/etc/*", "--comm", "cat"], None)):
        # Through perf the names of files that are closed at once may be missing, but not of all.
        ran = live.run([IOTRACE, "--format", "null", *option, "--", "cat", *["/etc/passwd"] * 100], cwd=live.dir)
        notes = [line for line in ran.stderr.decode().replace("\n  ", " ").split("\n") if line.startswith("note: no ")]
        live.check(re.match(f"note: {said}", notes[0]) if said and notes else not said and not notes, f"{option}: {notes}")


def advised(live):
    """An event that does not exist is refused, and what is advised instead prints something."""
    for event in ("foo:bar", "foo:no-such", "block:rq_issu", "block:no-such"):
        ran = live.run([IOTRACE, "--format", "null", "-e", event, "--", "true"], cwd=live.dir)
        advice = re.search(r": (iotrace list -e '.*')$", ran.stderr.decode(), re.MULTILINE)
        live.check(advice, f"{event}: {ran.stderr.decode()}")
        if advice:
            listed = live.run([IOTRACE, *shlex.split(advice[1])[1:]])
            live.check(listed.stdout, f"{event}: {advice[1]} prints nothing")
    for glob in ("block", "rq_issue", "foo:block_rq", "foo:no-such"):
        ran = live.run([IOTRACE, "list", "-e", glob])
        advice = re.search(r"'([^']*)'(?:\?| matches all)$", ran.stderr.decode().strip())
        live.check(ran.returncode and advice, f"list -e {glob}: {ran.stderr.decode()}")
        if advice:
            live.check(live.run([IOTRACE, "list", "-e", advice[1]]).stdout, f"list -e {glob}: {advice[1]} prints nothing")


def mistaken(live):
    """What a newcomer mistypes has a sentence that says what to do instead."""
    for words, said in ((["--path", "ls"], "'ls' is the value of --path here."),
                        (["ls -l /"], "command not found; for a line of the shell: iotrace sh -c 'ls -l /'"),
                        (["helpp"], "helpp: command not found; did you mean 'iotrace help'?"),
                        (["help", "helpp"], "unknown command 'helpp'; did you mean 'help'?"),
                        (["help", "version"], "unknown command 'version'; 'iotrace help' lists the commands"),
                        (["--", "record", "ls"], "record: command not found; a command of iotrace comes first: iotrace record"),
                        (["-p", "bash"], "iotrace -a --comm bash"),
                        (["-E", "page-faults,cpu-clock", "true"], "a separate option for each event: -E page-faults -E cpu-clock"),
                        (["--syscalls=read", "true"], "'read' is a system call; its group is data"),
                        (["convert", live.dir], "is a directory, but a capture is a file")):
        ran = live.run([IOTRACE, *words], cwd=live.dir)
        live.check(ran.returncode in (125, 127) and said in ran.stderr.decode(), f"{words}: {ran.stderr.decode()}")


with Live() as test:
    advised(test)
    mistaken(test)
    unmatched(test)
    text(test)
    archive(test)
    kept(test)
    summary(test)
