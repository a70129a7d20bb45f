#!/usr/bin/python3
"""Every count, minimum, maximum and sum of `iotrace latency` is what the records as text give when they are paired by hand, from the
capture and from the archive made of it."""

import collections
import contextlib
import fcntl
import glob
import json
import lzma
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

IOTRACE = os.environ["IOTRACE"]
CAPTURES = os.environ["SOURCE_DIR"] + "/test/golden/captures"
wrong = 0


def check(what, got, expected):
    global wrong
    if got != expected:
        wrong += 1
        print(f"WRONG {what}: {got!r} instead of {expected!r}")


def run(*argv, status=0):
    ran = subprocess.run([IOTRACE, *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    check(f"{argv}: status", ran.returncode, status)
    return ran.stdout.decode(), ran.stderr.decode()


def numbers(spans):
    """What --json says of each group, of what is exact."""
    return {(row["span"], row["group"]): (row["count"], row["min_ns"], row["max_ns"], row["sum_ns"]) for row in spans}


def summed(latencies):
    return {key: (len(values), min(values), max(values), sum(values)) for key, values in latencies.items()}


def by_hand(text):
    """Pairs ENTER with LEAVE, and OP_BEGIN with its end."""
    calls, blocks, stacks, requests = collections.defaultdict(list), collections.defaultdict(list), {}, {}
    for line in text.splitlines():
        words = line.split()
        if len(words) < 4 or not words[0].isdigit():
            continue
        time, where, kind = int(words[0]), words[1], words[2]
        if kind == "ENTER":
            stacks.setdefault(where, []).append((time, words[3]))
        elif kind == "LEAVE":
            begin, name = stacks[where].pop()
            calls["call", name].append(time - begin)
        elif kind == "OP_BEGIN" and "@" not in where:
            requests[where, next(word for word in words if word.startswith("#"))] = time
        elif kind == "OP_COMPLETE" and "@" not in where:
            begin = requests.pop((where, next(word for word in words if word.startswith("#"))))
            blocks[where].append(time - begin)
    return summed(calls), sorted(summed(blocks).values())


def compare(work, name):
    capture = f"{CAPTURES}/{name}.data"
    with open(f"{CAPTURES}/{name}.txt", encoding="utf-8", errors="surrogateescape") as file:
        calls, blocks = by_hand(file.read())
    archive = f"{work}/{name}"
    run("convert", "-q", "-o", archive, capture)
    by_fs = {}
    for source in (capture, archive):
        told = json.loads(run("latency", "--json", source)[0])
        check(f"{source}: calls", numbers(told["spans"]), calls)
        for row in told["spans"]:
            check(f"{source}: {row['group']}: histogram", sum(b["count"] for b in row["histogram"]), row["count"])
            for bucket in row["histogram"]:
                check("a bucket is narrow", (bucket["to_ns"] - bucket["from_ns"]) * 64 <= bucket["from_ns"], True)
        by_fs[source] = numbers(json.loads(run("latency", "--json", "--by", "fs", source)[0])["spans"])
        check(f"{source}: each call is in one row", sum(row[0] for row in by_fs[source].values()), sum(row[0] for row in calls.values()))
        told = json.loads(run("latency", "--json", "--span", "block", "--by", "device", source)[0])
        check(f"{source}: requests", sorted(list(numbers(told["spans"]).values())), blocks)
        balance(told["books"])
    check(f"{name}: file systems of the archive", by_fs[archive], by_fs[capture])
    return sum(row[0] for row in calls.values()), sum(row[0] for row in blocks)


def balance(books):
    for span in books["spans"]:
        fates = ("ended", "cancelled", "died", "left", "open", "begun_again", "lost")
        check(f"{span}: balance", span["begun"], sum(span[fate] for fate in fates))


def parts(capture):
    """A request is its queue and its service."""
    told = json.loads(run("latency", "--json", "--by", "none", "--span", "block", "--span", "block-queue", "--span", "block-service",
                          capture)[0])
    row = {row["span"]: row for row in told["spans"]}
    if "block-queue" in row:
        check("sums of the parts", row["block-queue"]["sum_ns"] + row["block-service"]["sum_ns"], row["block"]["sum_ns"])
        check("issued", row["block-queue"]["count"], row["block-service"]["count"])


def outputs(work):
    capture = f"{CAPTURES}/programs.data"
    text = run("latency", "--slowest", "2", "--context", "2", "--histogram", "--heatmap", "--top", "3", capture)[0]
    for words in ("call", "execve", "how many took how long", "count over time", "slowest", "44 begun: 44 ended"):
        check(f"'{words}' in the text", words in text, True)
    check("bytes for a terminal in a pipe", "\033" in text, False)
    text = run("latency", "--span", "block-queue", "--heatmap", f"{CAPTURES}/perf-record-block.data")[0]
    check("empty rows are one line", ("      ... |\n" in text, len(text.splitlines()) < 30), (True, True))
    heat = [line for line in text.splitlines() if "|" in line and "latency" not in line]
    check("12 cells", sum(cell != " " for line in heat for cell in line.split("|")[1]), 12)
    run("latency", f"--heatmap={work}/heat.svg", f"--json={work}/a.json", capture)
    with open(f"{work}/heat.svg", encoding="utf-8") as file:
        image = file.read()
    check("an image", (image.startswith("<svg "), image.endswith("</svg>\n"), "<rect" in image), (True, True, True))
    with open(f"{work}/a.json", encoding="utf-8") as file:
        told = json.load(file)
    cells = sum(cell["count"] for row in told["spans"] for column in row["heat"]["columns"] for cell in column)
    check("cells of the heat map", cells, 44)
    above = json.loads(run("latency", "--above", "100us", "--json", capture)[0])
    check("none below", all(row["min_ns"] > 100000 for row in above["spans"]), True)
    check("--above: all", sum(row["count"] for row in above["spans"]) + above["not_above"], 44)
    slow = json.loads(run("latency", "--slowest", "5", "--json", capture)[0])["slowest"]
    longest = sorted((row["max_ns"] for row in told["spans"]), reverse=True)
    check("the slowest", slow[0]["latency_ns"], longest[0])
    check("in order", [row["latency_ns"] for row in slow], sorted((row["latency_ns"] for row in slow), reverse=True))


def on_terminal(width, capture, **environment):
    """What a terminal of this width is given."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    plain = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM", "COLUMNS")}
    with subprocess.Popen([IOTRACE, "latency", "--heatmap", capture], stdin=its, stdout=its, stderr=its, env={**plain, **environment}) as child:
        os.close(its)
        text = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while more := os.read(ours, 65536):
                text += more
    os.close(ours)
    check(f"{environment}: status", child.returncode, 0)
    return text.decode().replace("\r\n", "\n")


def terminals():
    """Colours and blocks where a terminal has them, letters otherwise; as wide as the terminal."""
    capture, widest = f"{CAPTURES}/programs.data", {}
    for environment, has_colours in (({"TERM": "xterm-256color"}, True), ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
                                     ({"TERM": "dumb"}, False), ({}, False)):
        for width in (31, 40, 160):
            text = on_terminal(width, capture, **environment)
            plain = re.sub("\033\\[[0-9;]*m", "", text)
            check(f"{environment}: colours and blocks", ("\033[38;5;" in text, "█" in text), (has_colours, has_colours))
            check(f"{environment}: other bytes for a terminal", "\033" in plain, False)
            rows = [line for line in plain.split("count over time")[1].splitlines() if "|" in line or "+--" in line]
            widest[width] = max(map(len, rows))
            check(f"{environment}: {width} columns", widest[width] <= width, True)
    check("a narrow terminal has fewer columns", widest[31] < widest[40] == widest[160], True)


def tracepoints():
    """A span of the user's own on a file of perf record, against the same from the model."""
    text = run("latency", "--by", "none", f"{CAPTURES}/programs.data")[0]
    check("--by none: its row is called 'all'", [line.split()[-1] for line in text.splitlines()[1:2]], ["all"])
    capture = f"{CAPTURES}/perf-record-block.data"
    own = "r: block:block_rq_issue -> block:block_rq_complete by dev,sector group rwbs size bytes"
    told = json.loads(run("latency", "--json", "--span", own, capture)[0])
    books = told["books"]["spans"][0]
    balance(told["books"])
    check("a span of tracepoints ended", books["ended"] > 0, True)
    service = json.loads(run("latency", "--json", "--span", "block-service", "--by", "none", capture)[0])["spans"][0]
    # Flushes have no sector of their own: what has one is told by both.
    check("no more than the model knows", books["ended"] <= service["count"], True)


def names_of_calls(work):
    """Calls have the names and numbers of the machine that recorded them. The model knows those of calls on files."""
    for machine, number in (("x86_64", "openat(257)"), ("aarch64", "openat(56)")):
        capture = f"{work}/{machine}.data"
        with lzma.open(f"{CAPTURES}/linux-6.12-{machine}/files-perf.data.xz") as packed, open(capture, "wb") as file:
            file.write(packed.read())
        told = {span: {row["group"]: row["count"] for row in json.loads(run("latency", "--json", "--span", span, capture)[0])["spans"]}
                for span in ("call", "syscall")}
        named = {group.partition("(")[0] for group in told["syscall"]}
        check(f"{machine}: names of calls", set(told["call"]) - named, set())
        check(f"{machine}: openat", told["syscall"].get(number), told["call"]["openat"])
        same_bytes(machine, capture)
        nameless = sorted(group for group in told["syscall"] if group.isdigit())
        check(f"{machine}: calls without names", nameless, [])


def same_bytes(machine, capture):
    """Only calls that move data have bytes, as many as the model says. It also counts those of directories."""
    told = {span: json.loads(run("latency", "--json", "--span", span, capture)[0])["spans"] for span in ("call", "syscall")}
    of_model = {row["group"]: row["bytes"] for row in told["call"] if row["bytes"] and row["group"] != "getdents64"}
    of_results = {row["group"].partition("(")[0]: row["bytes"] for row in told["syscall"] if row["bytes"]}
    check(f"{machine}: bytes", of_results, of_model)
    check(f"{machine}: calls with bytes", len(of_model) == 3 and any(row["group"].startswith("mmap(") for row in told["syscall"]), True)


def durations(work):
    """All commands say the same of how long a recording lasted, whatever is measured: so their rates agree."""
    paths = sorted(glob.glob(f"{CAPTURES}/*.data"))
    check("captures of perf and of iotrace", (len(paths) > 6, sum("perf-record" in path for path in paths) > 3), (True, True))
    for capture in paths:
        name = os.path.basename(capture)
        run("convert", "-o", f"{work}/of-{name}", f"--summary=json:{work}/{name}.json", capture)
        with open(f"{work}/{name}.json", encoding="utf-8") as file:
            lasted = json.load(file)["run"]["duration_ns"]
        check(f"{name}: report", json.loads(run("report", "--json", f"{work}/of-{name}")[0])["run"]["duration_ns"], lasted)
        spans = ("call", "block", "r: block:block_rq_issue -> block:block_rq_complete by dev,sector")
        for span in spans:
            told = json.loads(run("latency", "--json", "--span", span, capture)[0])
            check(f"{name}: latency of {span}", told["duration_ns"], lasted)
        for span in spans[:2]:
            told = json.loads(run("latency", "--json", "--span", span, f"{work}/of-{name}")[0])
            check(f"{name}: latency of {span} of the archive", told["duration_ns"], lasted)


def errors():
    capture = f"{CAPTURES}/hello.data"
    for argv, words in (
            (("--span", "cal", capture), "there is no span 'cal'; did you mean 'call'?"),
            (("--span", "x: a:b", capture), "expected '->' and the end, but the text ends"),
            (("--by", "proces", capture), "did you mean 'process'?"),
            (("--by", "device", capture), "spans 'call' have no device"),
            (("--above", "soon", capture), "invalid time 'soon'"),
            (("--context", "3", capture), "--context needs --slowest"),
            (("--interval", "1s", capture), "work only while recording"),
            (("-a", capture), "cannot be combined with -a or -p"),
            ((), "nothing to follow")):
        check(f"{argv}: words", words in run("latency", *argv, status=125)[1], True)


with tempfile.TemporaryDirectory() as directory:
    seen = [compare(directory, each) for each in ("programs", "hello", "fork", "perf-record-block", "perf-record-zram", "perf-record-true")]
    check("calls and requests were compared", all(sum(column) > 10 for column in zip(*seen)), True)
    parts(f"{CAPTURES}/perf-record-block.data")
    parts(f"{CAPTURES}/perf-record-zram.data")
    outputs(directory)
    terminals()
    tracepoints()
    names_of_calls(directory)
    durations(directory)
    errors()
print(f"{wrong} wrong" if wrong else "ok")
sys.exit(1 if wrong else 0)
