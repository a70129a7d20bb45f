#!/usr/bin/python3
"""The program that live_places.py records: it moves directories, roots and mounts, and writes and removes files there.

    program_places.py DIRECTORY

Each write has a size of its own and each removed file a name of its own, so that the trace tells which is which. Mounts
are made in the mount namespace that it was started in, which must be a private one.
"""

import ctypes
import os
import sys
import threading
import time

CLONE_FS, CLONE_FILES, CLONE_NEWNS, SIGCHLD = 0x200, 0x400, 0x20000, 17
MS_BIND, MNT_DETACH = 4096, 2
SYS_CLONE, SYS_UNSHARE = (56, 272) if os.uname().machine == "x86_64" else (220, 97)
libc = ctypes.CDLL(None, use_errno=True)
WRITE = os.O_WRONLY | os.O_CREAT


def must(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "libc")
    return result


def mount(source, target, kind=None, flags=0):
    must(libc.mount(source.encode(), target.encode(), kind and kind.encode(), flags, None))


def put(size, path, dir_fd=None):
    """Opens, waits for whoever looks it up, writes, closes."""
    fd = os.open(path, WRITE, dir_fd=dir_fd)
    time.sleep(0.005)
    os.write(fd, b"x" * size)
    os.close(fd)


def again(size, fd):
    put(size, f"/proc/self/fd/{fd}")


def touch(path):
    os.close(os.open(path, WRITE))


def detached(top):
    """The path that a detached mount leaves behind is that of another file, which exists."""
    os.makedirs(f"{top}/a/etc")
    os.makedirs(f"{top}/b")
    touch(f"{top}/a/etc/passwd")
    mount(f"{top}/a", f"{top}/b", flags=MS_BIND)
    fd = os.open(f"{top}/b/etc/passwd", os.O_RDWR)
    os.chdir(f"{top}/b/etc")
    put(2001, "passwd")
    must(libc.umount2(f"{top}/b".encode(), MNT_DETACH))
    again(2002, fd)
    put(2003, "passwd")
    touch("lost")
    os.unlink("lost")
    os.chdir(top)


def covered(top):
    """Below what is mounted over the current directory, its path leads to another file."""
    for name in ("d", "over"):
        os.makedirs(f"{top}/covered/{name}")
        touch(f"{top}/covered/{name}/f")
    os.chdir(f"{top}/covered/d")
    mount(f"{top}/covered/over", f"{top}/covered/d", flags=MS_BIND)
    put(2071, "f")
    put(2072, f"{top}/covered/d/f")
    must(libc.umount2(f"{top}/covered/d".encode(), MNT_DETACH))
    put(2073, "f")
    os.chdir(top)


def wait_for(path):
    while not os.path.exists(path):
        time.sleep(0.002)


def renamed(top):
    """Directories are renamed, by this process and by one that is not recorded, and others take their names."""
    for what in ("own", "foreign"):
        os.makedirs(f"{top}/{what}/d/sub")
        fd = os.open(f"{top}/{what}/d/sub", os.O_RDONLY)
        os.chdir(f"{top}/{what}/d/sub")
        if what == "own":
            os.rename(f"{top}/own/d", f"{top}/own/new")
        else:
            touch(f"{top}/ready")
            wait_for(f"{top}/done")
        os.makedirs(f"{top}/{what}/d/sub")
        size = 2010 if what == "own" else 2020
        put(size + 1, "by-cwd")
        put(size + 2, "by-fd", dir_fd=fd)
        put(size + 3, "../above")
        for name in ("removed", "../removed-above"):
            touch(name)
            os.unlink(name)
        touch("removed-at")
        os.unlink("removed-at", dir_fd=fd)
        os.close(fd)
    os.chdir(top)


def shared(top):
    """Who shares the current directory moves it for all; who has taken one of its own moves that alone."""
    for name in ("one", "two", "three"):
        os.makedirs(f"{top}/shared/{name}")
    os.chdir(f"{top}/shared/one")
    pid = must(libc.syscall(SYS_CLONE, CLONE_FILES | CLONE_FS | SIGCHLD, 0, 0, 0, 0))
    if not pid:
        os.chdir("../two")
        os._exit(0)
    os.waitpid(pid, 0)
    put(2031, "after-clone")
    touch("removed-after-clone")
    os.unlink("removed-after-clone")

    def thread():
        must(libc.syscall(SYS_UNSHARE, CLONE_FS))
        os.chdir("../three")
        put(2032, "of-thread")

    apart = threading.Thread(target=thread)
    apart.start()
    apart.join()
    put(2033, "after-thread")
    touch("removed-after-thread")
    os.unlink("removed-after-thread")
    os.chdir(top)


def deleted(top):
    """That a file is deleted is no part of its name: another one is really called so."""
    os.makedirs(f"{top}/deleted")
    os.chdir(f"{top}/deleted")
    touch("g (deleted)")
    put(2041, "g (deleted)")
    touch("g")
    fd = os.open("g", os.O_RDWR)
    os.unlink("g")
    touch("g")
    again(2042, fd)
    put(2043, "g")
    touch("h")
    os.link("h", "h2")
    second = os.open("h", os.O_RDWR)
    os.unlink("h")
    again(2044, second)
    os.chdir(top)


def rooted(top):
    """After chroot() names begin at the new root, and what is outside has none."""
    os.makedirs(f"{top}/jail/proc")
    os.makedirs(f"{top}/jail/in")
    mount("proc", f"{top}/jail/proc", "proc")
    touch(f"{top}/outside")
    outside = os.open(f"{top}/outside", os.O_RDWR)
    os.chdir(f"{top}/jail/in")
    os.chroot(f"{top}/jail")
    again(2051, outside)
    put(2052, "relative")
    put(2053, "/in/absolute")
    touch("removed-in-root")
    os.unlink("removed-in-root")
    os._exit(0)


def rooted_below(top):
    """Below what is mounted over it, no path leads to the new root, though the kernel still shows one."""
    for name in ("d", "over"):
        os.makedirs(f"{top}/below/{name}/root")
        touch(os.path.join(f"{top}/below/{name}/root", "f"))
    os.chdir(f"{top}/below/d")
    mount(f"{top}/below/over", f"{top}/below/d", flags=MS_BIND)
    os.chroot("root")
    put(2091, "/f")
    os._exit(0)


def topped(top):
    """What is mounted on the root of a process is reached by ".." only, and the path without it is that of another file."""
    for name in ("root", "over"):
        os.makedirs(f"{top}/topped/{name}")
        touch(f"{top}/topped/{name}/f")
    (there_read, there_write), (go_read, go_write) = os.pipe(), os.pipe()
    if not os.fork():
        os.chroot(f"{top}/topped/root")
        os.chdir("/")
        os.write(there_write, b"x")
        os.read(go_read, 1)
        put(2081, "/../f")
        put(2082, "/f")
        os._exit(0)
    os.read(there_read, 1)
    mount(f"{top}/topped/over", f"{top}/topped/root", flags=MS_BIND)
    os.write(go_write, b"x")
    os.wait()
    must(libc.umount2(f"{top}/topped/root".encode(), MNT_DETACH))


def spaced(top):
    """In a mount namespace of its own it sees what it mounted there, and no more what it left."""
    os.makedirs(f"{top}/space/mnt")
    touch(f"{top}/space/f")
    old = os.open(f"{top}/space/f", os.O_RDWR)
    must(libc.syscall(SYS_UNSHARE, CLONE_NEWNS))
    with open(f"{top}/namespaces", "a", encoding="ascii") as file:
        print(os.stat("/proc/self/ns/mnt").st_ino, file=file)
    mount("tmpfs", f"{top}/space/mnt", "tmpfs")
    put(2061, f"{top}/space/mnt/in-tmpfs")
    put(2062, f"{top}/space/f")
    again(2063, old)
    os._exit(0)


def child(what, top):
    if not os.fork():
        what(top)
    os.wait()


with open(f"{sys.argv[1]}/namespaces", "w", encoding="ascii") as file_:
    print(os.stat("/proc/self/ns/mnt").st_ino, file=file_)
detached(sys.argv[1])
covered(sys.argv[1])
renamed(sys.argv[1])
shared(sys.argv[1])
deleted(sys.argv[1])
topped(sys.argv[1])
child(rooted, sys.argv[1])
child(rooted_below, sys.argv[1])
must(libc.umount2(f"{sys.argv[1]}/below/d".encode(), MNT_DETACH))
child(spaced, sys.argv[1])
