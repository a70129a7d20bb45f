/*
 * fs: current directories and roots. See fs.h.
 */
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

void fs_move(struct model *m, uint32_t fs, int change)
{
	m->fs[fs].moving += (uint32_t)change;
	if (change < 0)
		m->fs[fs].moved = m->now;
}
