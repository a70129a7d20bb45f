#!/usr/bin/python3
"""Spans of captures in an archive (convert --span): the same numbers as `iotrace latency` gives of the capture, by iotrace's reader and
by python3-otf2; the text beside the capture; and names of the exits of virtual CPUs, of Intel and of AMD. test/support/kvm_capture.py made
those captures; the texts are those of `iotrace convert -q --format text --span kvm --span kvm-user`. Captures of NVMe are made here."""

import json
import os
import subprocess
import sys
import tempfile

SOURCE_DIR = os.environ["SOURCE_DIR"]
sys.dont_write_bytecode = True
sys.path.insert(0, f"{SOURCE_DIR}/test/support")
import nvme_capture  # noqa: E402
import spans  # noqa: E402

IOTRACE = os.environ["IOTRACE"]
CAPTURES = SOURCE_DIR + "/test/golden/captures"
wrong = 0


def check(what, got, expected):
    global wrong
    if got != expected:
        wrong += 1
        print(f"WRONG {what}: {got!r} instead of {expected!r}")


def run(*argv, status=0):
    ran = subprocess.run([IOTRACE, *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    check(f"{argv}: status ({ran.stderr.decode()})", ran.returncode, status)
    return ran.stdout.decode(), ran.stderr.decode()


def numbers(file, names):
    told = json.loads(run("latency", "--json", *(word for name in names for word in ("--span", name)), file)[0])
    return {(row["span"], row["group"] or ""): (row["count"], row["min_ns"], row["max_ns"], row["sum_ns"]) for row in told["spans"]}


def path_of(name):
    directory = "spans" if name.startswith("kvm") else "captures"
    return f"{SOURCE_DIR}/test/golden/{directory}/{name}"


def compare(work, name, chosen, form):
    """Each chosen span is (name, definition); form: 0 operations, 1 regions."""
    capture, archive = f"{path_of(name)}.data", f"{work}/{name}"
    words = [word for _, definition in chosen for word in ("--span", definition)]
    run("convert", "-q", "-o", archive, *words, capture)
    run("check-archive", archive)
    names = [each for each, _ in chosen]
    expected = numbers(capture, [definition for _, definition in chosen])
    check(f"{name}: iotrace reads them back", numbers(archive, names), expected)
    latencies, keys, forms, _ = spans.read(archive)
    check(f"{name}: python3-otf2 reads them", spans.summed(latencies), expected)
    check(f"{name}: there are some", bool(expected), True)
    for each, counts in forms.items():
        check(f"{name}: {each}: form", counts[1 - form], 0)
        check(f"{name}: {each}: keys", all(len(key) == len(keys[each][0]) > 0 for key in keys[each]), True)
    text = f"{work}/{name}.txt"
    run("convert", "-q", "--format", "text", "-o", text, *words, capture)
    return expected, text


def kvm(work, name, reason):
    expected, text = compare(work, name, [("kvm", "kvm"), ("kvm-user", "kvm-user")], 0)
    check(f"{name}: reasons", {group for span, group in expected if span == "kvm"} >= {reason}, True)
    check(f"{name}: reasons of the way out", ("kvm-user", "KVM_EXIT_IO(2)") in expected, True)
    with open(text, encoding="utf-8") as ours, open(f"{path_of(name)}.txt", encoding="utf-8") as golden:
        check(f"{name}: text", ours.read(), golden.read())
    told = json.loads(run("latency", "--json", "--span", "kvm-user", "--slowest", "1", "--context", "9", f"{path_of(name)}.data")[0])
    context = " ".join(row["event"] for row in told["slowest"][0]["context"])
    check(f"{name}: kvm_pio in {context}", "kvm:kvm_pio rw=1 port=16" in context, True)


def requests(work):
    """A key that is no thread's, and a group with text."""
    own = "r: block:block_rq_issue -> block:block_rq_complete by dev,sector group rwbs size bytes"
    compare(work, "perf-record-block", [("r", own)], 0)


def nvme(work):
    """All kernels have the same commands, whatever else their command ids contain."""
    for kernel in nvme_capture.KERNELS:
        nvme_capture.write(f"{work}/nvme.data", kernel)
        told = json.loads(run("latency", "--json", "--span", "nvme", f"{work}/nvme.data")[0])
        row, = told["spans"]
        expected = [1000 * queue + 100 * turn for queue in (1, 2) for turn in range(1, 9) for _ in (1, 2)]
        check(f"NVMe, {kernel}: spans", (row["group"], row["count"], row["min_ns"], row["max_ns"], row["sum_ns"]),
              (str(nvme_capture.READ), len(expected), min(expected), max(expected), sum(expected)))
        check(f"NVMe, {kernel}: none is open", "32 begun" in run("leaks", "--span", "nvme", f"{work}/nvme.data")[0], True)


def refused(work):
    capture = f"{CAPTURES}/hello.data"
    for argv, words in (
            (("--span", "call", "--format", "null", capture), "are in the archive without --span"),
            (("--span", "virtqueue", "--format", "null", capture), "its probes are made while programs run"),
            (("--span", "kvm", "--each", capture), "was not recorded with --each")):
        check(f"{argv}: words", words in run("convert", *argv, status=125)[1], True)
    archive = f"{work}/refused"
    run("convert", "-q", "-o", archive, capture)
    check("no such spans", "the archive has no such spans" in "".join(run("latency", "--span", "lock", archive)), True)


with tempfile.TemporaryDirectory() as directory:
    kvm(directory, "kvm-amd", "io(123)")
    kvm(directory, "kvm-intel", "IO_INSTRUCTION(30)")
    requests(directory)
    nvme(directory)
    refused(directory)
print(f"{wrong} wrong" if wrong else "ok")
sys.exit(1 if wrong else 0)
