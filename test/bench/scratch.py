"""The scratch of a benchmark: programs, files, a loop device; what iotrace says of itself. All is gone when it is closed."""

import functools
import json
import os
import shlex
import shutil
import subprocess
import tempfile

from works import STORM_FILES

HERE = os.path.dirname(os.path.realpath(__file__))
CC = os.environ.get("CC", "cc")
DEVICE_SIZE = 256 << 20


class Scratch:
    def __init__(self, options):
        self.options = options
        self.loop = None
        self.dir = tempfile.mkdtemp(prefix="iotrace-bench-")
        try:
            self.fill()
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.loop:
            subprocess.run(["losetup", "-d", self.loop], check=False)
        shutil.rmtree(self.dir, ignore_errors=True)

    def fill(self):
        for program in ("storm", "timed"):
            subprocess.run([CC, "-O2", "-Wall", "-pthread", "-o", self.path(program), f"{HERE}/{program}.c"],
                           check=True)
        self.write("file", os.urandom(1 << 20))
        for i in range(STORM_FILES):
            self.write(f"many.{i}", b"x")
        self.write("a.c", b"#include <stdio.h>\n#include <stdlib.h>\nint main(void) { return puts(\"\") < 0; }\n")

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)

    def script(self, command):
        """Returns a program without arguments that runs the command."""
        self.write("script", ("#!/bin/sh\nexec " + shlex.join(command) + "\n").encode())
        os.chmod(self.path("script"), 0o755)
        return self.path("script")

    def device(self):
        """Returns a loop device over a file that is in the page cache."""
        if not self.loop:
            self.write("disk", b"")
            os.truncate(self.path("disk"), DEVICE_SIZE)
            self.loop = subprocess.run(["losetup", "--find", "--show", self.path("disk")], check=True,
                                       stdout=subprocess.PIPE, text=True).stdout.strip()
        return self.loop

    def device_missing(self):
        if not shutil.which("losetup"):
            return "losetup is not installed"
        try:
            self.device()
        except subprocess.CalledProcessError:
            return "no loop device could be made"
        return None

    @staticmethod
    @functools.cache
    def call_number(name):
        line = subprocess.run([CC, "-E", "-dM", "-include", "sys/syscall.h", "-x", "c", "/dev/null"], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        for words in map(str.split, line.splitlines()):
            if words[1] == f"__NR_{name}":
                return int(words[2])
        raise KeyError(name)

    @functools.cached_property
    def iotrace_help(self):
        """Returns the words of iotrace's help, among them its options."""
        said = subprocess.run([self.options.iotrace, "record", "--help"], stdout=subprocess.PIPE, text=True, check=True)
        return set(said.stdout.replace("[", " ").replace("=", " ").replace(",", " ").split())

    def iotrace_cannot(self, option):
        """Returns why these options cannot be used here, or None."""
        command = [self.options.iotrace, "record", "-q", "--format", "null", *option, "--", "true"]
        ran = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, cwd=self.dir)
        return ran.stderr.strip().splitlines()[0] if ran.returncode and ran.stderr.strip() else None

    def books(self):
        """Returns what the last archive says of its run."""
        with open(self.path("trace/iotrace.json"), encoding="utf-8") as file:
            n = json.load(file)["books"]["counters"]
        size = sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(self.path("trace")) for f in files)
        return {"calls": n["calls"], "operations": n["completed"], "lost": n["lost"] + n["unseen"],
                "bytes": size / max(1, n["completed"]), "names_known": n["names_known"],
                "names_unknown": n["names_unknown"]}
