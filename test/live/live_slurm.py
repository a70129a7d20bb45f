#!/usr/bin/python3
"""A real Slurm of one node: steps, job scripts, scancel, killed tasks, the plugin and the task prolog. What the archives say is exact,
and Slurm sees nothing left behind."""

import glob
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from archive import Archive  # noqa: E402
from live import CALMED, IOTRACE, SOURCE, Live, wait_until  # noqa: E402

SHARE = os.path.join(HERE, "..", "..", "share", "slurm")
PLUGIN = os.environ.get("IOTRACE_SPANK", "")
TASKS = 4
BLOCKS, BLOCK = 100, 4096
WRITE = f"dd if=/dev/zero of=out.$SLURM_PROCID bs={BLOCK} count={BLOCKS} status=none"
RECORD = f"{IOTRACE} -q --source={SOURCE}"

CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/none
CredType=cred/none
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool
SlurmctldPidFile={dir}/slurmctld.pid
SlurmdPidFile={dir}/slurmd.pid
SlurmctldLogFile={dir}/slurmctld.log
SlurmdLogFile={dir}/slurmd.log
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
ProctrackType=proctrack/{tracker}
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
ReturnToService=2
KillWait=2
PlugStackConfig={dir}/plugstack.conf
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=60 State=UP
"""


def free_ports(number):
    sockets = [socket.socket() for _ in range(number)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def written(archive):
    """The bytes that all processes have written to each file of a task."""
    sums = {}
    for process in Archive(archive).groups.values():
        for name, file in process.whole().files.items():
            if name and "/out." in name:
                sums[name] = sums.get(name, 0) + file["written_bytes"]
    return sums


class Cluster:
    """`with Cluster(live, tracker):` its daemons run."""

    def __init__(self, live, tracker):
        self.dir = live.made(f"slurm.{tracker}")
        self.live = live
        self.env = dict(CALMED, SLURM_CONF=f"{self.dir}/slurm.conf", PATH=f"{self.dir}/bin:/usr/sbin:{CALMED['PATH']}")
        self.daemons = []
        for name in ("state", "spool", "tasks", "bin", "recorded"):
            os.mkdir(f"{self.dir}/{name}")
        os.chmod(self.dir, 0o755)
        host = socket.gethostname().split(".")[0]
        with open(f"{self.dir}/slurm.conf", "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(dir=self.dir, host=host, ports=free_ports(2), tracker=tracker))
        with open(f"{self.dir}/cgroup.conf", "w", encoding="utf-8") as file:
            file.write("CgroupPlugin=cgroup/v1\nCgroupMountpoint=/sys/fs/cgroup\n")
        with open(f"{self.dir}/plugstack.conf", "w", encoding="utf-8") as file:
            file.write(f"required {PLUGIN} iotrace={self.dir}/bin/iotrace\n" if PLUGIN else "")
        # The recorder of plugin and prolog takes its time to end, and says when it has.
        with open(f"{self.dir}/bin/iotrace", "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{IOTRACE} \"$@\"\nstatus=$?\nsleep 0.7\n: >{self.dir}/recorded/$$\nexit $status\n")
        os.chmod(f"{self.dir}/bin/iotrace", 0o755)

    def start(self, *argv):
        with open(f"{self.dir}/{argv[0]}.out", "wb") as out:
            self.daemons.append(subprocess.Popen(argv, env=self.env, stdout=out, stderr=out, stdin=subprocess.DEVNULL,
                                                 start_new_session=True))

    def __enter__(self):
        self.start("slurmctld", "-D", "-i")
        self.start("slurmd", "-D")
        if not self.live.check(wait_until(lambda: b"idle" in self.run("sinfo", "-h", "-o", "%t").stdout), "Slurm does not begin"):
            for name in ("slurmctld", "slurmd"):
                with open(f"{self.dir}/{name}.out", encoding="utf-8", errors="replace") as file:
                    print(name, file.read()[-2000:])
        return self

    def __exit__(self, kind, value, trace):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def run(self, *argv, **env):
        return self.live.run(argv, env=dict(self.env, **env), cwd=f"{self.dir}/tasks")

    def srun(self, what, *argv, status=0, **env):
        ran = self.run("srun", f"-n{TASKS}", "--overcommit", *argv, **env)
        self.live.equal(f"{what}: status", ran.returncode, status)
        if ran.returncode != status:
            print((ran.stdout + ran.stderr).decode(errors="replace")[-2000:])
        return ran

    def batch(self, what, script, *options):
        """Submits a job and returns its number."""
        path = f"{self.dir}/{what}.sh"
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        ran = self.run("sbatch", "--parsable", "-n2", "--overcommit", "-o", f"{self.dir}/{what}.log", *options, path)
        self.live.equal(f"{what}: sbatch", ran.returncode, 0)
        return ran.stdout.decode().strip()

    def is_gone(self, job):
        """Whether Slurm has nothing of it that runs or ends."""
        return job.encode() not in self.run("squeue", "-h", "-o", "%i").stdout.split()

    def recorded(self):
        """How many recorders of plugin and prolog have ended."""
        return len(os.listdir(f"{self.dir}/recorded"))

    def archives(self, pattern):
        return sorted(glob.glob(f"{self.dir}/tasks/{pattern}"))

    def expect(self, what, archive, tasks, blocks=BLOCKS):
        """The bytes that tasks have written to their files."""
        about = self.live.examine(archive)
        self.live.equal(f"{what}: complete", about["is_complete"], True)
        sums = written(archive)
        expected = {f"{self.dir}/tasks/out.{task}": blocks * BLOCK for task in range(tasks)}
        self.live.equal(f"{what}: bytes", sums, expected)
        return about


def test_step(live, slurm):
    slurm.srun("step", *RECORD.split(), "-o", "step.%j.%h.%n", "--", "sh", "-c", WRITE)
    archives = slurm.archives("step.*.0")
    if live.equal("step: archives", len(archives), 1):
        about = slurm.expect("step", archives[0], TASKS)
        live.equal("step: joined", about["command"]["joined"], TASKS)
        live.equal("step: ranks", sorted(command["rank"] for command in about["commands"]), list(range(TASKS)))
        live.equal("step: job", {key: about["job"][key] for key in ("system", "user", "nodes", "ranks")},
                   {"system": "Slurm", "user": "root", "nodes": 1, "ranks": TASKS})
        live.check(os.path.basename(archives[0]) == f"step.{about['job']['id']}.{socket.gethostname().split('.')[0]}.0",
                   f"step: name {archives}")


def test_script(live, slurm):
    """Two steps, one after the other; and a task that is killed."""
    script = (f"srun {RECORD} -o script.%j.1 -- sh -c '{WRITE}' || echo WRONG\n"
              f"srun {RECORD} -o script.%j.2 -- sh -c '{WRITE}; [ $SLURM_PROCID != 1 ] || kill -9 $$'\n")
    job = slurm.batch("script", script)
    live.check(wait_until(lambda: slurm.is_gone(job)), "script: the job does not end")
    slurm.expect("script, first step", f"{slurm.dir}/tasks/script.{job}.1", 2)
    about = slurm.expect("script, second step", f"{slurm.dir}/tasks/script.{job}.2", 2)
    live.equal("script: signals", sorted(command["signal"] or 0 for command in about["commands"]), [0, signal.SIGKILL])
    with open(f"{slurm.dir}/script.log", encoding="utf-8") as file:
        live.check("WRONG" not in file.read(), "script: the first step failed")


def cancelled(live, slurm, what, command, *options):
    """Returns the job, which was cancelled after its tasks had written."""
    for name in slurm.archives("out.*"):
        os.remove(name)
    job = slurm.batch(what, f"srun {command}", *options)
    live.check(wait_until(lambda: len(slurm.archives("out.[01]")) == 2), f"{what}: the tasks do not begin")
    time.sleep(1)
    slurm.run("scancel", job)
    live.check(wait_until(lambda: slurm.is_gone(job)), f"{what}: the job does not end")
    return job


def test_scancel(live, slurm):
    job = cancelled(live, slurm, "scancel", f"{RECORD} -o scancel.%j -- sh -c '{WRITE}; sleep 60'")
    archive = f"{slurm.dir}/tasks/scancel.{job}"
    live.check(wait_until(lambda: os.path.exists(archive)), "scancel: no archive")
    slurm.expect("scancel", archive, 2)


def test_plugin(live, slurm):
    """--iotrace: nobody touches the command."""
    slurm.srun("plugin", f"--iotrace=--source={SOURCE} -o 'plugin %j.%n'", "sh", "-c", WRITE + "; exit 3", status=3)
    live.equal("plugin: recorders that had ended before the step", slurm.recorded(), 1)
    archives = slurm.archives("plugin *.0")
    if live.equal("plugin: archives", len(archives), 1):
        slurm.expect("plugin", archives[0], TASKS)
    ran = slurm.srun("plugin, refused", "--iotrace=--nothing", "echo", "ran", status=137)
    live.check(b"unknown option '--nothing'" in ran.stderr and b"ran" not in ran.stdout, f"plugin: refused: {ran.stdout!r} {ran.stderr!r}")
    job = slurm.batch("both", f"srun sh -c '{WRITE}'\nsrun sh -c '{WRITE}'", "--iotrace")
    live.check(wait_until(lambda: slurm.is_gone(job)), "plugin: the job does not end")
    recorded = slurm.archives(f"iotrace-{job}-*")
    live.equal("plugin: archives of the script and two steps", len(recorded), 3)
    steps = list(filter(written, recorded))
    live.equal("plugin: archives of the steps", len(steps), 2)
    for archive in steps:
        slurm.expect("plugin: a step of a script", archive, 2)
    for what, command in (("dies", f"{WRITE}; sleep 60"), ("stays", f"trap \"\" TERM; {WRITE}; while sleep 1; do :; done")):
        job = cancelled(live, slurm, what, f"sh -c '{command}'", f"--iotrace=--source={SOURCE} -o plugin.%j.%p")
        live.check(wait_until(lambda job=job: len(slurm.archives(f"plugin.{job}.*")) == 2), f"plugin: {what}: no archive")
        recorded = list(filter(written, slurm.archives(f"plugin.{job}.*")))
        live.equal(f"plugin: {what}: archives with the tasks", len(recorded), 1)
        for archive in recorded:
            slurm.expect(f"plugin: {what}", archive, 2)


def test_prolog(live, slurm):
    env = {"SLURM_TASK_PROLOG": f"{SHARE}/task-prolog", "SLURM_TASK_EPILOG": f"{SHARE}/task-epilog"}
    before = slurm.recorded()
    slurm.srun("prolog", "sh", "-c", WRITE + "; exit 3", status=3, IOTRACE_TASKS=f"--source={SOURCE} -o 'prolog %j'", **env)
    live.equal("prolog: recorders that had ended before the step", slurm.recorded() - before, 1)
    archives = slurm.archives("prolog *")
    if live.equal("prolog: archives", len(archives), 1):
        slurm.expect("prolog", archives[0], TASKS)
    ran = slurm.srun("prolog, refused", "echo", "ran", status=1, IOTRACE_TASKS="--nothing", **env)
    live.check(b"unknown option '--nothing'" in ran.stdout and b"ran\n" not in ran.stdout, f"prolog: refused: {ran.stdout!r}")
    slurm.srun("prolog, not asked", "true", **env)
    left = [name for name in os.listdir(f"/tmp/iotrace-{os.getuid()}") if name.startswith("tasks-") and not name.endswith(".failed")]
    live.equal("prolog: left", left, [])


with Live() as test:
    if not all(shutil.which(name, path=f"/usr/sbin:{CALMED['PATH']}") for name in ("slurmctld", "slurmd", "srun")):
        test.lacks("Slurm")
        sys.exit()
    trackers = ["linuxproc"] + (["cgroup"] if os.path.isdir("/sys/fs/cgroup/freezer") else [])
    for tracker in trackers:
        with Cluster(test, tracker) as cluster:
            for each in (test_step, test_script, test_scancel, test_plugin, test_prolog):
                if each is not test_plugin or PLUGIN:
                    if len(sys.argv) < 2 or each.__name__ in sys.argv[1:]:
                        each(test, cluster)
