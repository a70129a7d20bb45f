#!/usr/bin/python3
"""More processes than readers can open files: nothing is lost, and an ordinary reader opens the archive."""

import json
import os
import resource
import sys
from collections import Counter

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from archive import Archive  # noqa: E402
from live import IOTRACE, Live  # noqa: E402

PROCESSES = 1500
OPEN_FILES = 1024  # what most users are allowed
BYTES = 1000


def allow_few_files():
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))


def test_many(live):
    directory, file = live.path("many"), live.path("file")
    with open(file, "wb") as out:
        out.write(b"x" * BYTES)
    script = f"i=0; while [ $i -lt {PROCESSES} ]; do /bin/cat {file}; i=$((i + 1)); done"
    live.record(directory, ["/bin/sh", "-c", script], "-q", f"--summary=json:{live.path('summary')}")
    about = live.examine(directory)
    ran = live.run(["otf2-print", "--silent", "-Werror", f"{directory}/traces.otf2"], preexec_fn=allow_few_files)
    live.equal("a reader with few files", (ran.returncode, ran.stderr), (0, b""))

    archive = Archive(directory)
    sums, calls = Counter(), Counter()
    for process in archive.groups.values():
        whole = process.whole()
        sums.update(whole.files[file])
        calls.update(whole.calls)
    live.equal("programs begun", calls["execve", 0], PROCESSES + 1)
    for what, expected in {"opens": PROCESSES, "closes": PROCESSES, "read_bytes": PROCESSES * BYTES}.items():
        live.equal(what, sums[what], expected)

    locations = len(archive.definitions.locations)
    live.check(448 <= locations <= 480, f"{locations} locations")
    trace = about["trace"]
    live.equal("locations of threads", trace["threads"], locations)
    live.equal("processes", trace["processes"] + trace["sharing_processes"], PROCESSES + 1)
    live.equal("processes seen", trace["processes_seen"], PROCESSES + 1)
    sharing = about["books"]["counters"]["threads_sharing"]
    live.equal("threads that took over a location", sharing, PROCESSES + 1 - locations)
    names = {group.name for group in archive.definitions.location_groups}
    live.check("shared locations" in names, "no group of shared locations")
    names = {location.name for location in archive.definitions.locations}
    live.check("cat (shared)" in names, f"no shared location of its name: {sorted(names)[-5:]}")

    with open(live.path("summary"), encoding="utf-8") as text:
        summary = json.load(text)
    report = json.loads(live.run([IOTRACE, "report", "--json", directory]).stdout)
    live.equal("lifetimes in the report", report["verdict"]["thread_time_ns"], summary["verdict"]["thread_time_ns"])
    live.equal("processes with I/O", summary["run"]["processes_with_io"], PROCESSES + 1)
    live.record(live.path("none"), ["/bin/sh", "-c", script], "-q", "--format", "null", f"--summary=json:{live.path('summary')}")
    with open(live.path("summary"), encoding="utf-8") as text:
        live.equal("rows without an archive", json.load(text)["processes"]["total"], PROCESSES + 1)


with Live() as test:
    test_many(test)
