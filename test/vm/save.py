"""save: what a virtual machine left for test/formats and test/golden/captures."""

import glob
import lzma
import os
import re


COMMON = """format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;
"""


def wanted_formats(top):
    """Returns the tracepoints that iotrace may read, as pairs of system and name. The ends of all calls are alike: one is kept."""
    wanted = {("syscalls", "sys_exit_read")}
    with open(f"{top}/lib/decode/tracepoint/tracepoints.def", encoding="utf-8") as file:
        rows = file.read()
    for system, names in re.findall(r'TRACEPOINT\("(\w+)", "([^"]+)"', rows):
        wanted.update((system, name) for name in names.split("|"))
    wanted.update(("block", name) for name in re.findall(r'^BLOCK\("(\w+)"', rows, re.M))
    with open(f"{top}/include/iotrace/syscalls.def", encoding="utf-8") as file:
        wanted.update(("syscalls", f"sys_enter_{name}") for name in re.findall(r"^SYSCALL\((\w+),", file.read(), re.M))
    return wanted


def save_formats(text, wanted):
    """Returns the formats without the fields that all tracepoints have, which must be the usual ones."""
    kept = []
    for part in text.split("system: ")[1:]:
        system, name = part.split("\n", 2)[0], re.search(r"^name: (\S+)$", part, re.M)[1]
        if (system, name) not in wanted:
            continue
        if COMMON not in part:
            raise SystemExit(f"run: the format of {system}:{name} does not begin with the usual fields:\n{part}")
        kept.append("system: " + part.replace(COMMON, ""))
    return "".join(kept)


def save(out, to, top):
    """Writes formats/KERNEL and golden/captures/KERNEL below `to`."""
    with open(f"{out}/kernel", encoding="ascii") as file:
        release, machine = file.read().split()[:2]
    name = f"linux-{'.'.join(release.split('.')[:2])}-{machine}"
    formats, captures = f"{to}/formats/{name}", f"{to}/golden/captures/{name}"
    os.makedirs(formats, exist_ok=True)
    os.makedirs(captures, exist_ok=True)
    with open(f"{out}/golden/formats", encoding="ascii") as file:
        text = save_formats(file.read(), wanted_formats(top))
    with open(f"{formats}/formats", "w", encoding="ascii") as file:
        file.write(text)
    for path in glob.glob(f"{out}/golden/*.data"):
        with open(path, "rb") as file, lzma.open(f"{captures}/{os.path.basename(path)}.xz", "wb", preset=9) as packed:
            packed.write(file.read())
