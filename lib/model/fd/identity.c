#include "identity.h"

#include "file/file.h"
#include "file/name_filter.h"
#include "handle.h"

#include <string.h>
#include <sys/stat.h>

bool identity_is_path(const struct identity *s)
{
	static const char memfd[] = "/memfd:";

	return s->length && s->target[0] == '/' &&
	       !(s->is_deleted && s->length >= sizeof(memfd) - 1 &&
		 !memcmp(s->target, memfd, sizeof(memfd) - 1));
}

static enum trace_file_kind file_kind(uint64_t mode)
{
	if (S_ISDIR(mode))
		return FILE_DIRECTORY;
	if (S_ISFIFO(mode))
		return FILE_FIFO;
	return S_ISCHR(mode) || S_ISBLK(mode) ? FILE_DEVICE : FILE_REGULAR;
}

static void name_file(struct model *m, struct description *d, const struct identity *s)
{
	d->file = s->is_deleted ? file_add_deleted(m, d->name, file_kind(s->mode), s->dev, s->ino)
				: file_add(m, d->name, file_kind(s->mode));
	struct trace_file *file = &m->trace.file[d->file];

	file->kind = s->mode ? file_kind(s->mode) : file->kind;
	file_set_inode(m, d->file, s->dev, s->ino);
	file->mount = map_get(&m->mount_by_id, s->mnt_id);
}

void identity_apply(struct model *m, uint32_t description, const struct identity *s)
{
	struct description *d = &m->description[description];

	d->state = NAME_SURE;
	d->name = identity_is_path(s) ? name_add(m, s->target, s->length)
				      : model_string(m, s->target, s->length);
	d->is_stream |= s->mode && !S_ISREG(s->mode) && !S_ISBLK(s->mode);
	if (d->flags == UINT32_MAX)
		d->flags = s->flags;
	if (identity_is_path(s))
		name_file(m, d, s);
	handle_named(m, description);
}

void identity_describe(struct model *m, uint32_t description, const struct event_file *file)
{
	struct description *d = &m->description[description];
	struct identity seen = {.target = file->name.at,
				.length = file->name.length,
				.flags = file->flags,
				.mode = file->mode,
				.dev = file->dev,
				.ino = file->ino,
				.mnt_id = file->mnt_id,
				.is_deleted = file->is_deleted};

	d->position = file->position;
	if (file->name.at)
		identity_apply(m, description, &seen);
	else
		d->state = NAME_NEVER;
}
