/* call_name: the names of system calls: of those that iotrace follows, and with libseccomp those of most others. */
#include <iotrace/arch.h>
#include <iotrace/syscall.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef IOTRACE_HAS_SECCOMP
#include <seccomp.h>

/* Returns the library's name of the call, which the caller frees, or NULL. */
static char *library_name(const struct arch *arch, long number)
{
	/* It takes the words of uname(2), and does not know architectures that are younger. */
	uint32_t token = seccomp_arch_resolve_name(arch->name);

	return token && (unsigned long)number < ARCH_NUMBERS
		       ? seccomp_syscall_resolve_num_arch(token, (int)number)
		       : NULL;
}
#else
static char *library_name(const struct arch *arch, long number)
{
	(void)arch, (void)number;
	return NULL;
}
#endif

const char *arch_call_name(const struct arch *arch, long number, struct arch_name *name)
{
	call_id id = arch_call(arch, number);
	char *other = id == CALL_ID_NONE ? library_name(arch, number) : NULL;

	if (id == CALL_ID_NONE && !other)
		return NULL;
	snprintf(name->text, sizeof(name->text), "%s", other ? other : call_row(id)->name);
	free(other);
	return name->text;
}
