/*
 * fuzz_main: runs a fuzz target on a corpus without a fuzzer, so that every compiler and every test run covers it.
 *
 * The target gets each file whole, cut at many positions, and with single bytes changed. FUZZ_CUTS in the environment says how many
 * of each. A fixed generator chooses the changes, so the same corpus is always the same test. Each input is a heap block of exactly its
 * size, so that the sanitizer sees the first byte beyond it.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SIZE_LIMIT = 16 << 20 };

static size_t cuts = 256; /* how many of each file; so many changes, too */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

static void fail(const char *what, const char *path)
{
	fprintf(stderr, "%s: ", path);
	perror(what);
	exit(1);
}

static void give(const uint8_t *bytes, size_t size)
{
	uint8_t *exact = malloc(size);

	if (size)
		memcpy(exact, bytes, size);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void change(uint8_t *bytes, size_t size)
{
	/* The values at which sizes and counts often go wrong. */
	static const uint8_t values[] = {0, 1, 7, 8, 0x7f, 0x80, 0xfe, 0xff};
	uint32_t random = 2463534242u;
	size_t i;

	for (i = 0; i < cuts && size; i++) {
		size_t at = next_random(&random) % size;
		uint8_t old = bytes[at];

		bytes[at] = values[next_random(&random) % sizeof(values)];
		give(bytes, size);
		bytes[at] = old;
	}
}

static void replay_file(const char *path)
{
	FILE *in = fopen(path, "rb");
	uint8_t *bytes = malloc(SIZE_LIMIT);
	size_t size;
	size_t cut;

	if (!in)
		fail("open", path);
	size = fread(bytes, 1, SIZE_LIMIT, in);
	if (ferror(in) || !feof(in))
		fail("read all of it", path);
	fclose(in);
	give(bytes, size);
	for (cut = 0; cut < size; cut += size / cuts + 1)
		give(bytes, cut);
	change(bytes, size);
	free(bytes);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int replay(const char *path)
{
	struct dirent **entry;
	struct stat st;
	int count;
	int i;

	if (stat(path, &st))
		fail("stat", path);
	if (!S_ISDIR(st.st_mode)) {
		replay_file(path);
		return 1;
	}
	count = scandir(path, &entry, is_visible, alphasort);
	if (count < 0)
		fail("list", path);
	for (i = 0; i < count; i++) {
		char file[4096];

		snprintf(file, sizeof(file), "%s/%s", path, entry[i]->d_name);
		replay_file(file);
		free(entry[i]);
	}
	free(entry);
	return count;
}

int main(int argc, char **argv)
{
	const char *wanted = getenv("FUZZ_CUTS");
	int files = 0;
	int i;

	if (wanted && atoi(wanted) > 0)
		cuts = (size_t)atoi(wanted);
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	for (i = 1; i < argc; i++)
		files += replay(argv[i]);
	printf("%d files\n", files);
	if (!files)
		fprintf(stderr, "no files: a corpus is missing\n");
	return files == 0;
}
