/* sanitizer: options of AddressSanitizer that all programs of a build with sanitizers have: see Warnings.cmake. */

/* The name is AddressSanitizer's. It shows the stack at an illegal instruction, which undefined behaviour has become. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "handle_sigill=1";
}
