/* frame_hang: the object of a hang: of "hangs" in the JSON, and of a line of its own. */
#pragma once

#include <iotrace/frame_tell.h>

struct json_object;

struct json_object *frame_hang_json(const struct frame_tell *tell, const struct frame_hang *hang);
