"""groups: where control groups are. In a chroot or a container nobody may have mounted them, and then the test does so."""

import contextlib
import subprocess
import tempfile

CGROUP2 = "cgroup2"


def mounted(kind):
    """Returns where a hierarchy is mounted whole: cgroup2, or the one with this controller of the first version. Or None."""
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        for line in file:
            front, _, back = line.partition(" - ")
            root, place = front.split()[3:5]
            what, _, options = back.split()[:3]
            if root == "/" and (what == kind if kind == CGROUP2 else what == "cgroup" and kind in options.split(",")):
                return place
    return None


def is_there(kind):
    """Whether the kernel has the hierarchy; a controller of cgroup2 has none of its own."""
    if kind == CGROUP2:
        with open("/proc/filesystems", encoding="ascii") as file:
            return CGROUP2 in file.read().split()
    with open("/proc/cgroups", encoding="ascii") as file:
        return any(line.split()[0] == kind and line.split()[1] != "0" for line in file)


@contextlib.contextmanager
def hierarchy(live, *kinds):
    """`with hierarchy(live, "blkio", CGROUP2) as (kind, place):` the first that this kernel has, or (None, None)."""
    kind = next((kind for kind in kinds if is_there(kind)), None)
    place = kind and mounted(kind)
    if place or not kind:
        yield kind, place
        return
    place = tempfile.mkdtemp(prefix=kind, dir=live.dir)
    argv = ["mount", "-t", CGROUP2, "none", place] if kind == CGROUP2 else ["mount", "-t", "cgroup", "-o", kind, "none", place]
    subprocess.run(argv, check=True)
    try:
        yield kind, place
    finally:
        subprocess.run(["umount", place], check=True)
