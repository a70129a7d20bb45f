"""program: a random program as a list of steps, and the truth about it.

A program is run twice. The first time this process lets it go on step by step, and asks the kernel after each of them what
the descriptors, directories and positions are: that is the truth. The second time it runs by itself, as fast as it can, and is
recorded. Steps refer to descriptors by the step that made them, so that a program from which steps were taken away still
means something.
"""

import ctypes
import os
import stat
import struct
import time

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.shmat.restype = ctypes.c_void_p
LIBC.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
ACTORS, STEPS, ARGS = 64, 512, 6
PLAIN, TEXT, RESULT, RESULT2, ROOM, VECTOR, TID, NUMBER, HOW, HANDLE, KEPT = range(11)
CALL, SPAWN, EXEC, EXECAT, EXIT, PAIR, SEND_FD, RECEIVE_FD, OWN_MOUNTS, MOUNT_CALL, URING = range(11)
NOT_DONE = -5000
STEP = struct.Struct("=iiq6q8sqqii")
TIDS, FIRST_STEP = 16, 16 + 8 * ACTORS
TEXTS = FIRST_STEP + STEPS * STEP.size
SIZE = TEXTS + 65536
FUTEX, FUTEX_WAIT, FUTEX_WAKE = 202, 0, 1

NUMBERS = {
    "read": 0, "write": 1, "open": 2, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "lseek": 8, "ioctl": 16, "pread64": 17,
    "pwrite64": 18, "readv": 19, "writev": 20, "access": 21, "pipe": 22, "dup": 32, "dup2": 33, "sendfile": 40,
    "sendmsg": 46, "recvmsg": 47, "socketpair": 53, "clone": 56, "fork": 57, "vfork": 58, "execve": 59, "exit": 60,
    "fcntl": 72, "fsync": 74, "truncate": 76, "ftruncate": 77, "chdir": 80, "fchdir": 81, "rename": 82, "mkdir": 83,
    "creat": 85, "link": 86, "unlink": 87, "symlink": 88, "pivot_root": 155, "chroot": 161, "mount": 165, "umount2": 166,
    "getdents64": 217, "exit_group": 231, "openat": 257, "mkdirat": 258, "newfstatat": 262, "unlinkat": 263,
    "renameat": 264, "linkat": 265, "unshare": 272, "splice": 275, "timerfd_create": 283, "eventfd2": 290,
    "epoll_create1": 291, "dup3": 292, "pipe2": 293, "inotify_init1": 294, "preadv": 295, "pwritev": 296,
    "name_to_handle_at": 303, "open_by_handle_at": 304, "setns": 308, "renameat2": 316, "memfd_create": 319,
    "execveat": 322, "copy_file_range": 326, "preadv2": 327, "pwritev2": 328, "io_uring_enter": 426, "open_tree": 428,
    "move_mount": 429, "pidfd_open": 434, "clone3": 435, "close_range": 436, "openat2": 437, "pidfd_getfd": 438}
# As the kernel's tracepoints call them; "" is not recorded.
TRACED = {"stat": "newstat", "lstat": "newlstat", "fstat": "newfstat", "sendfile": "sendfile64", "mount": "",
          "umount2": "", "exit": "", "exit_group": "", "name_to_handle_at": "", "move_mount": ""}
CLONE_VM, CLONE_FS, CLONE_FILES, CLONE_SIGHAND, CLONE_VFORK, CLONE_THREAD = 0x100, 0x200, 0x400, 0x800, 0x4000, 0x10000
SIGCHLD = 17
AT_FDCWD = -100
DELETED = " (deleted)"


class Step:
    """kind, the call's name, its arguments as (kind, value); fds: which of them are descriptors; paths: (directory, path)."""

    def __init__(self, actor, kind, call, *args, fds=(), paths=(), spawned=-1):
        self.actor, self.kind, self.call, self.spawned = actor, kind, call, spawned
        self.args = [a if isinstance(a, tuple) else (TEXT, a) if isinstance(a, str) else (PLAIN, a) for a in args]
        self.fds, self.paths = fds, paths
        self.id = None  # stays the same when others are taken away

    def __str__(self):
        def show(arg):
            kind, value = arg
            return {TEXT: f'"{value}"', RESULT: f"r{value}", RESULT2: f"r{value}b", ROOM: "buffer", VECTOR: f"vector({value})",
                    TID: f"tid of {value}", NUMBER: f"&{value}", HANDLE: "handle", KEPT: "handle"
                    }.get(kind) or (hex(value) if value > 999 else value)
        more = f" -> actor {self.spawned}" if self.kind == SPAWN else ""
        name = {SEND_FD: "sendmsg(SCM_RIGHTS)", RECEIVE_FD: "recvmsg(SCM_RIGHTS)", OWN_MOUNTS: "own mounts:",
                URING: "io_uring"}.get(self.kind, "")
        return f"{self.actor}: {name or self.call}({', '.join(str(show(a)) for a in self.args)}){more}"


class Segment:
    """The shared memory in which a program finds its steps. It goes when nobody is attached to it any more."""

    def __init__(self, directory, program):
        self.id = LIBC.shmget(0, SIZE, 0o1600)
        if self.id < 0:
            raise OSError(ctypes.get_errno(), "shmget")
        self.address = LIBC.shmat(self.id, None, 0)
        LIBC.shmctl(self.id, 0, None)
        self.memory = (ctypes.c_char * SIZE).from_address(self.address)
        self.texts = {}
        self.text_end = 512
        for at, text in ((0, directory), (256, program)):
            self.memory[TEXTS + at:TEXTS + at + len(text) + 1] = text.encode() + b"\0"
        self.memory[TIDS:FIRST_STEP] = b"\0" * (FIRST_STEP - TIDS)

    def release(self):
        LIBC.shmdt(ctypes.c_void_p(self.address))

    def word(self, at):
        return ctypes.c_int32.from_address(self.address + at)

    def tid(self, actor):
        return self.word(TIDS + 4 * actor).value

    def text(self, text):
        if text not in self.texts:
            data = text.encode() + b"\0"
            self.texts[text] = self.text_end
            self.memory[TEXTS + self.text_end:TEXTS + self.text_end + len(data)] = data
            self.text_end += len(data)
        return self.texts[text]

    def put(self, place, step, place_of):
        """place_of: of the id of a step, its place among those that run."""
        values, kinds = [0] * ARGS, bytearray(8)
        for i, (kind, value) in enumerate(step.args):
            if kind == TEXT:
                value = self.text(value)
            elif kind in (RESULT, RESULT2):
                if value not in place_of:
                    kind, value = PLAIN, -1
                else:
                    value = place_of[value]
            values[i], kinds[i] = value, kind
        number = NUMBERS[step.call]
        STEP.pack_into(self.memory, FIRST_STEP + place * STEP.size, step.actor, step.kind, number, *values,
                       bytes(kinds), 0, -1, 0, step.spawned)

    def result(self, place):
        """Returns what the step returned, its second descriptor, and the thread that did it."""
        row = STEP.unpack_from(self.memory, FIRST_STEP + place * STEP.size)
        return row[10], row[11], row[12]

    def let(self, limit, is_over=False):
        self.word(8).value = limit
        self.word(12).value = is_over
        self.word(0).value += 4096  # an actor adds 1 meanwhile, perhaps: what it has read must not come back
        LIBC.syscall(FUTEX, ctypes.c_void_p(self.address), FUTEX_WAKE, 2**31 - 1, None, None, 0)

    def wait(self, is_there, seconds=10):
        end = time.monotonic() + seconds
        timeout = (ctypes.c_long * 2)(0, 2000000)
        while not is_there():
            if time.monotonic() > end:
                return False
            bell = self.word(0).value
            if not is_there():
                LIBC.syscall(FUTEX, ctypes.c_void_p(self.address), FUTEX_WAIT, bell, ctypes.byref(timeout), None, 0)
        return True

    def next(self):
        return self.word(4).value


class Seen:
    """What a descriptor, or the current directory ("cwd"), is at one moment."""

    def __init__(self, tid, fd):
        at = f"/proc/{tid}/{fd}" if fd == "cwd" else f"/proc/{tid}/fd/{fd}"
        self.at, self.link = at, os.readlink(at)
        about = os.stat(at)
        self.identity, self.size = (about.st_dev, about.st_ino), about.st_size
        self.is_deleted = about.st_nlink == 0
        self.is_file = self.link.startswith("/") and not self.link.startswith("/memfd:")
        self.is_seekable = self.link.startswith("/")
        self.is_device = stat.S_ISCHR(about.st_mode)
        words = self.words(tid, fd, at)
        self.position, self.flags, self.mount = int(words["pos"]), int(words["flags"], 8), int(words["mnt_id"])

    @staticmethod
    def words(tid, fd, at):
        if fd != "cwd":
            return fdinfo(f"/proc/{tid}/fdinfo/{fd}")
        own = os.open(at, os.O_PATH | os.O_CLOEXEC)
        try:
            return fdinfo(f"/proc/self/fdinfo/{own}")
        finally:
            os.close(own)


def fdinfo(path):
    with open(path, encoding="ascii") as info:
        return dict(line.split(":", 1) for line in info if ":" in line)


def see(tid, fd):
    try:
        return Seen(tid, fd)
    except OSError:
        return None


def read_link(path):
    try:
        return os.readlink(path)
    except OSError:
        return None


def where(path):
    """What the path leads to now: the file's identity, its mount, and what the kernel calls it; or None."""
    try:
        fd = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        about = os.fstat(fd)
        return (about.st_dev, about.st_ino), int(fdinfo(f"/proc/self/fdinfo/{fd}")["mnt_id"]), os.readlink(f"/proc/self/fd/{fd}")
    finally:
        os.close(fd)


def leads_to(path, seen):
    there = where(path)
    return bool(there) and there[0] == seen.identity


def is_below(path, top):
    return path == top or path.startswith(top + "/")


def is_outside(tid, root):
    """Whether the root of the process is outside of ours, so that the kernel's path of it does not lead there."""
    about = where(os.path.join(f"/proc/{tid}", "root", "."))
    return bool(about) and read_link(f"/proc/{tid}/ns/mnt") == read_link("/proc/self/ns/mnt") and \
        (where(root) or ())[:2] != about[:2]


def link_from_root(tid, link):
    """The link as the process would read it: the kernel shows paths from the root of the reader."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            proc = os.open("/proc", os.O_PATH)
            os.chroot(f"/proc/{tid}/root")
            os.write(writer, os.fsencode(os.readlink(link.removeprefix("/proc/"), dir_fd=proc)))
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as answer:
        text = os.fsdecode(answer.read())
    os.waitpid(child, 0)
    return text


def name_of(tid, seen):
    """The path by which the process reaches the file from its own root, or None: none does.

    The kernel says where the file lies; whether the process gets there is tried. A deleted file keeps its path, of which
    only the directory can be tried. So does one that has other links, or got its first link after O_TMPFILE.
    """
    root, path = read_link(f"/proc/{tid}/root"), seen.link
    if root and is_outside(tid, root):
        root, path = "/", link_from_root(tid, seen.at)
    inside = path if root in (None, "/") else path[len(root):]
    is_deleted = path.endswith(DELETED) and (seen.is_deleted or not leads_to(f"/proc/{tid}/root{inside}", seen))
    if is_deleted:
        path = path[:-len(DELETED)]
    if root is None or not (root == "/" or is_below(path, root)):
        return None
    path = path if root == "/" else path[len(root):] or "/"
    there = where(f"/proc/{tid}/root" + (os.path.dirname(path) if is_deleted else path))
    if not there or there[1] != seen.mount or not (is_deleted or there[0] == seen.identity):
        return None
    return path


class Truth:
    """What was right at one step."""

    def __init__(self):
        self.before = {}  # argument: Seen
        self.after = {}   # argument, "result", "result2": Seen
        self.bases = {}   # number of a path: the directory that it starts at, or None: it has no path
        self.went = None  # the directory that a chdir went to
        self.root = None  # of the process, where a file was opened
        self.result = self.result2 = None


class World:
    """The first run of a program: does a step and says what was true."""

    def __init__(self, directory, program):
        self.directory = directory
        self.segment = Segment(directory, program)
        self.steps, self.truths, self.place_of = [], [], {}
        self.names = {}    # (identity, mount): (first actor of a process, root): names that the file had for it, or None
        self.pins = {}     # identity: a descriptor that keeps the inode from being used again
        self.alive = {0}
        self.group = {0: 0}
        self.blocked = {}  # parent: child of vfork

    def release(self):
        for pin in self.pins.values():
            os.close(pin)
        self.segment.let(len(self.steps), True)
        self.segment.release()

    def tid(self, actor):
        return self.segment.tid(actor)

    def fds(self, actor):
        try:
            return sorted(int(n) for n in os.listdir(f"/proc/{self.tid(actor)}/fd"))
        except OSError:
            return []

    def links(self, actor):
        return {fd: read_link(f"/proc/{self.tid(actor)}/fd/{fd}") or "" for fd in self.fds(actor)}

    def root_of(self, actor):
        try:
            about = os.stat(f"/proc/{self.tid(actor)}/root")
        except OSError:
            return None
        return about.st_dev, about.st_ino

    def note(self, actor, seen):
        """Remembers the name that a file has for the process now."""
        if seen and seen.is_file:
            names = self.names.setdefault((seen.identity, seen.mount), {})
            names.setdefault((self.group[actor], self.root_of(actor)), set()).add(name_of(self.tid(actor), seen))

    def pin(self, tid, fd, seen):
        if seen and seen.is_file and seen.identity not in self.pins:
            try:
                self.pins[seen.identity] = os.open(f"/proc/{tid}/fd/{fd}", os.O_PATH | os.O_CLOEXEC)
            except OSError:
                pass

    def value(self, arg):
        kind, value = arg
        if kind in (RESULT, RESULT2):
            if value not in self.place_of:
                return -1
            result = self.segment.result(self.place_of[value])[kind - RESULT]
            return result if result >= 0 else -1
        return value

    def note_all(self):
        for actor in self.alive:
            tid = self.tid(actor)
            for fd in self.fds(actor):
                self.note(actor, see(tid, fd))

    def can_do(self, step):
        return step.actor in self.alive and step.actor not in self.blocked and \
            os.path.exists(f"/proc/{self.tid(step.actor)}/fd") and all(self.is_inside(step, *path) for path in step.paths)

    def is_inside(self, step, directory, path):
        """Whether the path stays in the program's own directory: without the steps that are gone it may lead out of it."""
        tid, text = self.tid(step.actor), step.args[path][1]
        at = "cwd" if directory is None or self.value(step.args[directory]) == AT_FDCWD else \
            f"fd/{self.value(step.args[directory])}"
        if text.startswith("/proc/"):
            return True
        there = where(f"/proc/{tid}/" + (f"root{os.path.dirname(text)}" if text.startswith("/") else f"{at}/{os.path.dirname(text)}"))
        return not there or is_below(there[2].removesuffix(DELETED), self.directory)

    def base_of(self, tid, step, directory):
        """The directory that a relative path starts at, as the process sees it; None: it has no path."""
        value = AT_FDCWD if directory is None else self.value(step.args[directory])
        seen = see(tid, "cwd" if value == AT_FDCWD else value)
        return name_of(tid, seen) if seen and seen.is_file and not seen.is_deleted else None

    def do(self, step):
        """Returns whether the step was done."""
        if not self.can_do(step) or len(self.steps) >= STEPS:
            return False
        segment, place, tid, truth = self.segment, len(self.steps), self.tid(step.actor), Truth()
        fds = {i: self.value(step.args[i]) for i in step.fds}
        for i, fd in fds.items():
            truth.before[i] = see(tid, fd)
            self.note(step.actor, truth.before[i])
        for i, (directory, _) in enumerate(step.paths):
            truth.bases[i] = self.base_of(tid, step, directory)
        truth.values = [self.value(a) for a in step.args]
        if step.id is None:
            step.id = place
        segment.put(place, step, self.place_of)
        self.steps.append(step)
        self.truths.append(truth)
        self.place_of[step.id] = place
        segment.let(place + 1)
        if not segment.wait(lambda: segment.next() > place):
            raise TimeoutError(f"step {place} does not end: {step}")
        self.after(step, truth, place, fds)
        return True

    def after(self, step, truth, place, fds):
        segment = self.segment
        truth.result, truth.result2, _ = segment.result(place)
        self.follow(step, truth, place)
        tid = self.tid(step.actor)
        if step.actor not in self.alive or step.actor in self.blocked:
            return
        for i, fd in fds.items():
            truth.after[i] = see(tid, fd)
            self.note(step.actor, truth.after[i])
        truth.root = self.root_of(step.actor)
        for name, fd in (("result", truth.result), ("result2", truth.result2)):
            if makes_fd(step, name) and fd >= 0:
                truth.after[name] = see(tid, fd)
                self.note(step.actor, truth.after[name])
                self.pin(tid, fd, truth.after[name])
        if step.call == "chdir" and truth.result == 0:
            went = see(tid, "cwd")
            truth.went = went and name_of(tid, went)
        if step.call.startswith(("rename", "unlink", "chroot", "link", "setns")) or step.kind in (MOUNT_CALL, OWN_MOUNTS):
            self.note_all()

    def follow(self, step, truth, place):
        """Who lives, who waits for whom."""
        segment, me = self.segment, step.actor
        if step.kind == SPAWN and truth.result >= 0:
            child = step.spawned
            self.alive.add(child)
            is_thread = step.call.startswith("clone") and step.args[0][1] & CLONE_THREAD
            self.group[child] = self.group[me] if is_thread else child
            segment.wait(lambda: segment.tid(child) != 0)
            if step.call == "vfork" or (step.call.startswith("clone") and step.args[0][1] & CLONE_VFORK):
                self.blocked[me] = child
        elif step.kind in (EXEC, EXECAT) and truth.result == 0:
            self.end({a for a in self.alive if self.group[a] == self.group[me]} - {me})
            self.unblock(me)
        elif step.kind == EXIT:
            whole = step.call == "exit_group"
            gone = {a for a in self.alive if a == me or (whole and self.group[a] == self.group[me])}
            tids = [self.tid(a) for a in gone]
            self.end(gone)
            segment.wait(lambda: not any(os.path.exists(f"/proc/{t}") for t in tids), 2)

    def end(self, gone):
        self.alive -= gone
        for actor in gone:
            self.unblock(actor)
            self.blocked.pop(actor, None)

    def unblock(self, child):
        for parent in [p for p, c in self.blocked.items() if c == child]:
            del self.blocked[parent]


OPENING = (18, 28)  # IORING_OP_OPENAT and OPENAT2
MAKERS = {"open", "openat", "openat2", "creat", "open_by_handle_at", "open_tree", "dup", "dup2", "dup3", "memfd_create", "eventfd2", "epoll_create1",
          "inotify_init1", "timerfd_create", "pidfd_open", "pidfd_getfd"}


def makes_fd(step, name):
    if step.kind == PAIR:
        return True
    if step.kind == RECEIVE_FD:
        return name == "result2"
    if step.kind == URING:
        return name == "result" and step.args[0][1] in OPENING
    if step.call == "fcntl":
        return name == "result" and step.args[1][1] in (0, 1030)
    return name == "result" and step.call in MAKERS
