"""generate: steps drawn at random, each with regard to what the program has by then."""

import os
import random
import shutil

from program import (AT_FDCWD, CALL, CLONE_FILES, CLONE_FS, CLONE_SIGHAND, CLONE_THREAD, CLONE_VFORK, CLONE_VM, EXEC, EXECAT,
                     EXIT, HOW, MOUNT_CALL, NUMBER, OWN_MOUNTS, PAIR, RECEIVE_FD, RESULT, RESULT2, ROOM, SEND_FD, SIGCHLD,
                     SPAWN, TID, URING, VECTOR, HANDLE, KEPT, Step, World, makes_fd, read_link)

FIOCLEX, FIONCLEX = 0x5451, 0x5450
AT_EMPTY_PATH, AT_SYMLINK_FOLLOW = 0x1000, 0x400
F_DUPFD, F_SETFD, F_SETFL, F_DUPFD_CLOEXEC = 0, 2, 4, 1030
RWF_APPEND, RWF_NOAPPEND = 0x10, 0x20
CLOSE_RANGE_UNSHARE, CLOSE_RANGE_CLOEXEC = 2, 4
AF_UNIX, SOCK_STREAM, SOCK_DGRAM, MSG_DONTWAIT, MSG_CMSG_CLOEXEC = 1, 1, 2, 0x40, 0x40000000
MNT_DETACH, MS_BIND, MS_MOVE, CLONE_NEWNS = 2, 4096, 8192, 0x20000
RENAME_NOREPLACE, RENAME_EXCHANGE = 1, 2
RESOLVE_NO_MAGICLINKS, RESOLVE_NO_SYMLINKS, RESOLVE_BENEATH, RESOLVE_IN_ROOT, RESOLVE_CACHED = 2, 4, 8, 16, 32
OPEN_TREE_CLONE, AT_RECURSIVE, MOVE_MOUNT_EMPTY_PATH = 1, 0x8000, 4
OPENAT, CLOSE, OPENAT2 = 18, 19, 28  # of io_uring
O_TMPFILE = os.O_TMPFILE

FOLDERS = ("d0", "d1", "d0/s")


def lay_out(directory, program):
    """What every program finds: small files of different sizes, and itself in each directory."""
    shutil.rmtree(os.path.dirname(directory), ignore_errors=True)
    for number, folder in enumerate(("", *FOLDERS)):
        os.makedirs(os.path.join(directory, folder))
        for i in range(3):
            with open(os.path.join(directory, folder, f"f{i}"), "wb") as file:
                file.write(bytes(700 + 300 * number + 91 * i))
        shutil.copy(program, os.path.join(directory, folder, "exe"))
        os.symlink("f1", os.path.join(directory, folder, "l0"))
    os.symlink("../d1", os.path.join(directory, "d0", "ld"))
    os.symlink(os.path.join(directory, "d0"), os.path.join(directory, "ld"))
    for folder in ("up", "work"):  # of an overlay
        os.mkdir(os.path.join(directory, folder))


class Generator:
    def __init__(self, seed, directory, program):
        self.random = random.Random(seed)
        self.has_requests = seed % 10 == 0  # of io_uring: by perf, the names of its other calls are doubtful then
        self.world = World(directory, program)
        self.directory = directory
        self.spawned = 0
        self.actor = 0
        self.last = {}   # number: the step that made a descriptor with it last
        self.calls = self.weigh()

    def weigh(self):
        """Each program has a mood of its own: some calls more often than others."""
        calls = []
        for make, weight in CALLS:
            mood = self.random.choice((0.3, 1, 1, 1, 3))
            calls.append((make, weight * mood if make is not uring or self.has_requests else 0))
        return calls

    def run(self, length):
        makes, weights = [c[0] for c in self.calls], [c[1] for c in self.calls]
        while len(self.world.steps) < length:
            actors = sorted(a for a in self.world.alive if a not in self.world.blocked)
            if not actors:
                return
            if self.actor not in actors or self.random.random() < 0.35:
                self.actor = self.random.choice(actors)
            step = self.random.choices(makes, weights)[0](self)
            if step and self.world.do(step):
                truth = self.world.truths[-1]
                for name, kind, number in (("result", RESULT, truth.result), ("result2", RESULT2, truth.result2)):
                    if makes_fd(step, name) and number >= 0:
                        self.last[number] = (kind, step.id)
            elif step:
                self.world.alive.discard(step.actor)

    # What a step needs.

    def chance(self, share):
        return self.random.random() < share

    def fd_of(self, number):
        return self.last.get(number, number)

    def fd(self, like=None):
        """A descriptor, mostly one that is open and of the kind that is asked for."""
        links = {n: link for n, link in self.world.links(self.actor).items() if n > 2}
        if self.chance(0.02) or not links:
            return self.random.choice((0, 1, 77, 5) if self.chance(0.3) else (0,))
        fit = [n for n, link in links.items() if like and self.chance(0.95) and like(link)]
        return self.fd_of(self.random.choice(fit or list(links)))

    def path(self, is_new=False, base=None):
        """A name that mostly leads to a file (is_new: to a place for one), relative to the descriptor base."""
        tid, at = self.world.tid(self.actor), "cwd"
        if base not in (None, AT_FDCWD):
            at = f"fd/{self.world.value(base if isinstance(base, tuple) else (0, base))}"
        for _ in range(12):
            path = self.any_path(is_new)
            full = f"/proc/{tid}/root{path}" if path[0] == "/" else f"/proc/{tid}/{at}/{path}"
            if os.path.exists(os.path.dirname(full) if is_new else full) or self.chance(0.03):
                break
        return path

    def any_path(self, is_new):
        """A name: relative, absolute, or absolute from a root that is inside."""
        folders = ("", "", "d0/", "d1/", "d0/s/", "d1/t/", "d2/", "d2/s/", "../", "../d1/", "s/", "./d0/", "ld/", "d0/ld/")
        folder = self.random.choice(folders)
        name = self.random.choice(("n0", "n1", "n2", "n3") if is_new else ("f0", "f1", "f2", "f0", "f1", "n0", "n1", "exe", "l0"))
        shape = self.random.random()
        if folder.startswith(("../", "./")) or shape < 0.6:
            return folder + name
        return (self.directory + "/" if shape < 0.9 or not self.is_inside() else "/") + folder + name

    def folder(self):
        for _ in range(8):
            name = self.any_folder()
            if os.path.isdir(f"/proc/{self.world.tid(self.actor)}/" + ("root" if name[0] == "/" else "cwd/") + name):
                break
        return name

    def any_folder(self):
        name = self.random.choice(("d0", "d1", "d0/s", "d2", "d1/t", ".", "..", "s", "t", "../d1", "ld"))
        if name[:2] == ".." and not (read_link(f"/proc/{self.world.tid(self.actor)}/cwd") or "").startswith(self.directory + "/"):
            name = "d0"  # no step leaves the program's own directory for long
        if self.chance(0.3):
            return self.directory + "/" + name if name[0] != "." else self.directory
        return name

    def dirfd(self):
        return AT_FDCWD if self.chance(0.5) else self.fd(is_folder)

    def is_inside(self):
        return read_link(f"/proc/{self.world.tid(self.actor)}/root") not in (None, "/")

    def size(self):
        return self.random.choice((0, 1, 10, 10, 100, 333, 1000, 5000))

    def flags(self):
        r = self.random
        flags = r.choice((os.O_RDONLY, os.O_RDWR, os.O_RDWR, os.O_WRONLY)) | os.O_NONBLOCK
        for bit, share in ((os.O_CREAT, 0.3), (os.O_APPEND, 0.25), (os.O_CLOEXEC, 0.35), (os.O_TRUNC, 0.05),
                           (os.O_EXCL | os.O_CREAT, 0.03), (os.O_PATH, 0.04)):
            if self.chance(share):
                flags |= bit
        return flags

    def reopened(self):
        number = self.fd(lambda link: is_file(link) and not is_program(link))
        value = self.world.value(number if isinstance(number, tuple) else (0, number))
        return f"/proc/{self.random.choice(('self', 'thread-self'))}/fd/{value}"


def is_file(link):
    return link.startswith("/") and not link.startswith("/memfd")


def is_program(path):
    """It is not written to: who overwrites its own program cannot go on."""
    return path.endswith("exe")


def is_folder(link):
    return link.rsplit("/", 1)[-1] in ("d0", "d1", "d2", "d3", "s", "t", "in")


def is_socket(link):
    return link.startswith("socket")


def opens(g):
    flags, shape = g.flags(), g.random.random()
    directory = g.dirfd()
    how = g.random.random()
    path = g.path(bool(flags & os.O_CREAT) and g.chance(0.7), directory if how >= 0.3 and shape >= 0.08 else None)
    if is_program(path):
        flags, shape = os.O_RDONLY | flags & os.O_CLOEXEC, 1
    if shape < 0.08:
        return Step(g.actor, CALL, "creat", path, 0o600, paths=[(None, 0)])
    if shape < 0.16:
        path = g.reopened()
    elif shape < 0.28:
        path, flags = g.folder(), os.O_RDONLY | os.O_DIRECTORY | flags & os.O_CLOEXEC | (os.O_PATH if g.chance(0.3) else 0)
    elif shape < 0.32:
        path, flags = g.folder(), O_TMPFILE | os.O_RDWR | flags & os.O_CLOEXEC
    if path[0] != "/" and 0.16 <= shape < 0.32:
        directory = AT_FDCWD
    if how < 0.3:
        return Step(g.actor, CALL, "open", path, flags, 0o600, paths=[(None, 0)])
    if how < 0.8:
        return Step(g.actor, CALL, "openat", directory, path, flags, 0o600, paths=[(0, 1)])
    return Step(g.actor, CALL, "openat2", directory, path, how_of(g, flags), 24, paths=[(0, 1)])


def how_of(g, flags):
    mode = 0o600 if flags & os.O_CREAT or flags & O_TMPFILE == O_TMPFILE else 0
    resolve = 0
    for bit, share in ((RESOLVE_NO_MAGICLINKS, 0.1), (RESOLVE_NO_SYMLINKS, 0.1), (RESOLVE_BENEATH, 0.2), (RESOLVE_IN_ROOT, 0.3),
                       (RESOLVE_CACHED, 0.1)):
        if g.chance(share):
            resolve |= bit
    return HOW, flags | mode << 32 | resolve << 48


def uring(g):
    """What a request opens and closes."""
    how, flags, directory = g.random.random(), g.flags(), g.dirfd()
    if how < 0.25:
        return Step(g.actor, URING, "io_uring_enter", CLOSE, g.fd())
    path = g.path(bool(flags & os.O_CREAT) and g.chance(0.7), directory)
    if is_program(path):
        flags = os.O_RDONLY | flags & os.O_CLOEXEC
    if how < 0.75:
        return Step(g.actor, URING, "io_uring_enter", OPENAT, directory, path, 0o600, flags, paths=[(1, 2)])
    return Step(g.actor, URING, "io_uring_enter", OPENAT2, directory, path, 24, 0, how_of(g, flags), paths=[(1, 2)])


def handles(g):
    if g.chance(0.5):
        directory = g.dirfd()
        return Step(g.actor, CALL, "name_to_handle_at", directory, g.path(False, directory), (HANDLE, 0), (ROOM, 0), 0,
                    paths=[(0, 1)])
    flags = g.random.choice((os.O_RDONLY, os.O_RDONLY, os.O_PATH)) | os.O_NONBLOCK | (os.O_CLOEXEC if g.chance(0.5) else 0)
    return Step(g.actor, CALL, "open_by_handle_at", g.fd(is_file), (KEPT, 0), flags)


def links(g):
    how, directory = g.random.random(), g.dirfd()
    new = g.path(True, directory)
    if how < 0.25:
        return Step(g.actor, CALL, "link", g.path(), g.path(True), paths=[(None, 0), (None, 1)])
    if how < 0.5:
        return Step(g.actor, CALL, "linkat", AT_FDCWD, g.reopened(), directory, new, AT_SYMLINK_FOLLOW, paths=[(0, 1), (2, 3)])
    if how < 0.65:
        return Step(g.actor, CALL, "linkat", g.fd(is_file), "", directory, new, AT_EMPTY_PATH, paths=[(0, 1), (2, 3)])
    target = g.random.choice(("f0", "d1", "../d1/f1", g.directory + "/f2"))
    return Step(g.actor, CALL, "symlink", target, g.path(True), paths=[(None, 1)])


def makes(g):
    cloexec, r = os.O_CLOEXEC if g.chance(0.5) else 0, g.random
    call = r.choice(("pipe2", "pipe2", "socketpair", "socketpair", "socketpair", "eventfd2", "epoll_create1", "memfd_create",
                     "inotify_init1", "timerfd_create"))
    if call == "pipe2":
        return Step(g.actor, PAIR, call, os.O_NONBLOCK | cloexec)
    if call == "socketpair":
        return Step(g.actor, PAIR, call, AF_UNIX, r.choice((SOCK_STREAM, SOCK_DGRAM)) | os.O_NONBLOCK | cloexec, 0)
    args = {"eventfd2": (0, os.O_NONBLOCK | cloexec), "epoll_create1": (cloexec,), "memfd_create": ("m", 1 if cloexec else 0),
            "inotify_init1": (os.O_NONBLOCK | cloexec,), "timerfd_create": (1, os.O_NONBLOCK | cloexec)}[call]
    return Step(g.actor, CALL, call, *args)


def copies(g):
    fd, how, cloexec = g.fd(), g.random.random(), os.O_CLOEXEC if g.chance(0.5) else 0
    target = g.random.choice((g.fd(), g.random.randrange(3, 24)))
    if how < 0.25:
        return Step(g.actor, CALL, "dup", fd, fds=(0,))
    if how < 0.45:
        return Step(g.actor, CALL, "dup2", fd, target, fds=(0,))
    if how < 0.65:
        return Step(g.actor, CALL, "dup3", fd, target, cloexec, fds=(0,))
    return Step(g.actor, CALL, "fcntl", fd, F_DUPFD_CLOEXEC if cloexec else F_DUPFD, g.random.randrange(3, 16), fds=(0,))


def flags_of(g):
    fd, how = g.fd(), g.random.random()
    if how < 0.4:
        return Step(g.actor, CALL, "fcntl", fd, F_SETFD, g.random.randrange(2), fds=(0,))
    if how < 0.75:
        return Step(g.actor, CALL, "ioctl", fd, g.random.choice((FIOCLEX, FIONCLEX)), fds=(0,))
    return Step(g.actor, CALL, "fcntl", fd, F_SETFL, os.O_NONBLOCK | (os.O_APPEND if g.chance(0.5) else 0), fds=(0,))


def closes(g):
    if g.chance(0.85):
        return Step(g.actor, CALL, "close", g.fd(), fds=(0,))
    first = g.random.randrange(3, 20)
    flags = g.random.choice((0, 0, CLOSE_RANGE_UNSHARE, CLOSE_RANGE_CLOEXEC, CLOSE_RANGE_CLOEXEC | CLOSE_RANGE_UNSHARE))
    return Step(g.actor, CALL, "close_range", first, g.random.choice((first + g.random.randrange(6), 0xffffffff)), flags)


def moves_data(g):
    fd, size, how = g.fd(is_file if g.chance(0.75) else None), g.size(), g.random.random()
    offset = g.random.choice((0, 5, 100, 700, 4096))
    if how < 0.4:
        return Step(g.actor, CALL, g.random.choice(("read", "write")), fd, (ROOM, 0), size, fds=(0,))
    size = min(size, 500)
    if how < 0.55:
        return Step(g.actor, CALL, g.random.choice(("pread64", "pwrite64")), fd, (ROOM, 0), size, offset, fds=(0,))
    if how < 0.7:
        return Step(g.actor, CALL, g.random.choice(("readv", "writev")), fd, (VECTOR, size), g.random.randrange(4), fds=(0,))
    if how < 0.8:
        return Step(g.actor, CALL, g.random.choice(("preadv", "pwritev")), fd, (VECTOR, size), 2, offset, fds=(0,))
    call = g.random.choice(("preadv2", "pwritev2"))
    flags = g.random.choice((0, 0, RWF_APPEND, RWF_NOAPPEND)) if call == "pwritev2" else 0
    return Step(g.actor, CALL, call, fd, (VECTOR, size), 2, g.random.choice((-1, -1, offset)), 0, flags, fds=(0,))


def copies_data(g):
    source, target, size = g.fd(is_file), g.fd(), min(g.size(), 1000)
    offset, other = ((NUMBER, g.random.choice((0, 3, 50))) if g.chance(0.5) else 0 for _ in range(2))
    how = g.random.random()
    if how < 0.4:
        return Step(g.actor, CALL, "sendfile", target, source, offset, size, fds=(0, 1))
    if how < 0.7:
        return Step(g.actor, CALL, "copy_file_range", source, offset, g.fd(is_file), other, size, 0, fds=(0, 2))
    return Step(g.actor, CALL, "splice", source, offset, g.fd(lambda link: link.startswith("pipe")), 0, size, 2, fds=(0, 2))


def moves_position(g):
    how = g.random.random()
    fd = g.fd(is_file)
    if how < 0.5:
        return Step(g.actor, CALL, "lseek", fd, g.random.choice((0, 7, 200, -5)), g.random.randrange(3), fds=(0,))
    if how < 0.65:
        return Step(g.actor, CALL, "ftruncate", fd, g.random.choice((0, 50, 2000)), fds=(0,))
    if how < 0.8:
        return Step(g.actor, CALL, "fsync", fd, fds=(0,))
    if how < 0.9:
        return Step(g.actor, CALL, "getdents64", g.fd(is_file), (ROOM, 0), 4096, fds=(0,))
    return Step(g.actor, CALL, "fstat", fd, (ROOM, 0), fds=(0,))


def names(g):
    how, first, second = g.random.random(), g.dirfd(), g.dirfd()
    if how < 0.2:
        return Step(g.actor, CALL, "rename", g.path(), g.path(is_new=True), paths=[(None, 0), (None, 1)])
    if how < 0.3:
        return Step(g.actor, CALL, "renameat", first, g.path(False, first), second, g.path(False, second), paths=[(0, 1), (2, 3)])
    if how < 0.36:
        return Step(g.actor, CALL, "renameat2", first, g.path(False, first), second, g.path(False, second),
                    g.random.choice((0, RENAME_EXCHANGE, RENAME_NOREPLACE)), paths=[(0, 1), (2, 3)])
    top = g.random.choice((g.directory + "/", g.directory + "/", "", "../", "../../"))
    if how < 0.4:
        return Step(g.actor, CALL, "renameat2", AT_FDCWD, top + "d0", AT_FDCWD, top + g.random.choice(("d1", "d2", "d1/t")),
                    RENAME_EXCHANGE, paths=[(0, 1), (2, 3)])
    if how < 0.45:
        old, new = g.random.choice((("d0", "d2"), ("d2", "d0"), ("d0/s", "d1/t"), ("d1/t", "d0/s"), ("d1", "d3"), ("d3", "d1"),
                                    ("d0", "d1/t")))
        return Step(g.actor, CALL, "rename", top + old, top + new, paths=[(None, 0), (None, 1)])
    if how < 0.55:
        return Step(g.actor, CALL, "mkdir", f"{g.directory}/{g.random.choice(('d0', 'd1', 'd0/s', 'd2'))}", 0o700,
                    paths=[(None, 0)])
    if how < 0.7:
        return Step(g.actor, CALL, "unlink", g.path(), paths=[(None, 0)])
    if how < 0.8:
        return Step(g.actor, CALL, "unlinkat", first, g.path(False, first), 0, paths=[(0, 1)])
    if how < 0.9:
        return Step(g.actor, CALL, "newfstatat", first, g.path(False, first), (ROOM, 0), 0, paths=[(0, 1)])
    call = g.random.choice(("stat", "access"))
    return Step(g.actor, CALL, call, g.path(),
                (ROOM, 0) if call == "stat" else 0, paths=[(None, 0)])


def directories(g):
    how = g.random.random()
    if how < 0.5:
        return Step(g.actor, CALL, "chdir", g.folder(), paths=[(None, 0)])
    if how < 0.85:
        return Step(g.actor, CALL, "fchdir", g.fd(is_folder), fds=(0,))
    return Step(g.actor, CALL, "chroot", g.folder(), paths=[(None, 0)])


def spawns(g):
    if g.spawned + 1 >= 24 or len(g.world.alive) > 6:
        return ends(g)
    g.spawned += 1
    how = g.random.random()
    if how < 0.25:
        return Step(g.actor, SPAWN, "fork", 0, spawned=g.spawned)
    if how < 0.4:
        return Step(g.actor, SPAWN, "vfork", 0, spawned=g.spawned)
    flags = SIGCHLD
    for bit, share in ((CLONE_FILES, 0.5), (CLONE_FS, 0.4), (CLONE_VM, 0.3), (CLONE_VFORK, 0.1)):
        if g.chance(share):
            flags |= bit
    if not flags & CLONE_FS and g.chance(0.1):
        flags |= CLONE_NEWNS
    if how < 0.6:
        flags = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_FILES | CLONE_FS
        if g.chance(0.25):
            flags &= ~CLONE_FILES
        if g.chance(0.25):
            flags &= ~CLONE_FS
    return Step(g.actor, SPAWN, g.random.choice(("clone", "clone", "clone3")), flags, spawned=g.spawned)


def ends(g):
    if len(g.world.alive) == 1 and g.chance(0.9):
        return None
    is_thread = g.world.group[g.actor] != g.actor
    return Step(g.actor, EXIT, "exit" if is_thread else "exit_group", 0)


def execs(g):
    exe = g.random.choice(("exe", "exe", "d0/exe", "d1/exe", "/exe", g.directory + "/exe", g.directory + "/d1/exe"))
    if g.chance(0.5):
        return Step(g.actor, EXEC, "execve", exe, paths=[(None, 0)])
    programs = [n for n, link in g.world.links(g.actor).items() if link.endswith("/exe")]
    if programs:
        return Step(g.actor, EXECAT, "execveat", g.fd_of(g.random.choice(programs)), "", AT_EMPTY_PATH)
    return Step(g.actor, EXECAT, "execveat", g.dirfd(), exe, 0, paths=[(0, 1)])


def unshares(g):
    how = g.random.random()
    if how < 0.6:
        return Step(g.actor, CALL, "unshare", g.random.choice((CLONE_FILES, CLONE_FS, CLONE_FILES | CLONE_FS)))
    return Step(g.actor, OWN_MOUNTS, "unshare", 0)


def mounts(g):
    if not g.world.segment.word(16 + 4 * 64 + 4 * g.actor).value:
        return Step(g.actor, OWN_MOUNTS, "unshare", 0) if g.chance(0.3) else None
    target = g.directory + "/" + g.random.choice(("d0", "d1", "d2", "d0/s"))
    how = g.random.random()
    if how < 0.35:
        return Step(g.actor, MOUNT_CALL, "mount", g.random.choice((g.directory, g.directory + "/d1")), target, 0, MS_BIND, 0)
    if how < 0.42:
        return Step(g.actor, MOUNT_CALL, "mount", g.directory + "/d0", target, 0, MS_MOVE, 0)
    if how < 0.52:
        return Step(g.actor, MOUNT_CALL, "mount", "tmpfs", target, "tmpfs", 0, 0)
    if how < 0.62:
        layers = ",".join(f"{kind}dir={g.directory}/{name}" for kind, name in (("lower", "d1"), ("upper", "up"), ("work", "work")))
        return Step(g.actor, MOUNT_CALL, "mount", "overlay", target, "overlay", 0, layers)
    if how < 0.7:
        return Step(g.actor, MOUNT_CALL, "pivot_root", g.directory + "/d0", g.directory + "/d0/s")
    if how < 0.78:
        clone = g.random.choice((0, OPEN_TREE_CLONE, OPEN_TREE_CLONE | AT_RECURSIVE))
        return Step(g.actor, CALL, "open_tree", AT_FDCWD, g.folder(), os.O_CLOEXEC | clone)
    trees = [n for n, link in g.world.links(g.actor).items() if is_folder(link)]
    if how < 0.85 and trees:
        return Step(g.actor, MOUNT_CALL, "move_mount", g.fd_of(g.random.choice(trees)), "", AT_FDCWD, target, MOVE_MOUNT_EMPTY_PATH)
    return Step(g.actor, MOUNT_CALL, "umount2", target, MNT_DETACH)


def passes(g):
    sockets = [n for n, link in g.world.links(g.actor).items() if is_socket(link)]
    how = g.random.random()
    if sockets and how < 0.4:
        return Step(g.actor, SEND_FD, "sendmsg", g.fd_of(g.random.choice(sockets)), g.fd(), MSG_DONTWAIT, fds=(0,))
    if sockets and how < 0.85:
        flags = MSG_DONTWAIT | (MSG_CMSG_CLOEXEC if g.chance(0.5) else 0)
        return Step(g.actor, RECEIVE_FD, "recvmsg", g.fd_of(g.random.choice(sockets)), flags, fds=(0,))
    leaders = sorted(a for a in g.world.alive if g.world.group[a] == a)
    pidfds = [n for n, link in g.world.links(g.actor).items() if "pidfd" in link]
    if pidfds and g.chance(0.1):
        return Step(g.actor, CALL, "setns", g.fd_of(g.random.choice(pidfds)), CLONE_NEWNS)
    if pidfds and g.chance(0.7):
        return Step(g.actor, CALL, "pidfd_getfd", g.fd_of(g.random.choice(pidfds)), g.random.randrange(3, 14), 0)
    return Step(g.actor, CALL, "pidfd_open", (TID, g.random.choice(leaders)), 0) if leaders else None


CALLS = ((opens, 26), (makes, 6), (copies, 8), (flags_of, 5), (closes, 8), (moves_data, 30), (copies_data, 5),
         (moves_position, 9), (names, 7), (directories, 3), (spawns, 6), (ends, 2), (execs, 3), (unshares, 1), (mounts, 3),
         (passes, 5), (links, 3), (handles, 3), (uring, 4))


def leaves_chroot():
    """The steps of a program that opens a file again from the root of its mount namespace, which in a chroot is another root."""
    return [Step(0, CALL, "openat", AT_FDCWD, "f0", os.O_RDWR, 0, paths=[(0, 1)]),
            Step(0, CALL, "pidfd_open", (TID, 0), 0),
            Step(0, CALL, "setns", (RESULT, 1), CLONE_NEWNS),
            Step(0, CALL, "openat", AT_FDCWD, "/proc/thread-self/fd/3", os.O_RDWR, 0, paths=[(0, 1)]),
            Step(0, CALL, "read", (RESULT, 3), (ROOM, 0), 100, fds=(0,))]


FIXED = {"leaves-chroot": leaves_chroot}
