#include "unseen.h"

#include "fd/fdtable.h"
#include "fd/position.h"
#include "location.h"

uint32_t unseen_fd(struct model *m, uint32_t process, uint32_t table, int fd, uint64_t begin)
{
	const struct slot *slot = fd < 0 ? NULL : table_slot(m, table, (uint64_t)fd);

	if (fd < 0 || (slot && (slot->open != ID_NONE || slot->changed > begin)))
		return ID_NONE;
	uint32_t description = description_new(m, UINT32_MAX);

	m->description[description].position = IO_OFFSET_UNKNOWN;
	position_share(m, &m->description[description]);
	uint32_t open = open_new(m, description, process_group(m, process));

	m->open[open].is_found = true;
	/* Without a name, it cannot have a wrong one. */
	if (table_set(m, table, (uint64_t)fd, open, CLOEXEC_UNKNOWN))
		table_slot(m, table, (uint64_t)fd)->doubt = DOUBT_NONE;
	return open;
}
