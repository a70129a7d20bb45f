#!/usr/bin/python3
"""raw_fuse: a FUSE file system without a library: /data holds bytes. What is answered when it is told to: a read of /hang, a stat of
/held, and whether there is a file whose name begins with "lost", which there is not.

raw_fuse.py MOUNTPOINT mounts, prints "ready", and after each line on its standard input prints what it was asked since the last
one: {"count": {OPCODE: N}, "of_recorders": {OPCODE: N}, "read": BYTES, "written": BYTES}, where of_recorders is the part of count that
processes named iotrace asked. After the line "answer" nothing hangs any more. It ends when it is
unmounted."""

import collections
import ctypes
import errno
import json
import os
import select
import stat
import struct
import sys

LOOKUP, FORGET, GETATTR, SETATTR, OPEN, READ, WRITE, STATFS, RELEASE, FSYNC, FLUSH, INIT = 1, 2, 3, 4, 14, 15, 16, 17, 18, 20, 25, 26
INTERRUPT, BATCH_FORGET = 36, 42
ROOT, DATA, HANG, HELD, SIZE = 1, 2, 3, 4, 1 << 20
NAMES = {b"data": DATA, b"hang": HANG, b"held": HELD}
DIRECT_IO, PARALLEL_LOOKUPS = 1, 1 << 18


def attributes(node):
    mode = stat.S_IFDIR | 0o755 if node == ROOT else stat.S_IFREG | 0o644
    return struct.pack("<6Q10I", node, 0 if node == ROOT else SIZE, SIZE // 512, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def is_recorder(task):
    try:
        with open(f"/proc/{task}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().startswith("iotrace")
    except OSError:
        return False


class Server:
    def __init__(self, device):
        self.device = device
        self.hanging, self.told = [], False
        self.forget()

    def forget(self):
        self.count, self.of_recorders, self.read, self.written = collections.Counter(), collections.Counter(), 0, 0

    def answer(self, unique, data=b"", error=0):
        os.write(self.device, struct.pack("<IiQ", 16 + len(data), -error, unique) + data)

    def answer_late(self, unique, data=b"", error=0):
        if self.told:
            self.answer(unique, data, error)
        else:
            self.hanging.append((unique, data, error))

    def init(self, unique, body):
        major, _, readahead = struct.unpack_from("<3I", body)
        self.answer(unique, struct.pack("<4I2H2I2H8I", major, 31, readahead, PARALLEL_LOOKUPS, 16, 12, 1 << 17, 1, 32, 0, *[0] * 8))

    def lookup(self, unique, body):
        name = body.split(b"\0")[0]
        node = NAMES.get(name)
        if node:
            self.answer(unique, struct.pack("<4Q2I", node, 0, 0, 0, 0, 0) + attributes(node))
        elif name.startswith(b"lost"):
            self.answer_late(unique, error=errno.ENOENT)
        else:
            self.answer(unique, error=errno.ENOENT)

    def data(self, opcode, unique, node, body):
        size = struct.unpack_from("<2QI", body)[2]
        if opcode == WRITE:
            self.written += size
            self.answer(unique, struct.pack("<2I", size, 0))
        elif node == HANG and not self.told:
            self.hanging.append((unique, b"at last\n", 0))
        elif node == HANG:
            self.answer(unique)
        else:
            self.read += size
            self.answer(unique, bytes(size))

    def serve(self, request):
        length, opcode, unique, node, _, _, task = struct.unpack_from("<2I2Q3I", request)
        body = request[40:length]
        if opcode in (FORGET, BATCH_FORGET, INTERRUPT):
            return
        if opcode != INIT:
            self.count[opcode] += 1
            self.of_recorders[opcode] += is_recorder(task)
        if opcode == INIT:
            self.init(unique, body)
        elif opcode == LOOKUP:
            self.lookup(unique, body)
        elif opcode in (GETATTR, SETATTR):
            (self.answer_late if node == HELD else self.answer)(unique, struct.pack("<Q2I", 0, 0, 0) + attributes(node))
        elif opcode == OPEN:
            self.answer(unique, struct.pack("<Q2I", 0, DIRECT_IO, 0))
        elif opcode in (READ, WRITE):
            self.data(opcode, unique, node, body)
        elif opcode == STATFS:
            self.answer(unique, struct.pack("<5Q10I", *[0] * 15))
        elif opcode in (RELEASE, FSYNC, FLUSH):
            self.answer(unique)
        else:
            self.answer(unique, error=errno.ENOSYS)

    def obey(self, line):
        if line.strip() == "answer":
            for late in self.hanging:
                self.answer(*late)
            self.hanging, self.told = [], True
        print(json.dumps({"count": self.count, "of_recorders": self.of_recorders, "read": self.read, "written": self.written}), flush=True)
        self.forget()

    def loop(self):
        while True:
            ready = select.select([self.device, sys.stdin], [], [])[0]
            if self.device in ready:
                try:
                    self.serve(os.read(self.device, (1 << 20) + 4096))
                except OSError as error:
                    if error.errno == errno.ENODEV:
                        return
                    if error.errno not in (errno.ENOENT, errno.EINTR):
                        raise
            if sys.stdin in ready:
                line = sys.stdin.readline()
                if not line:
                    return
                self.obey(line)


def main():
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other"
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"raw_fuse", sys.argv[1].encode(), b"fuse", 0, options.encode()):
        sys.exit(os.strerror(ctypes.get_errno()))
    print("ready", flush=True)
    Server(device).loop()


main()
