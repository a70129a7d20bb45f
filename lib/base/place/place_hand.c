/* place_hand: passes a place from the process that has claimed it to another process that fills it. */
#include "place_private.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

struct place_parts place_show(const struct place *place)
{
	return (struct place_parts){.parent = place->site.parent,
				    .work = place->work,
				    .owner = place->owner,
				    .path = place->site.path,
				    .work_name = place->work_name};
}

/* The lock belongs to the received descriptor. The process that the owner file names is about to end. */
struct place *place_take(const struct place_parts *parts, struct error *err)
{
	struct place *place = mem_zero(sizeof(*place));
	struct statvfs disk;

	place->work = place->owner = -1;
	place->site.parent = -1;
	if (!*parts->work_name || strchr(parts->work_name, '/') || parts->parent < 0 ||
	    parts->work < 0 || parts->owner < 0) {
		place_forget(place);
		error_say(err, EINVAL, "-o %s: cannot create an archive there", parts->path);
		return NULL;
	}
	place_site_name(&place->site, parts->path);
	place->site.parent = parts->parent;
	place->work = parts->work;
	place->owner = parts->owner;
	place->work_name = mem_strdup(parts->work_name);
	place->work_path = place_join(place->site.directory, place->work_name);
	if (!fstatvfs(place->work, &disk))
		place->free_before = (uint64_t)disk.f_bavail * disk.f_frsize;
	if (!ftruncate(place->owner, 0) && lseek(place->owner, 0, SEEK_SET) == 0)
		place_sign(place);
	return place;
}
