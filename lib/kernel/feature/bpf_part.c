/* bpf_part: copies types from one BTF to another (Linux, Documentation/bpf/btf.rst). */
#include "bpf_part.h"

#include "bpf_bind.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <iotrace/hash.h>
#include <iotrace/map.h>
#include <iotrace/mem.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Programs give the kernel the number of this type, so it must have the same one in the part. See PEEK in the programs. */
#define NUMBERED "timespec64"

struct copy {
	const struct bpf_types *kernel;
	struct btf *part;
	struct hash_key key;
	/* Hashes of wanted names -> 1. Another name with the same hash does no harm. */
	struct map types, members;
	struct map copied; /* types of the kernel -> types of the part */
};

/* A type that is being copied: its members, and their types in the part. */
struct member {
	const struct btf_member *of;
	uint32_t at, bits;
	int type;
};

static uint64_t hash_of(const struct copy *copy, const char *name, size_t length)
{
	return hash_bytes(copy->key, name, length);
}

/* Programs may have several versions of a type, which are called TYPE___VERSION. */
static size_t length_without_version(const char *name)
{
	const char *version = strstr(name, "___");

	return version && version != name ? (size_t)(version - name) : strlen(name);
}

static void want_members(struct copy *copy, const struct btf *programs, const struct btf_type *type)
{
	for (uint32_t i = 0; btf_is_composite(type) && i < btf_vlen(type); i++) {
		const char *name = btf__name_by_offset(programs, btf_members(type)[i].name_off);

		map_set(&copy->members, hash_of(copy, name, length_without_version(name)), 1);
	}
}

static void want(struct copy *copy, const struct btf *programs)
{
	for (uint32_t id = 1; id < btf__type_cnt(programs); id++) {
		const struct btf_type *type = btf__type_by_id(programs, id);
		const char *name = btf__name_by_offset(programs, type->name_off);

		if (*name)
			map_set(&copy->types, hash_of(copy, name, length_without_version(name)), 1);
		want_members(copy, programs, type);
	}
	map_set(&copy->types, hash_of(copy, NUMBERED, strlen(NUMBERED)), 1);
}

static int copy_type(struct copy *copy, uint32_t id);

static int copy_enum(struct copy *copy, const struct btf_type *type, const char *name)
{
	int id = btf__add_enum(copy->part, name, type->size);

	for (uint32_t i = 0; id > 0 && i < btf_vlen(type); i++) {
		const struct btf_enum *value = &btf_enum(type)[i];
		int code = btf__add_enum_value(copy->part,
					       bpf_types_name(copy->kernel, value->name_off),
					       value->val);

		if (code)
			id = code;
	}
	return id;
}

/* Collects the members that are wanted. Those without a name may have wanted members themselves. */
static int copy_members(struct copy *copy, const struct btf_type *type, struct member *member)
{
	int count = 0;

	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		const struct btf_member *of = &btf_members(type)[i];
		const char *name = bpf_types_name(copy->kernel, of->name_off);
		int id;

		if (*name && map_get(&copy->members, hash_of(copy, name, strlen(name))) == MAP_NONE)
			continue;
		id = copy_type(copy, of->type);
		if (id < 0)
			return id;
		member[count++] = (struct member){of, btf_member_bit_offset(type, i),
						  btf_member_bitfield_size(type, i), id};
	}
	return count;
}

/* Adds types that nobody uses until the next one has this number. */
static int fill_up(struct btf *part, uint32_t id)
{
	while (btf__type_cnt(part) < id) {
		int code = btf__add_ptr(part, 0);

		if (code < 0)
			return code;
	}
	return btf__type_cnt(part) == id ? 0 : -ERANGE;
}

static int add_composite(struct copy *copy, const struct btf_type *type, const char *name,
			 const struct member *member, int count)
{
	int id = btf_is_union(type) ? btf__add_union(copy->part, name, type->size)
				    : btf__add_struct(copy->part, name, type->size);

	for (int i = 0; id > 0 && i < count; i++) {
		int code = btf__add_field(copy->part,
					  bpf_types_name(copy->kernel, member[i].of->name_off),
					  member[i].type, member[i].at, member[i].bits);

		if (code)
			id = code;
	}
	return id;
}

static int copy_composite(struct copy *copy, uint32_t id, const struct btf_type *type,
			  const char *name)
{
	struct member *member = mem_array(btf_vlen(type), sizeof(*member));
	int count = copy_members(copy, type, member);
	int code = count < 0 ? count : strcmp(name, NUMBERED) != 0 ? 0 : fill_up(copy->part, id);

	if (!code)
		code = add_composite(copy, type, name, member, count);
	free(member);
	return code;
}

static int copy_array(struct copy *copy, const struct btf_array *array)
{
	int index = copy_type(copy, array->index_type);
	int item = copy_type(copy, array->type);

	return index < 0  ? index
	       : item < 0 ? item
			  : btf__add_array(copy->part, index, item, array->nelems);
}

/* What a pointer points to does not matter, nor do types that no member can have. */
static int copy_new(struct copy *copy, uint32_t id, const struct btf_type *type)
{
	const char *name = bpf_types_name(copy->kernel, type->name_off);
	int target;

	switch (btf_kind(type)) {
	case BTF_KIND_INT:
		return btf__add_int(copy->part, name, type->size, btf_int_encoding(type));
	case BTF_KIND_ARRAY:
		return copy_array(copy, btf_array(type));
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return copy_composite(copy, id, type, name);
	case BTF_KIND_ENUM:
		return copy_enum(copy, type, name);
	case BTF_KIND_TYPEDEF:
		target = copy_type(copy, type->type);
		return target < 0 ? target : btf__add_typedef(copy->part, name, target);
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return copy_type(copy, type->type);
	default:
		return btf__add_ptr(copy->part, 0);
	}
}

/* Returns the number of the type in the part, or -errno. */
static int copy_type(struct copy *copy, uint32_t id)
{
	uint32_t before = map_get(&copy->copied, id);
	int new;

	if (before != MAP_NONE)
		return (int)before;
	new = id ? copy_new(copy, id, bpf_types_get(copy->kernel, id)) : 0;
	if (new >= 0)
		map_set(&copy->copied, id, (uint32_t) new);
	return new;
}

static bool is_wanted(const struct copy *copy, const struct btf_type *type)
{
	const char *name = bpf_types_name(copy->kernel, type->name_off);

	return (btf_is_composite(type) || btf_is_enum(type) || btf_is_typedef(type)) && *name &&
	       map_get(&copy->types, hash_of(copy, name, strlen(name))) != MAP_NONE;
}

static int copy_wanted(struct copy *copy)
{
	for (uint32_t id = 1; id < copy->kernel->count; id++) {
		int code = is_wanted(copy, bpf_types_get(copy->kernel, id)) ? copy_type(copy, id)
									    : 0;

		if (code < 0)
			return code;
	}
	return 0;
}

static int write_all(int fd, const void *bytes, uint32_t size)
{
	ssize_t written = pwrite(fd, bytes, size, 0);

	if (written < 0 || ftruncate(fd, size))
		return -errno;
	return written == (ssize_t)size ? 0 : -EIO;
}

void bpf_part_open(struct bpf_part *part)
{
	bpf_types_open(&part->types);
	part->fd = part->types.bytes ? memfd_create("kernel-types", MFD_CLOEXEC) : -1;
	snprintf(part->path, sizeof(part->path), "/proc/self/fd/%d", part->fd);
	bpf_bind_to(&part->types);
}

const char *bpf_part_path(const struct bpf_part *part)
{
	return part->fd < 0 ? NULL : part->path;
}

/* If a type cannot be copied, the part is the whole. */
int bpf_part_fill(const struct bpf_part *part, const struct btf *programs)
{
	struct copy copy = {.kernel = &part->types,
			    .part = btf__new_empty(),
			    .key = hash_key_of_process()};
	uint32_t size = (uint32_t)part->types.size;
	const void *bytes = part->types.bytes;
	int code;

	if (part->fd < 0)
		return 0;
	want(&copy, programs);
	if (copy.part && !copy_wanted(&copy))
		bytes = btf__raw_data(copy.part, &size);
	code = bytes ? write_all(part->fd, bytes, size) : -ENOMEM;
	btf__free(copy.part);
	map_release(&copy.types);
	map_release(&copy.members);
	map_release(&copy.copied);
	return code;
}

void bpf_part_close(struct bpf_part *part)
{
	bpf_bind_to(NULL);
	bpf_types_close(&part->types);
	if (part->fd >= 0)
		close(part->fd);
	part->fd = -1;
}
