#!/usr/bin/python3
"""EXAMPLES of the man pages: each of them is run as it stands there, but for names that a machine need not have."""

import contextlib
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "support"))
from groups import CGROUP2, hierarchy  # noqa: E402
from live import CALMED, IOTRACE, Live, wait_until  # noqa: E402

MAN = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "man")
SECONDS = 0.5  # after which a user presses Ctrl-C
ENDLESS = re.compile(r"-p 4711|^iotrace -a (?!.*--duration)")
OF_DAEMON = ("iotrace stat", "iotrace stat --since -10min")
PUBLISHED = "/run/iotrace/stat"
APP = "#!/bin/sh\ncat /etc/passwd >/dev/null\n"
# Open MPI refuses root, and more ranks than there are cores, unless it is asked.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def examples():
    """The lines that an ordinary shell is given, by page."""
    for page in sorted(glob.glob(f"{MAN}/*.1")):
        with open(page, encoding="utf-8") as file:
            for line in file:
                if line.startswith(".Dl $ "):
                    yield os.path.basename(page), line[len(".Dl $ "):].rstrip("\n")


def prepare(live, folder, example):
    """What the example takes for granted."""
    os.makedirs(f"{folder}/src")
    for name in ("app", "server"):
        with open(f"{folder}/{name}", "w", encoding="ascii") as file:
            file.write(APP)
        os.chmod(f"{folder}/{name}", 0o755)
    if re.search(r"(check-archive|report|--format text|latency).* trace$", example):
        live.run([IOTRACE, "-q", "-o", "trace", "./app"], cwd=folder)
    if "latency" in example and example.endswith("app.data"):
        live.run([IOTRACE, "-a", "-q", "--format", "null", "--capture", "app.data", "./app"], cwd=folder)
    if "convert" in example:
        live.run([IOTRACE, "-q", "--format", "null", "--capture", "app.data", "./app"], cwd=folder)
        os.mkdir(f"{folder}/.trace.iotrace")
        os.link(f"{folder}/app.data", f"{folder}/.trace.iotrace/spool")


@contextlib.contextmanager
def daemon(live):
    """As the page says: one runs. That of the machine stays."""
    if os.path.exists(PUBLISHED):
        yield
        return
    with subprocess.Popen([IOTRACE, "daemon"], env=CALMED, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        live.check(wait_until(lambda: os.path.exists(PUBLISHED)), "the daemon publishes")
        yield
        process.terminate()
    shutil.rmtree(os.path.dirname(PUBLISHED))


def run_with_daemon(live, page, example):
    """A display of tables ends by Ctrl-C."""
    live.check(wait_until(lambda: not live.run([IOTRACE, "stat", "--since", "-10min"]).returncode), "the daemon has a history")
    with subprocess.Popen(["sh", "-ec", f"exec {example}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(
            CALMED, PATH=f"{live.path('bin')}:{os.environ['PATH']}")) as shell:
        table = shell.stdout.readline() + shell.stdout.readline()
        shell.send_signal(signal.SIGINT)
        _, said = shell.communicate(timeout=120)
    live.check(b"op/s" in table and shell.returncode in (0, -signal.SIGINT), f"{page}: {example}: {shell.returncode} {table}\n{said.decode(errors='replace')}")


def run(live, page, example, names):
    folder = live.made(f"{page}-{live.good + live.wrong}")
    prepare(live, folder, example)
    line = example
    for name, here in names.items():
        line = line.replace(name, here)
    environment = dict(CALMED, **MPI, PATH=f"{live.path('bin')}:{os.environ['PATH']}", SLURM_JOB_ID="17")
    ready, its_end = os.pipe()
    if ENDLESS.search(example):
        # Options of a recording may come from the environment, those of latency and leaks do not.
        line = re.sub("^iotrace (latency|leaks) ", rf"\g<0>--ready-fd {its_end} ", line)
        line, environment["IOTRACE_OPTIONS"] = f"exec {line}", f"--ready-fd {its_end}"
    with subprocess.Popen(["sh", "-ec", line], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, pass_fds=(its_end,)) as shell:
        os.close(its_end)
        if ENDLESS.search(example):
            live.equal(f"{page}: {example}: the word that it records", os.read(ready, 10), b"ready\n")
            time.sleep(SECONDS)
            shell.send_signal(signal.SIGINT)
        _, said = shell.communicate(timeout=120)
    os.close(ready)
    # The shell of ./app puts its output back: a descriptor that it opens and leaves open, and so a leak.
    good = (0, 1) if example.startswith("iotrace leaks") else (0,)
    live.check(shell.returncode in good, f"{page}: {example}: {shell.returncode}\n{said.decode(errors='replace')}")


def main():
    with Live() as live:
        os.symlink(os.path.realpath(IOTRACE), f"{live.made('bin')}/iotrace")
        sleeper = subprocess.Popen(["sleep", "300"])
        group = f"iotrace-examples-{os.getpid()}"  # of the container: below cgroup2, where a name is looked for
        names = {"4711.scope": "", "-p 4711": f"-p {sleeper.pid}", "system.slice/docker-": group, "anna": "nobody",
                 "--duration 10": "--duration 1"}
        try:
            with daemon(live), hierarchy(live, CGROUP2) as (_, place):
                os.mkdir(f"{place}/{group}")
                try:
                    for page, example in examples():
                        if example in OF_DAEMON:
                            run_with_daemon(live, page, example)
                        else:
                            run(live, page, example, names)
                finally:
                    os.rmdir(f"{place}/{group}")
        finally:
            sleeper.kill()
            sleeper.wait()
        live.check(live.good + live.wrong > 10, "examples are not found")


main()
