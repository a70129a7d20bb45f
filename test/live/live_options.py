#!/usr/bin/python3
"""Options of files and of the environment: they hold for a recording as those of the command line do, which comes last; the
archive and -v say what came from where; a program with capabilities of its own takes none of its user."""

import json
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive  # noqa: E402
from live import CALMED, IOTRACE, Live  # noqa: E402

NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
WAY_OUT = "iotrace: To record without these options: --no-defaults\niotrace: Try 'iotrace --help'.\n"


def write(live, text):
    """Makes the user's file and returns its path."""
    path = live.path("config", "iotrace", "options")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(text)
    return path


def environment(live, **more):
    return dict(CALMED, XDG_CONFIG_HOME=live.path("config"), **more)


def files_of(directory):
    return {name for p in Archive(directory).groups.values() for name in p.whole().files}


def test_all_places(live):
    path = write(live, b"# what is left out\n--exclude-path '*/left out'\n\n--top 1\n")
    names = [live.path(name) for name in ("kept", "left out", "also")]
    for name in names:
        with open(name, "wb") as file:
            file.write(b"x")
    archive = live.path("all")
    ran = live.record(archive, ["cat", *names], "-v", env=environment(live, IOTRACE_OPTIONS="--top 2 --exclude-path '*/also'"))
    about = live.examine(archive)
    first = [{"from": path, "line": 2, "words": ["--exclude-path", "*/left out"]},
             {"from": path, "line": 4, "words": ["--top", "1"]},
             {"from": "IOTRACE_OPTIONS", "line": None, "words": ["--top", "2", "--exclude-path", "*/also"]}]
    live.equal("options in iotrace.json", about["options"],
               [*first, {"from": "command line", "line": None, "words": ["-o", archive, "-v"]}])
    live.equal("what -v says", [line for line in ran.stderr.decode().splitlines() if line.startswith("iotrace: options")],
               [f"iotrace: options: --exclude-path '*/left out' ({path}, line 2)",
                f"iotrace: options: --top 1 ({path}, line 4)",
                "iotrace: options: --top 2 --exclude-path '*/also' (IOTRACE_OPTIONS)",
                f"iotrace: options: -o {archive} -v (command line)"])
    found = files_of(archive)
    live.equal("files of the archive", [name in found for name in names], [True, False, False])


def test_capture(live):
    """A capture says it, too."""
    capture, archive = live.path("kept.data"), live.path("converted")
    live.record(live.path("captured"), ["true"], "-q", "--capture", capture, env=environment(live, IOTRACE_OPTIONS="--strict"))
    live.run([IOTRACE, "convert", "-q", capture, "-o", archive])
    with open(f"{archive}/iotrace.json", encoding="utf-8") as file:
        converted = json.load(file)["options"]
    live.equal("options of a conversion", [row["words"][0] for row in converted], ["--exclude-path", "--top", "--strict", "-o"])


def test_last_counts(live):
    write(live, b"--summary=none -a --no-block\n--summary=json\n")
    ran = live.run([IOTRACE, "-q", "--format=null", f"--summary=text:{live.path('sum')}", "true"], env=environment(live))
    live.equal("the command line comes last", (ran.returncode, ran.stderr), (0, b""))
    with open(live.path("sum"), encoding="utf-8") as file:
        live.check(file.read().startswith("iotrace"), "the summary is text")
    ran = live.run([IOTRACE, "--no-defaults", "-v", "--format=null", "true"], env=environment(live, IOTRACE_OPTIONS="--wrong"))
    live.check(ran.returncode == 0 and b"options: --no-defaults -v --format=null (command line)\n" in ran.stderr and
               b"--summary" not in ran.stderr, f"--no-defaults: {ran.stderr!r}")


def refuses(live, what, sentence, remedy=WAY_OUT, **more):
    mark = live.path("ran")
    ran = live.run([IOTRACE, "--format=null", "touch", mark], timeout=20, **more)
    live.equal(f"{what}: exit status", ran.returncode, 125)
    live.equal(what, ran.stderr.decode(), f"iotrace: {sentence}\n{remedy}")
    live.check(not os.path.exists(mark), f"{what}: the command ran")


def test_hostile(live):
    where = environment(live)
    path = write(live, b"\n--top \x1b[2J\xff\n")
    refuses(live, "an escape sequence", f"{path}, line 2: --top: invalid number of rows '\\x1b[2J\\xff': expected 0 to 10000, for "
            "example 10", env=where)
    write(live, b"-q\n--top\0 3\n")
    refuses(live, "NUL", f"{path}, line 2: it contains a NUL byte, so it is not text", env=where)
    write(live, b"--path " + b"x" * (10 << 20))
    refuses(live, "10 MiB", f"cannot use the options in {path}: it is larger than 64 KiB", env=where)
    os.remove(path)
    os.mkfifo(path)
    refuses(live, "a FIFO", f"cannot use the options in {path}: it is not a regular file", env=where)
    os.remove(path)
    os.mkdir(path)
    refuses(live, "a directory", f"cannot use the options in {path}: it is not a regular file", env=where)
    for words in (["--help"], ["--version"], ["help"], ["list"], ["check-archive", live.path("all")], ["report", live.path("all")]):
        live.equal(f"{words} with a directory in place of the file", live.run([IOTRACE, *words], env=where).returncode, 0)
    os.rmdir(path)


def test_user(live):
    """Another user's file, a file that cannot be read, a directory that lets nobody in."""
    os.chmod(live.dir, 0o755)
    program, home = live.path("iotrace"), live.made("home")
    os.chmod(home, 0o777)
    shutil.copy(IOTRACE, program)
    where = environment(live)

    def nobody(env=where):
        return live.run([*NOBODY, program, "-q", "--format=null", "true"], env=env, cwd=home)

    path = write(live, b"-q\n")
    os.chmod(path, 0o600)
    live.equal("no right to read", (nobody().stderr.decode()), f"iotrace: cannot read the options in {path}: Permission denied\n{WAY_OUT}")
    os.chown(path, 1, 1)
    refuses(live, "another user's", f"cannot use the options in {path}: it belongs to another user", env=where)
    os.chown(path, 0, 0)
    os.chmod(live.path("config"), 0o700)
    subprocess.run(["setcap", "cap_bpf,cap_perfmon,cap_dac_read_search,cap_sys_nice+ep", program], check=True)
    ran = nobody()
    live.equal("with capabilities of the file", (ran.returncode, ran.stderr), (0, b""))
    ran = nobody(dict(where, IOTRACE_OPTIONS="--wrong"))
    live.equal("with capabilities, the environment", (ran.returncode, ran.stderr.decode()),
               (0, "iotrace: the options in IOTRACE_OPTIONS are ignored, because iotrace has capabilities that its user does not have. Give them on the command line\n"))


def test_machine(live):
    """The file of the machine, in a mount namespace of its own."""
    folder = live.made("etc")
    with open(f"{folder}/options", "w", encoding="ascii") as file:
        file.write("--top 1\n--strict\n")
    made = not os.path.isdir("/etc/iotrace")
    if made:
        os.mkdir("/etc/iotrace")
    inside = f"mount --bind {folder} /etc/iotrace && exec \"$@\""
    try:
        def run(*words, **more):
            return live.run(["unshare", "-m", "sh", "-c", inside, "sh", *words], **more)

        archive = live.path("machine")
        ran = run(IOTRACE, "-q", "-o", archive, "true", env=dict(CALMED, HOME=live.path("no-home"), IOTRACE_OPTIONS="--top 2"))
        live.equal("/etc/iotrace/options: exit status", (ran.returncode, ran.stderr), (0, b""))
        with open(f"{archive}/iotrace.json", encoding="utf-8") as file:
            given = [(row["from"], row["words"]) for row in json.load(file)["options"]]
        live.equal("/etc/iotrace/options", given[:3], [("/etc/iotrace/options", ["--top", "1"]), ("/etc/iotrace/options", ["--strict"]),
                                                       ("IOTRACE_OPTIONS", ["--top", "2"])])
        again = live.path("lent")
        ran = run(*NOBODY, live.path("iotrace"), "-q", "-o", f"{live.path('home')}/lent", "true")
        live.equal("/etc/iotrace/options with capabilities", (ran.returncode, ran.stderr), (0, b""))
        os.chmod(f"{folder}/options", 0o664)
        ran = run(*NOBODY, live.path("iotrace"), "-q", "-o", again, "true")
        live.equal("one that a group may write", (ran.returncode, ran.stderr.decode()),
                   (125, "iotrace: cannot use the options in /etc/iotrace/options: iotrace has capabilities that its user does not "
                         f"have, so this file must belong to root, and only root may write to it\n{WAY_OUT}"))
    finally:
        if made:
            os.rmdir("/etc/iotrace")


with Live() as test:
    test_all_places(test)
    test_capture(test)
    test_last_counts(test)
    test_hostile(test)
    test_user(test)
    test_machine(test)
