"""guest: a small machine for QEMU: a kernel of test/vm/run, and an initramfs of busybox."""

import importlib.machinery
import importlib.util
import os

HERE = os.path.dirname(os.path.realpath(__file__))
QEMU = "qemu-system-x86_64"
SECONDS = 250  # that a machine may take on a busy host
# What every emulated machine has here. It has no accelerator, since hosts lack one.
MACHINE = (QEMU, "-accel", "tcg", "-cpu", "Nehalem,-cx16", "-m", "256", "-nographic", "-no-reboot")
WORDS = "console=ttyS0 quiet panic=-1 mitigations=off no_timer_check"
BEGIN = """#!/bin/sh
mount -t proc proc /proc
mount -t devtmpfs dev /dev
while read -r module; do
	insmod "/lib/modules/$module"
done </lib/modules/order
"""


def load_vm():
    """The kernels and the initramfs of test/vm/run."""
    loader = importlib.machinery.SourceFileLoader("vm_run", os.path.join(HERE, "..", "vm", "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("vm_run", loader))
    loader.exec_module(module)
    return module


def make(live, modules, applets, steps):
    """Returns a kernel and an initramfs. The guest loads the modules and runs the steps, lines of a shell with these applets."""
    vm = load_vm()
    vm.MODULES = modules
    kernel, root = vm.kernel_folder("6.1", None), live.path("root")
    for name in ("bin", "proc", "dev", "lib/modules"):
        os.makedirs(os.path.join(root, name))
    vm.put(root, "/bin/busybox")
    for applet in ("sh", "mount", "insmod", *applets):
        os.symlink("busybox", f"{root}/bin/{applet}")
    vm.put_modules(root, kernel)
    with open(f"{root}/init", "w", encoding="ascii") as file:
        file.write(BEGIN + steps)
    os.chmod(f"{root}/init", 0o755)
    archive = live.path("initramfs")
    live.run(["sh", "-c", 'cd "$1" && find . | cpio -o -H newc --quiet >"$2"', "sh", root, archive])
    boot = os.path.join(kernel, "boot")
    image, = (os.path.join(boot, name) for name in os.listdir(boot) if name.startswith("vmlinu"))
    return image, archive
