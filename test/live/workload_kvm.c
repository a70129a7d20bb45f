/*
 * Runs a virtual CPU that writes to a port COUNT times and halts. Each write leaves the guest, and KVM_RUN returns. Prints how often
 * it did, as the trace must have it.
 */
#ifdef __x86_64__
#include <err.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

enum { AT = 0x1000, SIZE = 0x1000 };

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? (unsigned int)atoi(argv[1]) : 1000, exits = 0, writes = 0;
	/* mov $count, %cx; l: out %al, $0x10; loop l; hlt */
	const unsigned char code[] = {0xb9, count & 0xff, count >> 8, 0xe6, 0x10, 0xe2, 0xfc, 0xf4};
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC), vm, cpu;
	struct kvm_userspace_memory_region region = {.guest_phys_addr = AT, .memory_size = SIZE};
	struct kvm_regs regs = {.rip = AT, .rflags = 2};
	struct kvm_sregs sregs;
	struct kvm_run *run;
	void *memory;
	long size;

	if (kvm < 0)
		err(77, "/dev/kvm");
	vm = ioctl(kvm, KVM_CREATE_VM, 0);
	if (vm < 0)
		err(1, "KVM_CREATE_VM");
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memcpy(memory, code, sizeof(code));
	region.userspace_addr = (unsigned long)memory;
	size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	if (size < 0 || ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region))
		err(1, "KVM_SET_USER_MEMORY_REGION");
	cpu = ioctl(vm, KVM_CREATE_VCPU, 0);
	if (cpu < 0)
		err(1, "KVM_CREATE_VCPU");
	run = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, cpu, 0);
	ioctl(cpu, KVM_GET_SREGS, &sregs);
	sregs.cs.base = sregs.cs.selector = 0;
	if (run == MAP_FAILED || ioctl(cpu, KVM_SET_SREGS, &sregs) ||
	    ioctl(cpu, KVM_SET_REGS, &regs))
		err(1, "KVM_SET_REGS");
	do {
		if (ioctl(cpu, KVM_RUN, 0))
			err(1, "KVM_RUN");
		exits++;
		writes += run->exit_reason == KVM_EXIT_IO;
	} while (run->exit_reason == KVM_EXIT_IO);
	printf("exits %u writes %u last %u\n", exits, writes, run->exit_reason);
	return run->exit_reason != KVM_EXIT_HLT;
}
#else
int main(void)
{
	return 77;
}
#endif
