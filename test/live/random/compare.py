"""compare: what iotrace says in its text, call by call, with the truth about a random program."""

import errno
import os
import re
from collections import Counter, defaultdict

from generate import RWF_APPEND, RWF_NOAPPEND
from program import MOUNT_CALL, NOT_DONE, NUMBER, OWN_MOUNTS, SPAWN, TRACED, URING, makes_fd

LINE = re.compile(r"\d+ (\d+)@(\d+) (\S+)(?: (.*))?$")
HANDLE = re.compile(r'handle h(\d+) (?:p\d+|-) (?:f\d+|-) "((?:[^"\\]|\\.)*)"')
FILE = re.compile(r'file f(\d+) "((?:[^"\\]|\\.)*)"')


class Call:
    def __init__(self, name, handle, file):
        self.name, self.handle, self.file, self.error, self.lines = name, handle, file, None, []


class Trace:
    """The calls of each thread, and the names of handles and files."""

    def __init__(self, path):
        self.calls, self.handles, self.files = defaultdict(list), {}, {}
        now = {}
        with open(path, encoding="utf-8", errors="surrogateescape") as lines:
            for line in lines:
                match = LINE.match(line)
                if match:
                    self.take(now, match)
                else:
                    self.define(line)

    def define(self, line):
        if match := HANDLE.match(line):
            self.handles[int(match[1])] = match[2] or None
        elif match := FILE.match(line):
            self.files[int(match[1])] = match[2] or None

    def take(self, now, match):
        tid, kind, words = int(match[1]), match[3], (match[4] or "").split()
        if kind == "ENTER":
            ids = {w[0]: int(w[1:]) for w in words[1:] if w[1:].isdigit()}
            now[tid] = Call(words[0], ids.get("h"), ids.get("f"))
            self.calls[tid].append(now[tid])
        elif tid not in now:
            return
        elif kind == "LEAVE":
            now[tid].error = words[1] if len(words) > 1 else ""
            del now[tid]
        else:
            now[tid].lines.append((kind, words))


def errno_name(result):
    name = errno.errorcode.get(-result, "") if -4096 < result < 0 else ""
    return "EOPNOTSUPP" if name == "ENOTSUP" else name


def shape(name):
    """A file that never had a name has the number of its inode, which is another in each run."""
    return name and re.sub(r"/#\d+", "/#", name)


def is_kind(link, name):
    """Whether a name without a path fits: it is the kernel's, or that of the call that made it."""
    kind = link.split(":")[1].strip("[]") if link.startswith("anon_inode:") else link.split(":")[0]
    return name.startswith((link.split(":")[0] + ":", "memfd" if "memfd" in link else ":")) or name.startswith({"eventpoll": "epoll"}.get(kind, kind))


def calls_of(step, truth):
    """The names of the calls that a step makes and that are recorded, as the kernel's tracepoints call them."""
    if step.kind == URING:
        return ("io_uring_setup",) if truth.result == NOT_DONE else ("io_uring_setup", "io_uring_enter", "close")
    name = TRACED.get(step.call, step.call)
    return (name,) if name and not (step.kind == MOUNT_CALL and truth.result == NOT_DONE) else ()


class Comparison:
    """Of one program: what is wrong, as (class, sentence), and how many names there were."""

    def __init__(self, world, results, trace):
        self.world, self.results, self.trace = world, results, trace
        self.wrong, self.count, self.same = [], Counter(), {}
        self.absent = Counter()
        self.nameless = set()  # handles of files that no path led to, perhaps not for all the time

    def run(self):
        at = Counter()
        for place, (step, truth) in enumerate(zip(self.world.steps, self.world.truths)):
            result, result2, tid = self.results[place]
            if not self.is_the_same(step, truth, result, result2):
                self.count["not repeated"] += 1
                return
            calls = self.trace.calls[tid]
            for name in calls_of(step, truth):
                if at[tid] == 0 and calls and calls[0].name == "chdir" and tid == self.results[0][2]:
                    at[tid] = 1
                if at[tid] >= len(calls) or calls[at[tid]].name != name:
                    has = calls[at[tid]].name if at[tid] < len(calls) else "nothing"
                    self.say("calls", place, f"{name} expected, {has} recorded")
                    return
                at[tid] += 1
                self.count["calls"] += 1
                if step.kind != URING:  # what its request opened is checked where it is used
                    self.check(place, step, truth, calls[at[tid] - 1])

    def is_the_same(self, step, truth, result, result2):
        if step.kind == SPAWN or step.call in ("exit", "exit_group"):
            return (truth.result >= 0) == (result >= 0)
        return truth.result == result and truth.result2 == result2

    def say(self, kind, place, sentence):
        self.wrong.append((kind, f"step {place}: {self.world.steps[place]} = {self.world.truths[place].result}: {sentence}"))

    def check(self, place, step, truth, call):
        if call.error is not None and call.error != errno_name(truth.result) and step.kind not in (SPAWN, OWN_MOUNTS):
            self.say("result", place, f"error {call.error or 'none'} recorded")
        self.check_file(place, step, truth, call.file)
        made = [truth.after.get(n) for n in ("result", "result2") if makes_fd(step, n)]
        source, target = COPIES.get(step.call, (0, 0))
        if call.handle is not None and call.name not in COPIES and not step.paths and truth.before.get(0):
            self.check_name(place, "handle", call.handle, truth.before[0], step)
        modes = {}
        for kind, words in call.lines:
            if kind == "CREATE_HANDLE" and made:
                self.check_name(place, "open", int(words[0][1:]), made.pop(0), step, truth.root)
            elif kind == "DUPLICATE_HANDLE":
                self.check_name(place, "copied", int(words[0][1:]), truth.before.get(0), step)
                if int(words[0][1:]) in self.nameless:
                    self.nameless.add(int(words[1][1:]))
                self.check_name(place, "copy", int(words[1][1:]), made.pop(0) if made else None, step)
            elif kind == "OP_BEGIN":
                modes[words[1]] = words[2]
                arg = source if words[2] == "READ" else target
                if len(step.fds) == 1:
                    arg = step.fds[0]
                self.check_name(place, "operation", int(words[0][1:]), truth.before.get(arg), step)
                offset = next((int(w[1:]) for w in words[3:] if w[0] == "@"), None)
                self.check_offset(place, step, truth, arg, words[2], offset)
            elif kind == "OP_COMPLETE" and modes.get(words[1]) in ("READ", "WRITE"):
                if truth.result >= 0 and words[2] not in ("*", str(truth.result)):
                    self.say("bytes", place, f"{words[2]} bytes recorded")
            elif kind == "SEEK" and truth.result >= 0 and int(words[-1]) != truth.result:
                self.say("seek", place, f"{words[-1]} recorded")
            elif kind == "DELETE_FILE":
                self.check_file(place, step, truth, int(words[0][1:]))

    def names(self, seen, actor=None, root=None):
        """All names that the file had, or had for the process of the actor in this root; None is one if no path led to it."""
        names = self.world.names.get((seen.identity, seen.mount), {})
        if actor is None:
            return {shape(name) for of_one in names.values() for name in of_one}
        return {shape(name) for name in names.get((self.world.group[actor], root), ())}

    def check_name(self, place, what, handle, seen, step, root=None):
        """The name is that of the moment of the open: for an open the process's own, from its root then; else anybody's."""
        name = self.trace.handles.get(handle)
        if seen is None:
            return
        if name == "open_tree":  # of a directory that no path leads to: what made it
            name = None
        self.count["names"] += 1
        if not seen.is_file:
            self.check_kind(place, what, name, seen)
            return
        names = self.names(seen, step.actor if what == "open" else None, root)
        if name is None and (None in names or not names):  # a mount may have hidden it for some time
            self.nameless.add(handle)
        if name is None:
            self.count["names that there are not"] += handle in self.nameless
            self.absent[what] += handle not in self.nameless
        elif shape(name) not in names:
            self.say("name", place, f"{what} of {seen.link} booked on {name}; its names: {sorted(map(str, names))}")

    def check_kind(self, place, what, name, seen):
        is_numbered = ":[" in seen.link and not seen.link.startswith("anon_inode")
        if name is None:
            self.absent[what] += 1
        elif not is_kind(seen.link, name) or \
                (is_numbered and ":[" in name and self.same.setdefault(seen.link, name) != name):
            self.say("name", place, f"{what} of {seen.link} booked on {name}")

    def paths(self, step, truth):
        """All names that the call's paths may have; None: anything."""
        found = set()
        for i, (_, path) in enumerate(step.paths):
            text = step.args[path][1]
            if text.startswith("/proc/") or not text:
                return None
            if text.startswith("/"):
                found.add(os.path.normpath(text))
            elif truth.bases[i] is not None:
                found.add(os.path.normpath(os.path.join(truth.bases[i], text)))
        return found

    def right_files(self, step, truth):
        """What the call's file may be called: an open has that of its handle, a chdir the directory that it went to.

        What O_TMPFILE makes has no name, but a program that opens it again has the file of the handle.
        """
        opened = truth.after.get("result")
        if opened:
            is_reopened = step.args[step.paths[0][1]][1].startswith("/proc/")
            return {name for name in self.names(opened, step.actor, truth.root) if name and (is_reopened or "/#" not in name)}
        if step.call == "chdir" and truth.result == 0:
            return {truth.went} - {None}
        return self.paths(step, truth)

    def check_file(self, place, step, truth, file):
        if not step.paths or step.kind == SPAWN:
            return
        name, right = self.trace.files.get(file), self.right_files(step, truth)
        if right is None:
            return
        self.count["files"] += 1
        if name is None:
            self.count["files unknown"] += bool(right) and truth.result >= 0
        elif shape(os.path.normpath(name)) not in right:
            self.say("file", place, f"IO_FILE {name}, right: {sorted(right) or 'none'}")

    def check_offset(self, place, step, truth, arg, mode, offset):
        seen = truth.before.get(arg)
        if seen is None or truth.result < 0 or mode == "FLUSH":
            return
        right = true_offset(step, truth, arg, seen, mode)
        self.count["offsets"] += right is not None
        if offset is None:
            self.count["offsets unknown"] += right is not None
        elif not seen.is_seekable and truth.result > 0:
            self.say("offset", place, f"offset {offset} of {seen.link}")
        elif right is not None and right != offset:
            self.say("offset", place, f"offset {offset}, right: {right}")


COPIES = {"sendfile": (1, 0), "sendfile64": (1, 0), "splice": (0, 2), "copy_file_range": (0, 2)}
OFFSET = {"pread64": 3, "pwrite64": 3, "preadv": 3, "pwritev": 3, "preadv2": 3, "pwritev2": 3}


def true_offset(step, truth, arg, seen, mode):
    """Where in the file the data was, or None: that cannot be said."""
    if not seen.is_seekable or seen.flags & os.O_PATH or seen.is_device:
        return None
    if step.call in COPIES:
        given = step.args[arg + 1] if step.call != "sendfile" else step.args[2] if arg == 1 else (0, 0)
        return given[1] if given[0] == NUMBER else seen.position
    if step.call == "getdents64":
        return None
    given = step.args[OFFSET[step.call]][1] if step.call in OFFSET else -1
    flags = step.args[5][1] if step.call == "pwritev2" else 0
    is_append = seen.flags & os.O_APPEND and not flags & RWF_NOAPPEND or flags & RWF_APPEND
    if mode == "WRITE" and is_append:
        return seen.size if truth.result > 0 else None  # without data it moves nowhere
    return seen.position if given == -1 else given
