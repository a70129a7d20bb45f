"""Tracepoints as an instance of ftrace of our own sees them."""

import os


class Ftrace:
    """settings: what is written to which of its files, in this order. It is gone at the end of a `with`."""

    DIRECTORY = "/sys/kernel/tracing/instances"

    def __init__(self, **settings):
        self.dir = f"{self.DIRECTORY}/iotrace-test-{os.getpid()}"
        os.mkdir(self.dir)
        for key, value in settings.items():
            self.set(key, value)

    def set(self, key, value):
        with open(f"{self.dir}/{key}", "w", encoding="ascii") as file:
            file.write(str(value))

    def lines(self):
        with open(f"{self.dir}/trace", encoding="utf-8", errors="replace") as file:
            yield from file

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.rmdir(self.dir)
