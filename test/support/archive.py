"""archive: what an OTF2 archive of iotrace says, added up.

Read with python3-otf2, so by a reader that shares no code with iotrace. For each process: how often each call was made
and how it ended, and what was done to each file. A process that leaves marks (see ledger.h) is added up apart
for what lies between them and for the rest.
"""

import threading
from collections import Counter, defaultdict
from contextlib import closing

import otf2
from otf2 import events
from otf2.enums import IoOperationMode

MARK = "lremovexattr"
UNDEFINED = 2**64 - 1
EVERY = "*"
READING = threading.Lock()  # two readers at a time take each other's definitions
WORDS = {IoOperationMode.READ: ("reads", "read_bytes", "reads_unsized"),
         IoOperationMode.WRITE: ("writes", "written_bytes", "writes_unsized"),
         IoOperationMode.FLUSH: ("flushes", None, None)}


def label(handle):
    """Returns the path of the handle's file, "*" for sync()'s, or None: it has none, or none is known."""
    if handle.io_handle_flags.value & otf2.IoHandleFlag.ALL_PROXY.value:
        return EVERY
    return handle.file.name if handle.file is not None else None


def is_found(handle):
    """Whether the handle was there when recording began, or came without a call that made it."""
    return bool(handle.io_handle_flags.value & otf2.IoHandleFlag.PRE_CREATED.value)


class Tally:
    """Sums over some events of one process."""

    def __init__(self):
        self.calls = Counter()           # (name, errno)
        self.files = defaultdict(Counter)  # path or None: sums, named as in the ledger
        self.opened = defaultdict(list)  # path or None: access mode, creation flags and status flags as numbers


class Process:
    """A location group: of a process, "1234 cat"; or of a device, of samples, of shared locations: without a pid."""

    def __init__(self, name):
        number, _, rest = name.partition(" ")
        self.pid = int(number) if number.isdigit() else None
        self.name = rest if number.isdigit() else name
        self.marks = 0
        self.cancelled = 0
        self._tally = [Tally(), Tally()]

    def now(self):
        return self._tally[self.marks % 2]

    def noted(self):
        """What lies between the marks. A process that began between its parent's has an odd number of them."""
        return self._tally[(self.marks + 1) % 2]

    def whole(self):
        both = Tally()
        for tally in self._tally:
            both.calls.update(tally.calls)
            for path, sums in tally.files.items():
                both.files[path].update(sums)
            for path, ways in tally.opened.items():
                both.opened[path].extend(ways)
        return both


class Archive:
    """Everything is read at once. on_event(process, location, event), if given, sees each event as well."""

    def __init__(self, directory, on_event=None):
        self.directory = directory
        self.groups = {}
        self.events = Counter()
        self._open = {}    # id of an operation: (mode, file)
        self._errno = None
        with READING, closing(otf2.reader.Reader(f"{directory}/traces.otf2")) as reader:
            self.definitions = reader.definitions
            self.locations = [location.name for location in reader.definitions.locations]
            self.io_files = [f.name for f in reader.definitions.io_files]
            self.handles = [(label(h), is_found(h)) for h in reader.definitions.io_handles]
            for attribute in reader.definitions.attributes:
                if attribute.name == "errno":
                    self._errno = attribute
                elif attribute.name == "Offset":
                    self._offset = attribute
                elif attribute.name == "OTF2::IO_HANDLE":
                    self._handle = attribute
            for location, event in reader.events:
                process = self._process(location)
                self.events[type(event).__name__] += 1
                self._take(process, event)
                if on_event:
                    on_event(process, location, event)

    def _process(self, location):
        group = location.group
        if group not in self.groups:
            self.groups[group] = Process(group.name)
        return self.groups[group]

    def processes(self):
        """By pid. A number that was used again is a fault of the test that asks."""
        by_pid = {}
        for process in self.groups.values():
            if process.pid is None:
                continue
            assert process.pid not in by_pid, f"two processes with the number {process.pid}"
            by_pid[process.pid] = process
        return by_pid

    def _take(self, process, event):
        take = self.TAKE.get(type(event))
        if take:
            take(self, process, process.now(), event)

    def _enter(self, process, tally, event):
        handle = event.attributes.get(self._handle) if event.attributes else None
        if handle is not None:
            tally.files[label(handle)]["touches"] += 1

    def _leave(self, process, tally, event):
        if event.region.name == MARK:
            process.marks += 1
            return
        error = event.attributes.get(self._errno, 0) if event.attributes else 0
        tally.calls[event.region.name, error] += 1

    def _begin(self, process, tally, event):
        file = label(event.handle)
        sums = tally.files[file]
        sums[WORDS[event.mode][0]] += 1
        offset = event.attributes.get(self._offset) if event.attributes else None
        if offset is not None:
            sums["offsets"] += 1
            sums["offset_total"] += offset
        assert event.matching_id not in self._open, f"operation {event.matching_id} begins twice"
        self._open[event.matching_id] = (event.mode, file)

    def _complete(self, process, tally, event):
        mode, file = self._open.pop(event.matching_id)
        assert file == label(event.handle), f"operation {event.matching_id} ends on another handle"
        sums, words = tally.files[file], WORDS[mode]
        if words[1] and event.bytes_result == UNDEFINED:
            sums[words[2]] += 1
        elif words[1]:
            sums[words[1]] += event.bytes_result

    def _cancelled(self, process, tally, event):
        self._open.pop(event.matching_id)
        process.cancelled += 1

    def _duplicate(self, process, tally, event):
        tally.files[label(event.old_handle)]["dups"] += 1

    def _create(self, process, tally, event):
        tally.files[label(event.handle)]["opens"] += 1
        tally.opened[label(event.handle)].append(
            (event.mode.value, event.creation_flags.value, event.status_flags.value))

    def _delete(self, process, tally, event):
        tally.files[event.file.name]["deletes"] += 1

    def _count(word):
        def take(self, process, tally, event):
            tally.files[label(event.handle)][word] += 1
        return take

    TAKE = {
        events.Enter: _enter,
        events.Leave: _leave,
        events.IoOperationBegin: _begin,
        events.IoOperationComplete: _complete,
        events.IoOperationCancelled: _cancelled,
        events.IoDuplicateHandle: _duplicate,
        events.IoCreateHandle: _create,
        events.IoDeleteFile: _delete,
        events.IoDestroyHandle: _count("closes"),
        events.IoSeek: _count("seeks"),
        events.IoChangeStatusFlags: _count("flag_changes"),
        events.IoAcquireLock: _count("locks"),
        events.IoReleaseLock: _count("unlocks"),
        events.IoTryLock: _count("locks_tried"),
    }
