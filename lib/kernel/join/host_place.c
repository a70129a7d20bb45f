/* host_place: see host_place.h. A guest whose command is refused removes its place itself, so the host only closes it. */
#include "host_place.h"

#include "protocol.h"

#include <iotrace/mem.h>
#include <iotrace/place.h>
#include <stdlib.h>
#include <unistd.h>

struct join_place {
	int fd[JOIN_PARTS]; /* -1: not yet received */
	char *text[JOIN_PARTS];
};

void join_place_add(struct join_place **place, const struct join_request *request, int fd)
{
	int part = request->status;

	if (!*place) {
		*place = mem_zero(sizeof(**place));
		for (int i = 0; i < JOIN_PARTS; i++)
			(*place)->fd[i] = -1;
	}
	if (part < 0 || part >= JOIN_PARTS || (*place)->fd[part] >= 0) {
		close(fd);
		return;
	}
	(*place)->fd[part] = fd;
	(*place)->text[part] = mem_format("%.*s", (int)sizeof(request->argv) - 1, request->argv);
}

struct place *join_place_take(struct join_place **place)
{
	struct join_place *sent = *place;
	struct place *taken = NULL;

	if (sent && sent->text[JOIN_DIRECTORY] && sent->text[JOIN_WORK])
		taken = place_take(&(struct place_parts){.parent = sent->fd[JOIN_DIRECTORY],
							 .work = sent->fd[JOIN_WORK],
							 .owner = sent->fd[JOIN_OWNER],
							 .path = sent->text[JOIN_DIRECTORY],
							 .work_name = sent->text[JOIN_WORK]},
				   NULL);
	for (int i = 0; taken && i < JOIN_PARTS; i++)
		sent->fd[i] = -1;
	join_place_release(place);
	return taken;
}

void join_place_release(struct join_place **place)
{
	if (!*place)
		return;
	for (int i = 0; i < JOIN_PARTS; i++) {
		if ((*place)->fd[i] >= 0)
			close((*place)->fd[i]);
		free((*place)->text[i]);
	}
	free(*place);
	*place = NULL;
}
