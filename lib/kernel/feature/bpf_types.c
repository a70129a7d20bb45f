/* bpf_types: see bpf_types.h. */
#include "bpf_types.h"

#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define BTF_PATH "/sys/kernel/btf/vmlinux"

/* Returns how many bytes follow the head of a type, or -1 if its kind is not known. */
static int64_t bytes_behind(const struct btf_type *type)
{
	int64_t entries = btf_vlen(type);

	switch (btf_kind(type)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return entries * (int64_t)sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return entries * (int64_t)sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
	case BTF_KIND_DATASEC:
		return entries * (int64_t)sizeof(struct btf_var_secinfo);
	case BTF_KIND_FUNC_PROTO:
		return entries * (int64_t)sizeof(struct btf_param);
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	default:
		return -1;
	}
}

/* Notes where each type begins. */
static int count_types(struct bpf_types *types, uint32_t size)
{
	uint32_t most = size / sizeof(struct btf_type), at = 0;

	types->at = mem_array(most + 1, sizeof(*types->at));
	types->count = 1;
	while (at < size) {
		const struct btf_type *type = (const void *)(types->types + at);
		int64_t behind = size - at < sizeof(*type) ? -1 : bytes_behind(type);

		if (behind < 0 || behind > (int64_t)(size - at - sizeof(*type)))
			return -EINVAL;
		types->at[types->count++] = at;
		at += (uint32_t)(sizeof(*type) + (size_t)behind);
	}
	return 0;
}

static int find_sections(struct bpf_types *types)
{
	struct btf_header header;
	size_t left;

	if (types->size < sizeof(header))
		return -EINVAL;
	memcpy(&header, types->bytes, sizeof(header));
	if (header.magic != BTF_MAGIC || header.hdr_len < sizeof(header) ||
	    header.hdr_len > types->size || header.hdr_len % 4 || header.type_off % 4)
		return -EINVAL;
	left = types->size - header.hdr_len;
	if (header.type_off > left || header.type_len > left - header.type_off ||
	    header.str_off > left || header.str_len > left - header.str_off || !header.str_len)
		return -EINVAL;
	types->types = types->bytes + header.hdr_len + header.type_off;
	types->strings = (const char *)types->bytes + header.hdr_len + header.str_off;
	types->strings_size = header.str_len;
	if (types->strings[header.str_len - 1])
		return -EINVAL;
	return count_types(types, header.type_len);
}

int bpf_types_lend(struct bpf_types *types, const void *bytes, size_t size)
{
	*types = (struct bpf_types){.bytes = bytes, .size = size, .owner = BPF_TYPES_LENT};
	if (!find_sections(types))
		return 0;
	bpf_types_close(types);
	return -EINVAL;
}

/* Returns the bytes of the file, or NULL. */
static void *read_whole(int fd, size_t size)
{
	uint8_t *bytes = mem_array(size, 1);
	ssize_t got = 1;

	for (size_t had = 0; had < size && got > 0; had += (size_t)got)
		got = read(fd, bytes + had, size - had);
	if (got > 0)
		return bytes;
	free(bytes);
	return NULL;
}

void bpf_types_open(struct bpf_types *types)
{
	int fd = open(BTF_PATH, O_RDONLY | O_CLOEXEC);
	struct stat file;

	*types = (struct bpf_types){.owner = BPF_TYPES_MAPPED};
	if (fd < 0)
		return;
	if (!fstat(fd, &file) && file.st_size > 0) {
		void *bytes = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		types->size = (size_t)file.st_size;
		if (bytes == MAP_FAILED) {
			bytes = read_whole(fd, types->size);
			types->owner = BPF_TYPES_READ;
		}
		types->bytes = bytes;
	}
	close(fd);
	if (types->bytes && find_sections(types))
		bpf_types_close(types);
}

void bpf_types_close(struct bpf_types *types)
{
	free(types->at);
	if (types->owner == BPF_TYPES_READ)
		free((void *)(uintptr_t)types->bytes);
	else if (types->owner == BPF_TYPES_MAPPED && types->bytes)
		munmap((void *)(uintptr_t)types->bytes, types->size);
	*types = (struct bpf_types){.owner = BPF_TYPES_LENT};
}

const struct btf_type *bpf_types_get(const struct bpf_types *types, uint32_t id)
{
	static const struct btf_type nothing;

	return id && id < types->count ? (const void *)(types->types + types->at[id]) : &nothing;
}

const char *bpf_types_name(const struct bpf_types *types, uint32_t offset)
{
	return offset < types->strings_size ? types->strings + offset : "";
}

uint32_t bpf_types_id(const struct bpf_types *types, const char *head, const char *tail,
		      uint32_t kind)
{
	size_t length = strlen(head);

	for (uint32_t id = 1; id < types->count; id++) {
		const struct btf_type *type = bpf_types_get(types, id);
		const char *name;

		if (btf_kind(type) != kind)
			continue;
		name = bpf_types_name(types, type->name_off);
		if (!strncmp(name, head, length) && !strcmp(name + length, tail))
			return id;
	}
	return 0;
}

uint32_t bpf_types_number(const struct bpf_types *types, const struct bpf_enumerator *enumerator,
			  uint32_t otherwise)
{
	uint32_t number = otherwise;

	for (const char *const *name = enumerator->enumeration; *name; name++) {
		const struct btf_type *type = bpf_types_get(types, bpf_types_id(types, *name, "",
										BTF_KIND_ENUM));

		for (uint32_t i = 0; btf_is_enum(type) && i < btf_vlen(type); i++)
			if (!strcmp(bpf_types_name(types, btf_enum(type)[i].name_off),
				    enumerator->name))
				number = (uint32_t)btf_enum(type)[i].val;
	}
	return number;
}

/* Returns the type without const and other modifiers. */
static const struct btf_type *plain_type(const struct bpf_types *types, uint32_t id)
{
	enum { MOST = 32 };
	const struct btf_type *type = bpf_types_get(types, id);

	for (int i = 0; i < MOST && (btf_is_mod(type) || btf_is_typedef(type)); i++)
		type = bpf_types_get(types, type->type);
	return type;
}

static void read_letters(const struct bpf_types *types, const struct btf_type *type, char *letters,
			 size_t size)
{
	const struct btf_type *pointer = plain_type(types, type->type);
	const struct btf_type *function = plain_type(types, pointer->type);
	size_t used = 0;

	if (!btf_is_ptr(pointer) || !btf_is_func_proto(function))
		return;
	for (uint32_t i = 1; i < btf_vlen(function) && used + 1 < size; i++) {
		const struct btf_type *argument = plain_type(types, btf_params(function)[i].type);

		letters[used++] = btf_is_ptr(argument) ? 'p' : 'i';
	}
	letters[used] = '\0';
}

void bpf_types_find(const struct bpf_types *types, struct bpf_layout *layout, uint32_t layouts)
{
	for (uint32_t id = 1; id < types->count; id++) {
		const struct btf_type *type = bpf_types_get(types, id);
		const char *name;

		if (!btf_is_typedef(type))
			continue;
		name = bpf_types_name(types, type->name_off);
		if (strncmp(name, BPF_TYPES_TRACEPOINT, sizeof(BPF_TYPES_TRACEPOINT) - 1))
			continue;
		name += sizeof(BPF_TYPES_TRACEPOINT) - 1;
		for (uint32_t i = 0; i < layouts; i++)
			if (!strcmp(name, layout[i].tracepoint))
				read_letters(types, type, layout[i].letters,
					     sizeof(layout[i].letters));
	}
}
