#!/usr/bin/python3 -B
"""read_back.py IOTRACE CAPTURES: what an archive says is what its capture says.

Each capture becomes an archive, and the archive a text. Each location has the same records in both texts, with the same
names and times. What an archive cannot hold is left out of the comparison: the numbers of files, devices among the files, where
one word of a command ends, and in which order locations stand.
"""
import collections
import json
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile


def unquoted(line):
    """The words of a command are one text there."""
    return re.sub(r' +"$', '"', line.replace('" "', " "))


def names(lines):
    """What each id of a definition stands for."""
    of = {}
    for line in lines:
        word = line.split(" ", 2)
        if word[0] in ("file", "handle"):
            of[word[1]] = re.search(r'"((?:[^"\\]|\\.)*)"', line).group(0)
        elif word[0] == "cgroup":
            of[word[1]] = line.split(" ", 3)[3]
    return of


def content(text):
    """The records of each location, and what is defined of processes, threads, handles and the host."""
    lines = text.splitlines()
    of = names(lines)
    records = collections.defaultdict(list)
    defined = []
    for line in lines:
        if line[0].isdigit():
            location = line.split(" ")[1]
            if " CHANGE_STATUS_FLAGS " in line:  # without the access mode
                line = re.sub(r" O_(RDONLY|WRONLY|RDWR)\b\|?(O_LARGEFILE\b\|?)?", " ", line).rstrip()
            records[location].append(re.sub(r"\b([fg][0-9]+)\b", lambda m: of.get(m[1], m[1]), line))
        elif line.startswith(("process", "thread", "handle", "host", "parameter", "metric")):
            line = re.sub(r" f[0-9]+\b", "", line).rstrip()
            line = re.sub(r"^(handle \S+) p[0-9]+", r"\1", line)  # OTF2 does not say whose a handle is
            if "PRE_CREATED" in line:  # its state has no flags of creation
                line = re.sub(r"\|O_(CREAT|TRUNC|EXCL|NOCTTY|NOFOLLOW|DIRECTORY|PATH|LARGEFILE|TMPFILE)\b", "", line)
            defined.append(unquoted(line))
    return records, defined


def texts(iotrace, capture, folder):
    archive = folder / "archive"
    subprocess.run([iotrace, "convert", "-q", f"--summary=json:{folder}/capture.json", "-o", archive, capture], check=True)
    subprocess.run([iotrace, "report", f"--json={folder}/archive.json", archive], check=True)
    return [subprocess.run([iotrace, "convert", "-q", "--format", "text", path], check=True, text=True,
                           errors="surrogateescape", stdout=subprocess.PIPE).stdout for path in (capture, archive)]


def differences(want, have):
    for location in sorted(set(want[0]) | set(have[0])):
        if location == "-":  # data that was lost is a marker there
            continue
        pairs = list(zip(want[0][location], have[0][location]))
        for one, other in [pair for pair in pairs if pair[0] != pair[1]][:3]:
            yield f"{location}: {one}\n   archive: {other}"
        if len(want[0][location]) != len(have[0][location]):
            yield f"{location}: {len(want[0][location])} records, in the archive {len(have[0][location])}"
    for line in sorted(set(want[1]) ^ set(have[1]))[:6]:
        yield ("capture: " if line in want[1] else "archive: ") + line


# What a capture of old does not say of its source, control groups without a path, and requests whose issue nobody saw.
UNSAID = re.compile(r"^(/source|/cgroups|/devices/[0-9]+/p50_ns)\b")


def summaries(folder):
    """What the summary of the capture has and that of the archive has not, or has otherwise."""
    want, have = (json.loads((folder / f"{name}.json").read_text(errors="surrogateescape")) for name in ("capture", "archive"))
    yield from (f"summary: {what}" for what in unlike(want, have, "") if not UNSAID.search(what))


def unlike(want, have, where):
    if isinstance(want, dict) and isinstance(have, dict):
        for key in sorted(want.keys() | have.keys()):
            yield from unlike(want.get(key), have.get(key), f"{where}/{key}")
    elif isinstance(want, list) and isinstance(have, list) and len(want) == len(have):
        for number, pair in enumerate(zip(want, have)):
            yield from unlike(*pair, f"{where}/{number}")
    elif want != have:
        yield f"{where}: {want!r}, of the archive {have!r}"


def main():
    iotrace, captures = sys.argv[1], pathlib.Path(sys.argv[2])
    failed = checked = 0
    for capture in sorted(captures.glob("*.data")) + sorted(captures.glob("*/*.data.xz")):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            unpacked = folder / "capture"
            opened = lzma.open(capture) if capture.suffix == ".xz" else open(capture, "rb")
            with opened as packed:
                unpacked.write_bytes(packed.read())
            want, have = (content(text) for text in texts(iotrace, unpacked, folder))
            found = list(differences(want, have)) + list(summaries(folder))
        checked += sum(len(lines) for lines in want[0].values())
        failed += bool(found)
        for difference in found[:12]:
            print(f"{capture.name}: {difference}")
    print(f"{checked} records, {failed} captures that differ")
    return failed != 0 or checked < 1000


sys.exit(main())
