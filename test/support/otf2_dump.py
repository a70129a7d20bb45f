#!/usr/bin/python3
"""What an OTF2 archive says, in numbers, by OTF2's own Python reader: for tests that know the truth.

usage: otf2_dump.py DIR [--process NAME] [--file PREFIX]

Prints one JSON object:

  {
    "processes": {
      "1234 cat": {
        "threads": 1, "parent": "1200 sh" or null, "begun": true, "exit_status": 0 or null,
        "calls": {"openat": {"count": 3, "failed": 1, "errno": {"ENOENT": 1}}},
        "files": {
          "/etc/passwd": {
            "creates": 1, "destroys": 1, "duplicates": 0, "seeks": 0, "status_changes": 0, "deletes": 0,
            "locks": 0, "pre_created": false,
            "read":  {"count": 2, "asked": 8192, "bytes": 1804, "failed": 0},
            "write": {...}, "flush": {...},
            "cancelled": 0, "offsets": [0, 1804], "access": ["READ_ONLY"]
          }
        },
        "paths": {"/tmp/x": {"unlink": 1}}       calls that name a file by its path and make no handle
      }
    },
    "markers": ["42 events were lost"], "events": 12, "mounts": {"/etc/passwd": ["ext4", "/", "/dev/sda1"]},
    "properties": {"IOTRACE::BEGUN": "3"}
  }

Handles without a file stand under their name ("pipe:[17]"). "bytes" sums what operations returned; one that
failed returned nothing. "offsets" holds at most the first 1000. --process keeps processes of that command
name, --file files whose path begins so. Exit status 0, or 1 with a sentence on standard error.
"""
import argparse
import errno
import json
import os
import re
import sys

import _otf2
import otf2
from otf2 import events as ev

UNDEFINED = 2**64 - 1
MODES = {0: "read", 1: "write", 2: "flush"}
ACCESS = {0: "READ_ONLY", 1: "WRITE_ONLY", 2: "READ_WRITE", 3: "EXECUTE_ONLY", 4: "SEARCH_ONLY"}


def number(value):
    """Enumerations and flags as a number: the names of combined flags raise KeyError."""
    return int(getattr(value, "value", value))


def new_file():
    operation = lambda: {"count": 0, "asked": 0, "bytes": 0, "failed": 0}
    return {
        "creates": 0, "destroys": 0, "duplicates": 0, "seeks": 0, "status_changes": 0, "deletes": 0,
        "locks": 0, "pre_created": False, "read": operation(), "write": operation(), "flush": operation(),
        "cancelled": 0, "offsets": [], "access": [],
    }


class Dump:
    def __init__(self):
        self.processes = {}
        self.pending = {}
        self.inside = {}
        self.events = 0

    def process(self, group):
        if group.name not in self.processes:
            parent = group.creating_location_group
            self.processes[group.name] = {
                "threads": 0, "parent": parent.name if parent else None, "begun": False,
                "exit_status": None, "calls": {}, "files": {}, "paths": {},
            }
        return self.processes[group.name]

    def file(self, location, handle):
        name = handle.file.name if handle.file else handle.name
        files = self.process(location.group)["files"]
        if name not in files:
            files[name] = new_file()
            files[name]["pre_created"] = bool(number(handle.io_handle_flags) & 1)
        return files[name]

    def attribute(self, event, name):
        for attribute, value in (event.attributes or {}).items():
            if attribute.name == name:
                return value
        return None

    def leave(self, location, event):
        calls = self.process(location.group)["calls"]
        call = calls.setdefault(event.region.name, {"count": 0, "failed": 0, "errno": {}})
        call["count"] += 1
        code = self.attribute(event, "errno")
        if code is not None:
            call["failed"] += 1
            name = errno.errorcode.get(code, str(code))
            call["errno"][name] = call["errno"].get(name, 0) + 1

    def enter(self, location, event):
        named = self.attribute(event, "OTF2::IO_FILE")
        if named is not None:
            paths = self.process(location.group)["paths"].setdefault(named.name, {})
            paths[event.region.name] = paths.get(event.region.name, 0) + 1

    def begin(self, location, event):
        file = self.file(location, event.handle)
        mode = MODES[number(event.mode)]
        file[mode]["count"] += 1
        if event.bytes_request != UNDEFINED:
            file[mode]["asked"] += event.bytes_request
        offset = self.attribute(event, "Offset")
        if offset is not None and len(file["offsets"]) < 1000:
            file["offsets"].append(offset)
        self.pending[event.matching_id] = mode

    def complete(self, location, event):
        mode = self.pending.pop(event.matching_id)
        file = self.file(location, event.handle)
        if event.bytes_result != UNDEFINED:
            file[mode]["bytes"] += event.bytes_result
        elif mode != "flush":
            file[mode]["failed"] += 1

    def cancelled(self, location, event):
        self.pending.pop(event.matching_id)
        self.file(location, event.handle)["cancelled"] += 1

    def created(self, location, event):
        file = self.file(location, event.handle)
        file["creates"] += 1
        access = ACCESS[number(event.mode)]
        if access not in file["access"]:
            file["access"].append(access)

    def duplicated(self, location, event):
        self.file(location, event.new_handle)["duplicates"] += 1

    def deleted(self, location, event):
        files = self.process(location.group)["files"]
        files.setdefault(event.file.name, new_file())["deletes"] += 1

    def program_begin(self, location, event):
        self.process(location.group)["begun"] = True

    def program_end(self, location, event):
        if event.exit_status != -(2**63):
            self.process(location.group)["exit_status"] = event.exit_status

    def count(self, field):
        def handler(location, event):
            self.file(location, event.handle)[field] += 1
        return handler

    def handlers(self):
        return {
            ev.Enter: self.enter, ev.Leave: self.leave,
            ev.IoOperationBegin: self.begin, ev.IoOperationComplete: self.complete,
            ev.IoOperationCancelled: self.cancelled, ev.IoCreateHandle: self.created,
            ev.IoDestroyHandle: self.count("destroys"), ev.IoDuplicateHandle: self.duplicated,
            ev.IoSeek: self.count("seeks"), ev.IoChangeStatusFlags: self.count("status_changes"),
            ev.IoDeleteFile: self.deleted, ev.IoAcquireLock: self.count("locks"),
            ev.IoReleaseLock: self.count("locks"), ev.IoTryLock: self.count("locks"),
            ev.ProgramBegin: self.program_begin, ev.ProgramEnd: self.program_end,
        }

    def read(self, trace):
        handlers = self.handlers()
        for location in trace.definitions.locations:
            self.process(location.group)["threads"] += 1
        for location, event in trace.events:
            self.events += 1
            handler = handlers.get(type(event))
            if handler:
                handler(location, event)


def mounts(definitions):
    found = {}
    for entry in definitions.io_file_properties:
        found.setdefault(entry.io_file.name, {})[entry.name] = entry.value
    order = ("File system", "Mount Point", "Mount Source")
    return {path: [value.get(name) for name in order] for path, value in found.items()}


def properties(handle):
    return {name: _otf2.Reader_GetProperty(handle, name) for name in _otf2.Reader_GetPropertyNames(handle)}


def markers(directory):
    """Python's marker reader raises TypeError, so the texts are looked for in the file: they stand there as they are."""
    path = os.path.join(directory, "traces.marker")
    if not os.path.exists(path):
        return []
    with open(path, "rb") as file:
        return [text.decode() for text in re.findall(rb"(?:[A-Z][a-z ]+: )?\d+ [a-z ]*events were [a-z ]+", file.read())]


def keep(processes, command, prefix):
    for name in list(processes):
        if command and name.split(" ", 1)[-1] != command:
            del processes[name]
            continue
        files = processes[name]["files"]
        for path in [p for p in files if prefix and not p.startswith(prefix)]:
            del files[path]


def main():
    parser = argparse.ArgumentParser(description="what an OTF2 archive says, as JSON")
    parser.add_argument("directory")
    parser.add_argument("--process", help="only processes of this command name")
    parser.add_argument("--file", help="only files whose path begins so")
    options = parser.parse_args()
    dump = Dump()
    anchor = os.path.join(options.directory, "traces.otf2")
    with otf2.reader.open(anchor) as trace:
        dump.read(trace)
        result = {"processes": dump.processes, "events": dump.events, "mounts": mounts(trace.definitions),
                  "markers": markers(options.directory), "properties": properties(trace.handle)}
    if dump.pending:
        sys.exit("%d operations have no end" % len(dump.pending))
    keep(dump.processes, options.process, options.file)
    json.dump(result, sys.stdout, indent=1, sort_keys=True, default=str)
    print()


if __name__ == "__main__":
    main()
