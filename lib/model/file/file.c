/* file: paths, files and mounts. A file is identified by its absolute path, because readers of the archive compare paths. */
#include "file.h"

#include "name_filter.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_SIZE = 8192 };

/* A path under construction. */
struct builder {
	char at[PATH_SIZE];
	size_t length;
	bool has_component; /* has a component after the base */
};

static bool go_up(struct builder *out)
{
	if (out->has_component)
		return false;
	while (out->length && out->at[--out->length] != '/')
		;
	return true;
}

static bool add_component(struct builder *out, const char *name, size_t size)
{
	if (!size || (size == 1 && name[0] == '.'))
		return true;
	if (size == 2 && name[0] == '.' && name[1] == '.')
		return go_up(out);
	if (out->length + size + 1 >= PATH_SIZE)
		return false;
	out->at[out->length++] = '/';
	memcpy(out->at + out->length, name, size);
	out->length += size;
	out->has_component = true;
	return true;
}

/* Returns false if the path cannot be resolved. */
static bool add_components(struct builder *out, const char *path, size_t left)
{
	while (left) {
		const char *slash = memchr(path, '/', left);
		size_t size = slash ? (size_t)(slash - path) : left;

		if (!add_component(out, path, size))
			return false;
		path += size + (slash ? 1 : 0);
		left -= size + (slash ? 1 : 0);
	}
	return true;
}

str_id path_resolve(struct model *m, struct event_string base, struct event_string path)
{
	struct builder out;

	out.length = 0;
	out.has_component = false;
	if (!path.length)
		return 0;
	if (path.at[0] != '/') {
		if (!base.length || base.at[0] != '/' || base.length >= PATH_SIZE)
			return 0;
		out.length = base.length > 1 ? base.length : 0;
		memcpy(out.at, base.at, out.length);
	}
	if (!add_components(&out, path.at, path.length))
		return 0;
	return out.length ? name_add(m, out.at, out.length) : name_add(m, "/", 1);
}

str_id path_written(struct model *m, struct event_string base, struct event_string path)
{
	bool is_behind = path.at[0] != '/' && base.length && base.at[0] == '/';
	bool has_slash = is_behind && base.at[base.length - 1] == '/';
	char text[PATH_SIZE];
	int length;

	if (!is_behind)
		return name_add(m, path.at, path.length);
	length = snprintf(text, sizeof(text), "%.*s%s%.*s", (int)base.length, base.at,
			  has_slash ? "" : "/", (int)path.length, path.at);
	return length > 0 && length < PATH_SIZE ? name_add(m, text, (size_t)length) : 0;
}

file_id file_find(const struct model *m, str_id path)
{
	return path < m->file_of_path_cap && m->file_of_path[path] ? m->file_of_path[path] - 1
								   : ID_NONE;
}

void file_is_directory(struct model *m, file_id file)
{
	if (file != ID_NONE && m->trace.file[file].kind == FILE_REGULAR)
		m->trace.file[file].kind = FILE_DIRECTORY;
}

/* Returns the directory of the path, or 0 for "/". */
static str_id parent_of(struct model *m, str_id path)
{
	const char *text = strtab_text(m->trace.strings, path);
	const char *slash = memrchr(text, '/', strtab_length(m->trace.strings, path));

	if (!slash || text[0] != '/' || !text[1])
		return 0;
	return slash == text ? strtab_add(m->trace.strings, "/", 1)
			     : strtab_add(m->trace.strings, text, (size_t)(slash - text));
}

/* The parents of a file are directories, unless the status of a later file with that name says otherwise. */
static void mark_parents(struct model *m, str_id path)
{
	while ((path = parent_of(m, path)) != 0) {
		COLD_GROW(&m->area[AREA_PARENTS], m->is_parent, m->is_parent_cap, path + 1);
		if (m->is_parent[path])
			return;
		m->is_parent[path] = true;
		file_id file = file_find(m, path);

		if (file != ID_NONE && !m->trace.file[file].ino)
			file_is_directory(m, file);
	}
}

static file_id file_new(struct model *m, str_id path, enum trace_file_kind kind)
{
	COLD_GROW(&m->trace.file_area, m->trace.file, m->trace.files_cap, m->trace.files + 1);
	m->trace.file[m->trace.files] =
		(struct trace_file){.path = path, .kind = kind, .mount = ID_NONE};
	return m->trace.files++;
}

file_id file_add(struct model *m, str_id path, enum trace_file_kind kind)
{
	file_id id = file_find(m, path);

	if (path < m->is_parent_cap && m->is_parent[path] && kind == FILE_REGULAR)
		kind = FILE_DIRECTORY;
	if (id != ID_NONE) {
		m->trace.file[id].is_gone = false;
		if (kind == FILE_DIRECTORY && !m->trace.file[id].ino)
			file_is_directory(m, id);
		return id;
	}
	mark_parents(m, path);
	id = file_new(m, path, kind);
	COLD_GROW(&m->area[AREA_PATHS], m->file_of_path, m->file_of_path_cap, path + 1);
	m->file_of_path[path] = id + 1;
	return id;
}

static uint64_t inode_hash(const struct model *m, uint64_t dev, uint64_t ino)
{
	const uint64_t inode[] = {dev, ino};

	return hash_bytes(m->key, inode, sizeof(inode));
}

static file_id find_inode(const struct model *m, uint64_t hash, uint64_t dev, uint64_t ino)
{
	uint32_t at;
	file_id file = index_first(&m->file_by_inode, hash, &at);

	while (file != ID_NONE &&
	       (m->trace.file[file].dev != dev || m->trace.file[file].ino != ino))
		file = index_next(&m->file_by_inode, hash, &at);
	return file;
}

/* The file's old inode, and the inode's old file, are forgotten. */
void file_set_inode(struct model *m, file_id file, uint64_t dev, uint64_t ino)
{
	struct index *index = &m->file_by_inode;
	struct trace_file *f = &m->trace.file[file];
	uint64_t hash = ino ? inode_hash(m, dev, ino) : 0;

	if (name_is_stand_in(m, f->path))
		return;
	file_id before = ino ? find_inode(m, hash, dev, ino) : ID_NONE;

	if (before == file && ino)
		return;
	if (before != ID_NONE)
		index_remove(index, hash, before);
	if (f->ino)
		index_remove(index, inode_hash(m, f->dev, f->ino), file);
	f->dev = dev;
	f->ino = ino;
	if (ino)
		index_add(index, hash, file);
}

file_id file_by_inode(const struct model *m, uint64_t dev, uint64_t ino)
{
	return ino ? find_inode(m, inode_hash(m, dev, ino), dev, ino) : ID_NONE;
}

file_id file_add_deleted(struct model *m, str_id path, enum trace_file_kind kind, uint64_t dev,
			 uint64_t ino)
{
	file_id id = file_by_inode(m, dev, ino);

	if (name_is_stand_in(m, path))
		return file_add(m, path, kind);
	if (id != ID_NONE && m->trace.file[id].is_deleted && m->trace.file[id].path == path)
		return id;
	id = file_new(m, path, kind);
	m->trace.file[id].is_gone = m->trace.file[id].is_deleted = true;
	return id;
}

void file_mount(struct model *m, const struct fact *fact)
{
	uint64_t id = fact->number[FACT_MOUNT_mnt_id];

	if (map_get(&m->mount_by_id, id) != MAP_NONE)
		return;
	map_set(&m->mount_by_id, id, m->trace.mounts);
	MEM_GROW(m->trace.mount, m->trace.mounts_cap, m->trace.mounts + 1);
	struct trace_mount *mount = &m->trace.mount[m->trace.mounts++];
	const struct fact_string *s = fact->string;

	mount->id = id;
	mount->mount_point = model_string(m, s[FACT_MOUNT_mount_point].at,
					  s[FACT_MOUNT_mount_point].length);
	mount->source = model_string(m, s[FACT_MOUNT_source].at, s[FACT_MOUNT_source].length);
	mount->type = model_string(m, s[FACT_MOUNT_type].at, s[FACT_MOUNT_type].length);
}
