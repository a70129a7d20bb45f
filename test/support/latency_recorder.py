"""Runs of `iotrace latency`: to their end, and beside the test."""

import json
import os
import subprocess

from live import IOTRACE


def latency(live, *options):
    """Returns the numbers of a run, and its messages."""
    path = live.path("latency.json")
    ran = live.run([IOTRACE, "latency", "-v", f"--json={path}", *options])
    live.equal(f"{options}: status", ran.returncode, 0)
    with open(path, encoding="utf-8") as file:
        return json.load(file), ran.stderr.decode(errors="replace")


class LatencyRecorder:
    """spans: by name, what each is made of. Returns when it records."""

    def __init__(self, live, name, spans, *options):
        ready, gives = os.pipe()
        self.path = live.path(f"{name}.json")
        words = [word for span, what in spans.items() for word in ("--span", f"{span}: {what}")]
        self.process = subprocess.Popen([IOTRACE, "latency", *words, f"--ready-fd={gives}", f"--json={self.path}", *options],
                                        pass_fds=[gives], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        os.close(gives)
        with os.fdopen(ready, "rb") as file:
            self.is_ready = file.readline() == b"ready\n"

    def numbers(self, live):
        text = self.process.communicate()[1].decode(errors="replace")
        if not live.equal("status", self.process.returncode, 0):
            print(text)
        with open(self.path, encoding="utf-8") as file:
            return json.load(file)
