#!/usr/bin/python3
"""The program that live_places.py records: it opens files that no path leads to, though the kernel shows one.

    program_escapes.py moved TOP      writes below a directory that was moved out of what is mounted on TOP/part
    program_escapes.py say FILE       writes the handle of FILE to standard output
    program_escapes.py open MOUNT     opens the file of the handle on standard input, and writes to it
"""

import ctypes
import os
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD, SIZE = -100, 128


class Handle(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint), ("type", ctypes.c_int), ("bytes", ctypes.c_ubyte * SIZE)]


def put(size, fd):
    time.sleep(0.005)
    os.write(fd, b"x" * size)
    os.close(fd)


def moved(top):
    fd = os.open(f"{top}/part/sub", os.O_RDONLY)
    os.rename(f"{top}/whole/sub", f"{top}/out")
    put(2081, os.open("f", os.O_WRONLY, dir_fd=fd))
    os.fchdir(fd)
    put(2082, os.open("f", os.O_WRONLY))
    put(2083, os.open(f"{top}/part/f", os.O_WRONLY))
    with open("removed", "wb"):
        pass
    os.unlink("removed")


def say(path):
    handle, mount = Handle(size=SIZE), ctypes.c_int()
    if libc.name_to_handle_at(AT_FDCWD, path.encode(), ctypes.byref(handle), ctypes.byref(mount), 0):
        raise OSError(ctypes.get_errno(), path)
    sys.stdout.buffer.write(bytes(handle))


def reopen(mount):
    handle = Handle.from_buffer_copy(sys.stdin.buffer.read())
    fd = libc.open_by_handle_at(os.open(mount, os.O_RDONLY), ctypes.byref(handle), os.O_WRONLY)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "open_by_handle_at")
    put(2091, fd)


{"moved": moved, "say": say, "open": reopen}[sys.argv[1]](sys.argv[2])
