/* host_place: the place that a guest has opened for the archive of its command. It arrives in several messages. */
#pragma once

struct join_place;
struct join_request;
struct place;

/* Adds a part, and takes over its descriptor. */
void join_place_add(struct join_place **place, const struct join_request *request, int fd);
/* Returns the place, or NULL if a part is missing. Afterwards *place is NULL. */
struct place *join_place_take(struct join_place **place);
void join_place_release(struct join_place **place);
