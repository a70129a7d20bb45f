/* frame_hang: the object of a hang: of "hangs" in the JSON, and of a line of its own. */
#pragma once

#include <iotrace/frame_report.h>

struct json_object;

struct json_object *frame_hang_json(const struct frame_report *report,
				    const struct frame_hang *hang);
