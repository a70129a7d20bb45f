#!/usr/bin/python3
"""Directories, roots, mounts and deletion: a name is the path that the process has for the file, or absent.

What program_places.py writes is known by its size, what it removes by its name.
"""

import os
import subprocess
import sys
import threading
import time
from collections import defaultdict
from contextlib import closing

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from archive import Archive, label  # noqa: E402
from live import IOTRACE, Live, SOURCE  # noqa: E402
from otf2 import events  # noqa: E402
from otf2.enums import IoOperationMode  # noqa: E402
from otf2.reader import Reader  # noqa: E402

PRIVATE = ["unshare", "-m", "--propagation", "private"]


class Places:
    """Who wrote how much where, what was removed, and the file that each open says."""

    def __init__(self, archive):
        self.modes, self.enter = {}, {}
        self.written, self.opened = defaultdict(set), defaultdict(set)
        self.removed = set()
        self.handle_of = {}
        self.archive = Archive(archive, self.on_event)

    def on_event(self, process, location, event):
        kind = type(event)
        if kind is events.Enter:
            self.enter[location] = self.file_of(event)
        elif kind is events.IoCreateHandle:
            self.opened[label(event.handle)].add(self.enter[location])
        elif kind is events.IoOperationBegin:
            self.modes[event.matching_id] = event.mode
        elif kind is events.IoOperationComplete and self.modes[event.matching_id] == IoOperationMode.WRITE:
            self.written[event.bytes_result].add(label(event.handle))
        elif kind is events.IoDeleteFile:
            self.removed.add(event.file.name)

    @staticmethod
    def file_of(event):
        for attribute, value in (event.attributes or {}).items():
            if attribute.name == "OTF2::IO_FILE":
                return value.name
        return None


def expected(top):
    """Size: path of the file; None: the process has no path for it."""
    return {
        2001: f"{top}/b/etc/passwd", 2002: None, 2003: None,
        2011: f"{top}/own/new/sub/by-cwd", 2012: f"{top}/own/new/sub/by-fd", 2013: f"{top}/own/new/above",
        2021: f"{top}/foreign/new/sub/by-cwd", 2022: f"{top}/foreign/new/sub/by-fd",
        2023: f"{top}/foreign/new/above",
        2031: f"{top}/shared/two/after-clone", 2032: f"{top}/shared/three/of-thread",
        2033: f"{top}/shared/two/after-thread",
        2041: f"{top}/deleted/g (deleted)", 2042: f"{top}/deleted/g", 2043: f"{top}/deleted/g",
        2044: f"{top}/deleted/h",
        2051: None, 2052: "/in/relative", 2053: "/in/absolute",
        2071: None, 2072: f"{top}/covered/d/f", 2073: f"{top}/covered/d/f",
        2081: None, **({2082: "/f"} if SOURCE == "bpf" else {}),  # perf gives up both names below such a root
        2091: "/f" if SOURCE == "bpf" else None,
        2061: f"{top}/space/mnt/in-tmpfs", 2062: f"{top}/space/f", 2063: None,
    }


def removed(top):
    names = {f"{top}/deleted/g", f"{top}/deleted/h", "/in/removed-in-root",
             f"{top}/shared/two/removed-after-clone", f"{top}/shared/two/removed-after-thread"}
    for what in ("own", "foreign"):
        names |= {f"{top}/{what}/new/{name}" for name in ("sub/removed", "removed-above", "sub/removed-at")}
    return names


def rename_from_outside(top):
    while not os.path.exists(f"{top}/ready"):
        time.sleep(0.002)
    os.rename(f"{top}/foreign/d", f"{top}/foreign/new")
    with open(f"{top}/done", "wb"):
        pass


def moves(test):
    top, archive = test.made("top"), test.path("moves.trace")
    helper = threading.Thread(target=rename_from_outside, args=(top,), daemon=True)
    helper.start()
    test.record(archive, [sys.executable, os.path.join(HERE, "program_places.py"), top], "-q", wrapper=PRIVATE)
    test.examine(archive)
    places = Places(archive)
    for size, path in expected(top).items():
        test.equal(f"where {size} bytes went", places.written[size], {path})
    ours = {name for name in places.removed if name.startswith(top) or name.startswith("/in/")}
    test.equal("removed and not so called", ours - removed(top), set())
    if SOURCE == "bpf":  # perf may read a path too late
        test.equal("removed and not told", removed(top) - ours, set())
    test.check(len(ours) > len(removed(top)) // 2, f"only {len(ours)} of {len(removed(top))} removals have a name")
    for path, files in places.opened.items():
        test.equal(f"the file of the calls that opened {path}", files, {path})
    check_deleted(test, archive, top)
    check_roots(test, archive, top)


def own_root_from_outside():
    """The path of our root from the root of the mount namespace: a process in another namespace reads it so. "/" without a chroot."""
    link = subprocess.run([*PRIVATE, "readlink", f"/proc/{os.getpid()}/root"], check=True, capture_output=True, text=True)
    return link.stdout.rstrip("\n")


def from_here(root):
    """In a chroot the kernel says some roots as they are outside of it."""
    outside = own_root_from_outside()
    if not root or outside == "/" or not (root + "/").startswith(outside + "/"):
        return root
    return root[len(outside):] or "/"


def properties(archive):
    """Name of each process, and its properties."""
    found = defaultdict(dict)
    with closing(Reader(f"{archive}/traces.otf2")) as reader:
        for line in reader.definitions.location_group_properties:
            found[line.location_group.name][line.name] = line.value
    return found


def check_roots(test, archive, top):
    """Each process has its root and its mount namespace as properties."""
    with open(f"{top}/namespaces", encoding="ascii") as file:
        ours, other = map(int, file.read().split())
    found = properties(archive)
    roots = {(from_here(p.get("Root directory")), p.get("Mount namespace")) for p in found.values()}
    expected_roots = {("/", ours), (f"{top}/jail", ours), (f"{top}/topped/root", ours)}
    # By perf, what is mounted over a root may be there when somebody looks.
    late = set() if SOURCE == "bpf" else {(f"{top}/topped/root", ours)}
    test.equal("roots and mount namespaces", expected_roots - late - roots, set())
    # A namespace of its own is known from the next exec on, or by perf as soon as somebody looks. No path leads to the root below
    # what is mounted over it.
    others = {("/", None), ("/", other), (None, None), (None, ours)}
    test.equal("roots that no process had", roots - expected_roots - others, set())


def check_deleted(test, archive, top):
    """The file that is deleted and the one that has its name now are two, and one says that it is deleted."""
    files = {}
    with closing(Reader(f"{archive}/traces.otf2")) as reader:
        for file in reader.definitions.io_files:
            files.setdefault(file.name, []).append(
                any(p.name == "Deleted" and p.value == "yes" for p in reader.definitions.io_file_properties
                    if p.io_file is file))
    for name in ("g", "h"):
        test.equal(f"deleted, of the files called {name}", sorted(files[f"{top}/deleted/{name}"]), [False, True])
    test.equal("deleted, of the file that is really called so", files[f"{top}/deleted/g (deleted)"], [False])


def bytes_read(archive):
    files = defaultdict(int)
    for process in Archive(archive).groups.values():
        for path, did in process.whole().files.items():
            files[path] += did["read_bytes"]
    return files


def in_chroot(test):
    """iotrace and the command in a chroot: a file has one name for all calls."""
    root, archive = test.made("jail"), test.path("chroot.trace")
    script = (f'mount --rbind / "{root}" && chroot "{root}" {IOTRACE} -o "{archive}" -q --path /etc/passwd '
              '-- sh -c "exec 3</etc/passwd; cat <&3; sleep 1" >/dev/null')  # by perf, the name is looked up while the file is open
    ran = test.run([*PRIVATE, "sh", "-c", script])
    if not test.equal("chroot: exit status", ran.returncode, 0):
        print(ran.stderr.decode(errors="replace"))
        return
    files = bytes_read(archive)
    test.equal("chroot: bytes read", {path: size for path, size in files.items() if path},
               {"/etc/passwd": os.path.getsize("/etc/passwd")})


def outside_of_chroot(test):
    """The root is no mount of its own: a file or a root beside it has no name inside, though the kernel says one."""
    root, archive, outside = test.made("plain"), test.path("plain.trace"), test.path("outside")
    with open(outside, "wb") as file:
        file.write(b"x" * 4321)
    entries = [entry for entry in os.scandir("/") if entry.is_dir()]
    mounts = [f'mkdir "{root}{entry.path}" && mount --rbind "{entry.path}" "{root}{entry.path}"'
              for entry in entries if not entry.is_symlink()]
    links = [f'ln -s "{os.readlink(entry.path)}" "{root}{entry.path}"' for entry in entries if entry.is_symlink()]
    leaver = test.path("leaver.trace")
    # nsenter goes to the root of the namespace. Its program lives until somebody has looked.
    script = " && ".join([*mounts, *links, f'chroot "{root}" {IOTRACE} -o "{archive}" -q -- cat - /etc/passwd <"{outside}" >/dev/null',
                          f'chroot "{root}" {IOTRACE} -o "{leaver}" -q -- nsenter --mount=/proc/self/ns/mnt sh -c "sleep 0.3; :"'])
    ran = test.run([*PRIVATE, "sh", "-c", script])
    if not test.equal("plain chroot: exit status", ran.returncode, 0):
        print(ran.stderr.decode(errors="replace"))
        return
    files = bytes_read(archive)
    test.equal("plain chroot: inside", files["/etc/passwd"], os.path.getsize("/etc/passwd"))
    roots = [[found.get("Root directory") for found in properties(each).values()] for each in (archive, leaver)]
    test.equal("plain chroot: roots", roots, [["/"], [None, None]])
    test.equal("plain chroot: outside", [path for path, size in files.items() if size == 4321], [None])


def escapes(test, name, script, expected_names):
    """program_escapes.py opens files for which the kernel shows a path that does not lead there."""
    top, archive = test.made(name), test.path(f"{name}.trace")
    words = {"top": f'"{top}"', "program": f'{sys.executable} "{HERE}/program_escapes.py"',
             "record": f'{IOTRACE} -o "{archive}" --source={SOURCE} -q --'}
    ran = test.run([*PRIVATE, "sh", "-ec", script.format(**words)])
    if not test.equal(f"{name}: exit status", ran.returncode, 0):
        print(ran.stderr.decode(errors="replace"))
        return
    places = Places(archive)
    for size, path in expected_names.items():
        test.equal(f"{name}: where {size} bytes went", places.written[size], {path and f"{top}/{path}"})
    test.equal(f"{name}: removed", {n for n in places.removed if n.endswith("removed")}, set())


MOVED = """mount -t tmpfs none {top}
mkdir -p {top}/whole/sub {top}/part
touch {top}/whole/f {top}/whole/sub/f
mount --bind {top}/whole {top}/part
{record} {program} moved {top}"""
# A file whose directory is not in the cache, since the file system was mounted anew.
BY_HANDLE = """truncate -s 8M {top}/disk
mkfs.ext4 -q -F {top}/disk
mkdir {top}/at
mount -o loop {top}/disk {top}/at
touch {top}/at/f
{program} say {top}/at/f >{top}/handle
umount {top}/at
mount -o loop {top}/disk {top}/at
{record} {program} open {top}/at <{top}/handle"""

with Live() as test_:
    moves(test_)
    in_chroot(test_)
    outside_of_chroot(test_)
    escapes(test_, "moved", MOVED, {2081: None, 2082: None, 2083: "part/f"})
    escapes(test_, "handle", BY_HANDLE, {2091: None})
