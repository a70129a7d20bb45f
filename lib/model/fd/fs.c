#include "fs.h"

uint32_t fs_new(struct model *m)
{
	uint32_t id = pool_take(&m->fss, &m->fs, sizeof(*m->fs));

	m->fs[id] = (struct fs){.users = 1};
	return id;
}

void fs_drop(struct model *m, uint32_t fs)
{
	if (!--m->fs[fs].users)
		pool_give(&m->fss, fs);
}

void fs_share(struct model *m, uint32_t process, uint32_t other)
{
	uint32_t *own = &m->process[process].fs, shared = m->process[other].fs;

	if (*own == shared)
		return;
	fs_drop(m, *own);
	*own = shared;
	m->fs[shared].users++;
}

static bool is_alive(const struct process *p)
{
	return p->tasks || p->table != ID_NONE;
}

static void set_group_root(struct model *m, uint32_t process)
{
	const struct process *p = &m->process[process];

	if (p->group == ID_NONE || p->group == m->shared_group)
		return;
	m->trace.process[p->group].root = m->fs[p->fs].root;
	m->trace.process[p->group].mount_namespace = m->fs[p->fs].mount_namespace;
}

static void set_group_roots(struct model *m, uint32_t fs)
{
	for (uint32_t i = 0; i < m->processes.count; i++)
		if (is_alive(&m->process[i]) && m->process[i].fs == fs)
			set_group_root(m, i);
}

void fs_copy(struct model *m, uint32_t process, uint32_t parent)
{
	const struct fs *from = &m->fs[m->process[parent].fs];
	struct fs *to = &m->fs[m->process[process].fs];

	to->root = from->root;
	to->rooted = from->rooted;
	to->mount_namespace = from->mount_namespace;
}

void fs_set_root(struct model *m, uint32_t process, const struct fs_root *root)
{
	uint32_t fs = m->process[process].fs;
	str_id path = root->path.at ? model_string(m, root->path.at, root->path.length) : 0;

	if (m->fs[fs].root == path && m->fs[fs].mount_namespace == root->mount_namespace)
		return;
	m->fs[fs].root = path;
	m->fs[fs].mount_namespace = root->mount_namespace;
	set_group_roots(m, fs);
}

void fs_forget_same_root(struct model *m, uint32_t process)
{
	struct fs was = m->fs[m->process[process].fs];

	for (uint32_t i = 0; i < m->processes.count; i++) {
		struct fs *fs = &m->fs[m->process[i].fs];

		if (!is_alive(&m->process[i]) || fs->root != was.root ||
		    (fs->mount_namespace && was.mount_namespace &&
		     fs->mount_namespace != was.mount_namespace))
			continue;
		fs->root = 0;
		set_group_root(m, i);
	}
}

void fs_forget_all(struct model *m)
{
	for (uint32_t i = 0; i < m->processes.count; i++) {
		struct fs *fs = &m->fs[m->process[i].fs];

		if (!is_alive(&m->process[i]))
			continue;
		fs->root = 0;
		fs->mount_namespace = 0;
		set_group_root(m, i);
	}
}

void fs_forget_namespace(struct model *m, uint32_t process)
{
	m->fs[m->process[process].fs].mount_namespace = 0;
	set_group_roots(m, m->process[process].fs);
}

static void move(const struct model *m, uint32_t *moving, uint64_t *moved, int change)
{
	*moving += (uint32_t)change;
	if (change < 0)
		*moved = m->now;
}

void fs_move(struct model *m, uint32_t fs, enum fs_change what, int change)
{
	struct fs *f = &m->fs[fs];

	move(m, &f->moving, &f->moved, change);
	if (what != FS_DIRECTORY)
		move(m, &f->rooting, &f->rooted, change);
	if (what == FS_ALL_ROOTS)
		move(m, &m->pivoting, &m->pivoted, change);
}

bool fs_keeps_root(const struct model *m, uint32_t process, uint64_t since)
{
	const struct fs *fs = &m->fs[m->process[process].fs];

	return !fs->rooting && fs->rooted < since && !m->pivoting && m->pivoted < since;
}
