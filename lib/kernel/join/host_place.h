/* host_place: the place that a guest found for the archive of its command, which comes in several messages. */
#pragma once

struct join_place;
struct join_request;
struct place;

/* Adds a part. The descriptor is taken. */
void join_place_add(struct join_place **place, const struct join_request *request, int fd);
/* Returns the place, or NULL if not all of it came. *place is NULL then. */
struct place *join_place_take(struct join_place **place);
void join_place_release(struct join_place **place);
