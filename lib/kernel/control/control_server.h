/* control_server: the recorder's side of iotrace/control.h. No function blocks. */
#pragma once

#include "control_protocol.h"

struct join_rendezvous;

struct control_server {
	struct join_rendezvous *rendezvous;
	int socket; /* readable when a request arrives; -1: no requests are accepted */
};

void control_server_init(struct control_server *server);
/* Returns 0, or -errno with a message. */
int control_server_open(struct control_server *server, const char *name, struct error *err);
/* Takes a request. *answer is for control_server_answer(). Returns false if there is none. */
bool control_server_next(struct control_server *server, struct control_request *request,
			 int *answer);
void control_server_answer(int answer, const struct control_status *status);
void control_server_close(struct control_server *server);
