#include "control_server.h"

#include "join/rendezvous.h"
#include "message/message.h"

#include <errno.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <stdlib.h>
#include <unistd.h>

void control_server_init(struct control_server *server)
{
	*server = (struct control_server){.socket = -1};
}

int control_server_open(struct control_server *server, const char *name, struct error *err)
{
	char *whole = mem_format(CONTROL_PREFIX "%s", name);

	server->rendezvous = rendezvous_open(whole, err);
	free(whole);
	if (!server->rendezvous)
		return -err->code;
	server->socket = rendezvous_receive_at(server->rendezvous, err);
	return server->socket < 0 ? server->socket : 0;
}

/* Messages of another size are ignored. */
bool control_server_next(struct control_server *server, struct control_request *request,
			 int *answer)
{
	while (server->socket >= 0) {
		int code = message_receive(server->socket, request, sizeof(*request), answer);

		if (code == -EAGAIN || code == -EPIPE)
			return false;
		request->text[sizeof(request->text) - 1] = '\0';
		if (!code && *answer >= 0)
			return true;
	}
	return false;
}

void control_server_answer(int answer, const struct control_status *status)
{
	message_send(answer, status, sizeof(*status), -1); /* the client may have gone */
	close(answer);
}

void control_server_close(struct control_server *server)
{
	if (server->socket >= 0) {
		close(server->socket);
		rendezvous_remove(server->rendezvous);
	}
	join_rendezvous_unlock(server->rendezvous);
	control_server_init(server);
}
