/*
 * program_32: a 32-bit program, for machines of 64 bits: x86-64 and arm64.
 *
 *	program_32 FILE	   creates FILE and writes COUNT times to it
 *
 * It has no C library, so no libraries of 32 bits are needed to build it, and its calls are exactly these: an open, COUNT writes,
 * a close, and its exit.
 */
enum { COUNT = 7, AT_THIS_FOLDER = -100, MODE = 0644 };

#if defined(__i386__)
enum { WRITE = 4, CLOSE = 6, EXIT_GROUP = 252, OPENAT = 295, CREATE = 0102 };

static long call(long number, long a, long b, long c, long d)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "0"(number), "b"(a), "c"(b), "d"(c), "S"(d)
			 : "memory");
	return result;
}

__asm__(".globl _start\n"
	"_start:\n\t"
	"xor %ebp, %ebp\n\t"
	"mov %esp, %eax\n\t"
	"and $-16, %esp\n\t"
	"sub $12, %esp\n\t"
	"push %eax\n\t"
	"call begin\n");
#elif defined(__arm__)
enum { WRITE = 4, CLOSE = 6, EXIT_GROUP = 248, OPENAT = 322, CREATE = 0102 };

static long call(long number, long a, long b, long c, long d)
{
	register long r7 __asm__("r7") = number;
	register long r0 __asm__("r0") = a;
	register long r1 __asm__("r1") = b;
	register long r2 __asm__("r2") = c;
	register long r3 __asm__("r3") = d;

	__asm__ volatile("svc 0" : "+r"(r0) : "r"(r7), "r"(r1), "r"(r2), "r"(r3) : "memory");
	return r0;
}

__asm__(".globl _start\n"
	".type _start, %function\n"
	"_start:\n\t"
	"mov r0, sp\n\t"
	"bl begin\n");
#else
#error "program_32 makes its calls itself, and knows only how i386 and ARM do it"
#endif

static void leave(int status)
{
	for (;;)
		call(EXIT_GROUP, status, 0, 0, 0);
}

/* What the kernel puts on the stack: the number of arguments, and their addresses. */
void begin(const long *stack);
void begin(const long *stack)
{
	long fd = stack[0] == 2 ? call(OPENAT, AT_THIS_FOLDER, stack[2], CREATE, MODE) : -1;

	if (fd < 0)
		leave(1);
	for (int i = 0; i < COUNT; i++)
		if (call(WRITE, fd, stack[2], 1, 0) != 1)
			leave(2);
	leave(call(CLOSE, fd, 0, 0, 0) ? 3 : 0);
}
