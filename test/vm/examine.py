"""examine: what a virtual machine left, compared with what its workloads say that they did, and its disk counted."""

import errno
import io
import json
import os
import re
from collections import Counter
from contextlib import redirect_stdout

import block
from archive import Archive
from ledger import compare
from live import Live

LEDGERS = ("files", "names", "tasks")
STORM, PROBED = 2 * 20000, 2 * 1000
# What is compared: runs that the table has a column for.
COLUMNS = (*LEDGERS, "storm", "spans", "operations", "uring", "libaio", "32-bit", "block", "user")


def text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


class Machine:
    """The results of one kernel. wrong: sentences; cells: {(source, column): words of the table}."""

    def __init__(self, name, out, sources):
        self.name, self.out, self.sources = name, out, sources
        self.release = f"{name}: none came up"
        self.wrong, self.cells = [], {}

    def path(self, *names):
        return os.path.join(self.out, *names)

    def has_ended(self):
        return os.path.exists(self.path("ended"))

    def examine(self):
        if os.path.exists(self.path("kernel")):
            self.release = text(self.path("kernel")).split()[0]
        for source in self.sources:
            for column in COLUMNS:
                if (column in ("libaio", "spans", "operations") and source == "perf") or (column == "32-bit" and "ppc64" in self.name):
                    self.cells[source, column] = "-"
                    continue
                wrong = self._wrong_of(column, source)
                self.cells[source, column] = "wrong" if wrong else "right"
                self.wrong += [f"{self.name} {source} {column}: {sentence}" for sentence in wrong]
        for sentence in self.wrong[:40]:
            print(sentence)

    def is_late(self):
        """Whether all that is wrong are runs by perf in which files were closed before iotrace could look at them."""
        cells = [cell for cell, word in self.cells.items() if word == "wrong"]
        return bool(cells) and all(source == "perf" and self._is_late(f"{column}-{source}") for source, column in cells)

    def _is_late(self, run):
        try:
            counters = json.loads(text(self.path(run, "archive", "iotrace.json")))["books"]["counters"]
        except (OSError, ValueError, KeyError):
            return False
        return counters["names_unknown"] + counters["late"] > 0

    def _wrong_of(self, column, source):
        live, said = Live(), io.StringIO()
        try:
            with redirect_stdout(said):
                self._compare(live, column, f"{column}-{source}", source)
        except (OSError, ValueError, LookupError, RuntimeError) as error:
            return [f"cannot be examined: {error!r}"]
        finally:
            os.rmdir(live.dir)
        return said.getvalue().splitlines() if live.wrong else []

    def _compare(self, live, column, run, source):
        if column in ("spans", "operations"):
            compare_counted = self._compare_spans if column == "spans" else self._compare_operations
            compare_counted(live, run)
            return
        live.equal("exit status", text(self.path(run, "ran")).strip(), "125" if column == "32-bit" else "0")  # with --strict
        live.equal("check-archive", text(self.path(run, "checked")).splitlines()[-1:], ["0"])
        archive = self.path(run, "archive")
        about = json.loads(text(f"{archive}/iotrace.json"))
        live.equal("complete", about["is_complete"], True)
        live.equal("source", about["source"], source)
        live.balance(about["books"], lossless=column not in ("block", "uring", "libaio"))
        for counter in ("lost", "unseen"):
            live.equal(counter, about["books"]["counters"][counter], 0)
        if column in (*LEDGERS, "user"):
            # Perf says the locks of fcntl by the addresses of files, which such a user does not get.
            compare(live, column, archive, self.path(run, "ledger"),
                    ("locks", "unlocks") if (column, source) == ("user", "perf") else (),
                    (errno.ENOSYS,) if "powerpc" in self.release else ())  # there only calls that the kernel has are traced
            # With 4, Ubuntu's 5.15 lets him record all the same.
            told = text(self.path("user-refused"))
            live.check(column != "user" or "iotrace summary" in told or "sysctl kernel.perf_event_paranoid=2" in told,
                       "a user is not shown what keeps him from recording")
        elif column == "storm":
            live.equal("calls that worked", text(self.path(run, "said")).split(), ["ready", str(STORM)])
            files = self._files(archive)
            live.equal("reads", files["/tmp/storm"]["reads"], STORM)
            live.equal("bytes", files["/tmp/storm"]["read_bytes"], STORM)
        elif column in ("uring", "libaio"):
            self._compare_requests(live, column, run, source)
        elif column == "32-bit":
            self._compare_foreign(live, about["books"]["counters"], archive, source)
            if source == "bpf":
                counted = json.loads(text(self.path(run, "calls")))
                live.equal("calls of 32 bits, counted", counted["books"]["counters"]["foreign_calls"], 10)
                self._compare_exec(live, "call", counted)
            self._compare_exec(live, "syscall", json.loads(text(self.path(run, "syscalls"))))
        elif column == "block":
            self._compare_disk(live, archive, source)

    def _compare_mapped(self, live, run):
        """Requests that a worker moves to another device for a task are those of the task."""
        if os.path.exists(self.path(run, "unmapped")) and self.name not in ("6.1", "6.12"):
            return
        for name, is_counted in (("mapped", True), ("mapped-each", False)):
            numbers = json.loads(text(self.path(run, name)))
            live.equal(f"{name}: counted in the kernel", numbers["books"]["spans"][0]["counted_in_kernel"], is_counted)
            live.equal(name, sorted((row["count"], row["bytes"]) for row in numbers["spans"]), [(8, 8 * 4096)] * 2)

    @staticmethod
    def _compare_exec(live, what, numbers):
        """A 64-bit program executes a 32-bit one: its call ends as a 32-bit call, and those that follow do not count."""
        (span,) = numbers["books"]["spans"]
        live.equal(f"{what}: those of 64 bits", {row["group"].partition("(")[0]: row["count"] for row in numbers["spans"]}, {"execve": 1})
        live.equal(f"{what}: fates", {key: span[key] for key in ("begun", "ended", "open", "left")}, {"begun": 1, "ended": 1, "open": 0, "left": 0})

    def _compare_spans(self, live, run):
        """The kernel counts them. Those that are cancelled have no end."""
        for name, least, spans in (("numbers", STORM, ("t", "k", "n", "e", "c", "sched", "x")), ("probes", PROBED, ("f", "e", "c", "m"))):
            numbers = json.loads(text(self.path(run, name)))
            live.equal(f"{name}: complete", numbers["books"]["balanced"], True)
            live.equal(f"{name}: counted in the kernel", {span["span"]: span["counted_in_kernel"] for span in numbers["books"]["spans"]},
                       {span: True for span in spans})
            for span in numbers["books"]["spans"]:
                if span["span"] in ("sched", "x"):
                    continue
                # A walk through the kernel's hash may miss one that begins at the same time on another CPU.
                count = span["cancelled"] + span["begun_again"] if span["span"] == "c" else span["ended"]
                live.check(least <= count < least + 100 and span["begun_again"] < least / 1000, f"{name}: {span}")
                live.equal(f"{name}: {span['span']}: all", count, span["begun"])
            if name == "numbers":
                live.check("workload_storm" in [row["group"] for row in numbers["spans"] if row["span"] == "n"], f"names: {numbers['spans']}")
                rows = {span: {row["group"]: row["count"] for row in numbers["spans"] if row["span"] == span} for span in ("sched", "x")}
                live.check(set(rows["sched"]) <= {"workload_storm", "iotrace"} and rows["sched"].get("workload_storm", 0) > 0, f"waits: {rows}")
                live.equal("programs", [(os.path.basename(name), count) for name, count in rows["x"].items()], [("workload_storm", 1)])
        calls = json.loads(text(self.path(run, "calls")))
        live.equal("calls: counted in the kernel", [span["counted_in_kernel"] for span in calls["books"]["spans"]], [True])
        reads = next(row for row in calls["spans"] if row["group"] == "pread64")
        # The dynamic linker reads heads of libraries by it.
        live.check(0 <= reads["count"] - STORM < 10 and reads["bytes"] - STORM == 784 * (reads["count"] - STORM), f"calls: {reads}")
        for view in ("op", "fs", "file"):
            live.check(" is counted in the kernel" in text(self.path(run, f"{view}-err")), f"stat --by {view}: {text(self.path(run, f'{view}-err'))}")
            rows = json.loads(text(self.path(run, view)).splitlines()[-1])["rows"]
            counted = sum(row["read_bytes_total"] for row in rows if view != "op" or row["name"].startswith("pread64("))
            live.check(STORM <= counted < STORM + 100000, f"stat --by {view}: {rows}")
            if view == "file":
                live.equal("the file", [(row["ops_total"], row["read_bytes_total"]) for row in rows if row["name"] == "/tmp/storm"], [(STORM, STORM)])

        live.check("span 'block' is counted in the kernel" in text(self.path(run, "device-err")), f"device: {text(self.path(run, 'device-err'))}")
        total = json.loads(text(self.path(run, "device")).splitlines()[-1])["total"]
        # What a worker writes for dd counts, and so does what the file system adds when it is synced.
        live.equal("device: read", total["read_bytes_total"], 64 << 16)
        live.check(32 << 16 <= total["written_bytes_total"] < 40 << 16, f"device: {total}")
        self._compare_mapped(live, run)
        requests = json.loads(text(self.path(run, "requests")))
        live.equal("requests: counted in the kernel", [span["counted_in_kernel"] for span in requests["books"]["spans"]], [True] * 3)
        rows = {row["span"]: (row["group"], row["count"], row["bytes"]) for row in requests["spans"]}
        live.equal("requests", rows, {span: ("vdb read", rows["block"][1], 64 << 16) for span in ("block", "block-queue", "block-service")})
        live.check(rows["block"][1] >= 64, f"requests: {rows}")

    def _compare_operations(self, live, run):
        """The kernel counts them by file."""
        rows = {}
        for name in ("storm", "uring", "libaio", "mmap"):
            numbers = json.loads(text(self.path(run, name)))
            live.equal(f"{name}: complete", numbers["books"]["balanced"], True)
            counts = [span["counted_in_kernel"] for span in numbers["books"]["spans"]]
            version = tuple(map(int, re.match(r"(\d+)\.(\d+)", self.name).groups()))
            if name == "mmap" and counts == [False] and version < (6, 12):  # faults have no tracepoints
                live.check("no tracepoints of page faults" in text(self.path(run, f"{name}-err")), f"{name}: recorded")
                continue
            live.check(counts == [True], f"{name}: recorded: {text(self.path(run, f'{name}-err'))}")
            rows[name] = {(row["span"], row["group"]): (row["count"], row["bytes"]) for row in numbers["spans"]}
        live.equal("storm", rows["storm"]["io", "/tmp/storm"], (STORM, STORM))
        for name in ("uring", "libaio"):
            said = json.loads(text(self.path(run, f"{name}-said")))["data"]
            count, moved = rows[name]["io", "/ext4/operations/data"]
            # A linked write that is cancelled may have had its file.
            live.check(0 <= count - said["reads"] - said["writes"] <= (name == "uring"), f"{name}: {count} of {said}")
            live.equal(f"{name}: bytes", moved, said["read_bytes"] + said["written_bytes"])
        if "mmap" not in rows:
            return
        said = json.loads(text(self.path(run, "mmap-said")))
        count, moved = rows["mmap"]["fault", "/ext4/operations/mapped"]
        live.check(count > len(said["offsets"]) and moved >= said["size"], f"mmap: {count} {moved} {said}")

    def _files(self, archive):
        files = {}
        for process in Archive(archive).processes().values():
            for path, sums in process.whole().files.items():
                files.setdefault(path, type(sums)()).update(sums)
        return files

    def _compare_requests(self, live, column, run, source):
        said = json.loads(text(self.path(run, "said")))
        files = self._files(self.path(run, "archive"))
        for name, truth in said.items():
            if isinstance(truth, dict):
                got = files.get(f"/ext4/{column}-files-{source}/{name}", {})
                got = {key: got.get(key, 0) for key in truth}
                if (column, name) == ("uring", "data"):  # one is cancelled; whether it had its file depends on the kernel
                    truth["writes"] = max(truth["writes"], min(got["writes"], truth["writes"] + 1))
                live.equal(name, got, truth)

    @staticmethod
    def _compare_foreign(live, counters, archive, source):
        """An open, seven writes, a close and the exit of a program of 32 bits; its exec is a call of 64 bits."""
        live.equal("processes of 32 bits", counters["foreign_processes"], 1)
        if source == "bpf":
            live.equal("calls of 32 bits", counters["foreign_calls"], 10)
        (whole,) = [p.whole() for p in Archive(archive).processes().values()]
        live.equal("calls of 64 bits", sorted(call for call, _ in whole.calls), ["execve"])

    def _compare_disk(self, live, archive, source):
        """All that the disk counted is in the archive, and nothing else."""
        before, after = ([int(n) for n in text(self.path(f"disk-{when}-{source}")).split()] for when in ("before", "after"))
        reads, read, writes, written = (b - a for a, b in zip(before, after))
        about = json.loads(text(f"{archive}/iotrace.json"))
        live.equal("source of block requests", about["block_source"], source)
        device, = (d for d in about["devices"] if d["name"].startswith("vdb"))
        live.equal("the disk's requests", [device[way][what] for way in ("read", "write") for what in ("requests", "sectors")],
                   [reads, read, writes, written])
        if source == "bpf":
            self._compare_cached(live, archive)

    @staticmethod
    def _compare_cached(live, archive):
        """What the page cache moves is of its file, however large the folios are, and also if a request begins in the middle of one."""
        moved = Counter()
        for request in block.requests(archive)["vdc"]:
            if request.file == "/ext4/cached":
                moved[request.kind, request.command] += request.result
        live.equal("what the page cache moves", dict(moved), {("write", "dd"): (4 << 20) + 4096, ("read", "cat"): 4 << 20})

    @staticmethod
    def table(machines):
        rows = [("kernel", "source", *COLUMNS)]
        for m in machines:
            rows += [(m.release, s, *(m.cells.get((s, c), "-") for c in COLUMNS)) for s in m.sources]
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        for row in rows:
            yield "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |"
            if row is rows[0]:
                yield "|" + "|".join("-" * (width + 2) for width in widths) + "|"
