#!/usr/bin/python3
"""Programs of every day under strace and under iotrace: the same calls, errors and bytes, the same names.

Each program runs twice under strace, which shows what is the same from run to run; that must be so in the
archive as well. And each file name in the archive is one that strace saw.
"""

import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from archive import Archive  # noqa: E402
from compare_strace import Strace, region_bytes  # noqa: E402
from live import Live  # noqa: E402

GIT = "git -c gc.auto=0 -c core.preloadIndex=false -c pack.threads=1"
SOURCE = "#include <stdio.h>\n#include <string.h>\nint main(void) { puts(strerror(2)); return 0; }\n"


def tree(root, count):
    """Files that look the same each time, and are old enough for nobody to doubt their age."""
    for i in range(count):
        path = f"{root}/d{i % 7}/file-{i}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(f"{i}\n" * (i * 13 % 500))
        os.utime(path, (1e9, 1e9))


def source(root):
    with open(f"{root}/a.c", "w", encoding="ascii") as file:
        file.write(SOURCE)


def rows(root):
    with open(f"{root}/in.sql", "w", encoding="ascii") as file:
        file.write("create table t(a integer primary key, b text);\n")
        for i in range(20):
            file.write(f"insert into t(b) values('{'x' * i * 37}');\n")
        file.write("begin; update t set b = b || 'y'; commit; select count(*), sum(length(b)) from t; vacuum;\n")


# name: what to prepare, and the command, for a shell
TOOLS = {
    "tar": (lambda root: tree(f"{root}/in", 300), "tar cf t.tar in && mkdir out && tar xf t.tar -C out"),
    "git": (lambda root: tree(f"{root}/repo", 60),
            f"cd repo && {GIT} init -q && {GIT} add . && {GIT} commit -q -m m && {GIT} status --short"),
    "sqlite3": (rows, "sqlite3 a.db <in.sql >/dev/null"),
    "gcc": (source, "gcc -O1 -c a.c -o a.o"),
    "python3": (source, "/usr/bin/python3 -c 'import json, email.message; print(len(open(\"a.c\").read()))' >out"),
}


def environment(root):
    keep = {key: os.environ[key] for key in ("PATH",) if key in os.environ}
    return dict(keep, HOME=root, TMPDIR=f"{root}/tmp", LC_ALL="C", PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1",
                GIT_CONFIG_NOSYSTEM="1", GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="a",
                GIT_COMMITTER_EMAIL="a@b", GIT_AUTHOR_DATE="2000-01-01T00:00:00Z",
                GIT_COMMITTER_DATE="2000-01-01T00:00:00Z")


def fresh(live, prepare):
    root = live.path("work")
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(f"{root}/tmp")
    prepare(root)
    return root


def names_of(archive):
    """What it says of files: of handles, and of calls that name one."""
    return {re.sub(r" \(deleted\)$", "", path) for path in archive.io_files}


def ordinary(path):
    """Some programs draw the names of their temporary files."""
    path = re.sub(r"/cc\w{6}\.", "/ccXXXXXX.", path)
    path = re.sub(r"/\.git/t\w{6}$", "/.git/tXXXXXX", path)
    return re.sub(r"/(tmp_obj_|etilqs_)\w+", r"/\1XXXXXX", path)


def stable(first, second):
    return {key for key in set(first) | set(second) if first[key] == second[key]}


def compare(live, tool, straces, archive, about):
    calls, data = region_bytes(archive)
    for what, mine, one, two in (("calls", calls, straces[0].calls, straces[1].calls),
                                 ("bytes", data, straces[0].bytes, straces[1].bytes)):
        same = stable(one, two)
        live.check(len(same) >= 0.8 * len(set(one) | set(two)), f"{tool}: {what}: hardly anything is the same twice")
        # A key that only iotrace knows is as wrong as one that it lacks.
        for key in sorted((same | (set(mine) - set(one) - set(two))), key=str):
            live.equal(f"{tool}: {what}: {key}", mine[key], one[key])
    if straces[0].threads == straces[1].threads:
        live.equal(f"{tool}: threads", about["trace"]["threads_seen"], straces[0].threads)
    seen = {ordinary(path) for strace in straces for path in strace.paths} | {"/dev/null"}  # stdin, used or not
    strange = sorted(path for path in map(ordinary, names_of(archive)) if path not in seen)
    live.equal(f"{tool}: names that strace did not see", strange, [])


def trace(live, tool):
    prepare, command = TOOLS[tool]
    argv = ["/usr/bin/setarch", "-R", "/bin/sh", "-c", command]
    straces = []
    for i in range(3):
        root = fresh(live, prepare)
        if i == 0:  # the first run warms the caches
            live.equal(f"{tool}: alone", live.run(argv, cwd=root, env=environment(root)).returncode, 0)
            continue
        straces.append(Strace(live, argv, live.path(f"{tool}.strace{i}"), root, environment(root)))
    root = fresh(live, prepare)
    directory = live.path(f"{tool}.trace")
    live.record(directory, argv, "-q", "--syscalls=all", cwd=root, env=environment(root),
                stdin=subprocess.DEVNULL)
    about = live.examine(directory)
    archive = Archive(directory)
    compare(live, tool, straces, archive, about)
    n = about["books"]["counters"]
    print(f"{tool}: {n['calls']} calls, {len(archive.io_files)} files, of {n['names_known'] + n['names_unknown']} "
          f"opened {n['names_known']} have a name")


with Live() as test:
    for each in sys.argv[1:] or TOOLS:
        trace(test, each)
