#include "trigger.h"

#include "option/duration.h"

#include <errno.h>
#include <fnmatch.h>
#include <iotrace/errname.h>
#include <iotrace/error.h>
#include <iotrace/mem.h>
#include <iotrace/nearest.h>
#include <stdlib.h>
#include <string.h>

enum { ERRORS_MOST = 4096, PER_CENT = 100 };

static const uint64_t hang_ns = 10000000000;

/* The names are those of the views of `iotrace stat`. */
static const char *const view_word[TRIGGER_VIEWS] = {
	[VIEW_OP] = "op", [VIEW_PROCESS] = "process", [VIEW_FILE] = "file",
	[VIEW_FS] = "fs", [VIEW_DEVICE] = "device",
};

/* Returns whether the pattern seems to be followed by ":VIEW=" of another one. */
static bool has_another(const char *glob)
{
	for (int i = VIEW_OP; i < TRIGGER_VIEWS; i++) {
		char *words = mem_format(":%s=", view_word[i]);
		bool is_there = strstr(glob, words);

		free(words);
		if (is_there)
			return true;
	}
	return false;
}

/* Takes ":VIEW=GLOB" from the end of a trigger. Returns the length of what is before it, or -EINVAL with a message. */
static int take_view(struct trigger *trigger, const char *value, struct error *err)
{
	const char *colon = strchr(value, ':'), *equals = colon ? strchr(colon, '=') : NULL;

	if (!colon)
		return (int)strlen(value);
	for (int i = VIEW_OP; equals && equals[1] && i < TRIGGER_VIEWS; i++) {
		size_t length = (size_t)(equals - colon) - 1;

		if (strlen(view_word[i]) != length || strncmp(view_word[i], colon + 1, length) != 0)
			continue;
		if (has_another(equals + 1))
			return error_say(
				err, EINVAL,
				"'%s': a trigger has one restriction; if a name has a ':', write '?' for it",
				trigger->text);
		trigger->view = (enum trigger_view)i;
		trigger->glob = equals + 1;
		return (int)(colon - value);
	}
	return error_say(err, EINVAL,
			 "'%s': expected op=GLOB, process=GLOB, file=GLOB, fs=GLOB or device=GLOB "
			 "after ':'",
			 trigger->text);
}

static int take_time(struct trigger *trigger, const char *value, int length, struct error *err)
{
	char *time = mem_format("%.*s", length, value);
	int code = duration_parse(&trigger->ns, time, err);

	free(time);
	return code;
}

static int parse_signal(struct trigger *trigger, const char *value, struct error *err)
{
	return value ? error_say(err, EINVAL, "'%s': signal has no value", trigger->text) : 0;
}

static int parse_hang(struct trigger *trigger, const char *value, struct error *err)
{
	int length;

	trigger->ns = hang_ns;
	if (!value)
		return 0;
	length = take_view(trigger, value, err);
	return length < 0 ? length : take_time(trigger, value, length, err);
}

static int parse_slow(struct trigger *trigger, const char *value, struct error *err)
{
	int length;

	if (!value)
		return error_say(err, EINVAL, "slow needs a time, for example slow=100ms");
	length = take_view(trigger, value, err);
	return length < 0 ? length : take_time(trigger, value, length, err);
}

static int parse_error(struct trigger *trigger, const char *value, struct error *err)
{
	int length = value ? take_view(trigger, value, err) : 0;

	if (length < 0)
		return length;
	for (int i = 1; value && i < ERRORS_MOST; i++) {
		const char *name = errname(i);

		if (!name || strlen(name) != (size_t)length ||
		    strncmp(name, value, (size_t)length) != 0)
			continue;
		trigger->error = i;
		return 0;
	}
	return error_say(err, EINVAL, "'%s': expected the name of an error, for example error=EIO",
			 trigger->text);
}

static int refuse_util(const struct trigger *trigger, struct error *err)
{
	return error_say(err, EINVAL,
			 "'%s': expected util=DEVICE>PERCENT%%:TIME, for example util=sda>95%%:10s",
			 trigger->text);
}

static int parse_util(struct trigger *trigger, const char *value, struct error *err)
{
	const char *above = value ? strchr(value, '>') : NULL;
	char *end = NULL;

	if (!above || above == value)
		return refuse_util(trigger, err);
	trigger->share = strtod(above + 1, &end) / PER_CENT;
	if (end == above + 1 || strncmp(end, "%:", 2) != 0 || !(trigger->share >= 0) ||
	    trigger->share >= 1)
		return refuse_util(trigger, err);
	if (take_time(trigger, end + 2, (int)strlen(end + 2), err))
		return -EINVAL;
	if (!strncmp(value, "/dev/", 5))
		value += 5;
	trigger->device = mem_format("%.*s", (int)(above - value), value);
	return 0;
}

static const struct {
	const char *word;
	int (*parse)(struct trigger *trigger, const char *value, struct error *err);
} kind_row[TRIGGER_KINDS] = {
	[TRIGGER_SIGNAL] = {"signal", parse_signal}, [TRIGGER_HANG] = {"hang", parse_hang},
	[TRIGGER_SLOW] = {"slow", parse_slow},       [TRIGGER_ERROR] = {"error", parse_error},
	[TRIGGER_UTIL] = {"util", parse_util},
};

int trigger_parse(void *field, const char *text, struct error *err)
{
	struct triggers *triggers = field;
	size_t length = strcspn(text, "=");

	if (triggers->count == TRIGGERS_MOST)
		return error_say(err, EINVAL, "at most %d triggers can be given", TRIGGERS_MOST);
	for (int i = 0; i < TRIGGER_KINDS; i++) {
		struct trigger *trigger = &triggers->item[triggers->count];

		if (strlen(kind_row[i].word) != length ||
		    strncmp(kind_row[i].word, text, length) != 0)
			continue;
		*trigger = (struct trigger){.kind = (enum trigger_kind)i, .text = text};
		triggers->count++;
		return kind_row[i].parse(trigger, text[length] ? text + length + 1 : NULL, err);
	}
	return error_say(err, EINVAL,
			 "unknown trigger '%s': expected hang, slow=TIME, error=ERROR, "
			 "util=DEVICE>PERCENT%%:TIME or signal",
			 text);
}

void triggers_release(struct triggers *triggers)
{
	for (uint32_t i = 0; i < triggers->count; i++)
		free(triggers->item[i].device);
	triggers->count = 0;
}

uint64_t triggers_least(const struct triggers *triggers, enum trigger_kind kind)
{
	uint64_t least = 0;

	for (uint32_t i = 0; i < triggers->count; i++) {
		const struct trigger *trigger = &triggers->item[i];

		if (trigger->kind == kind && (!least || trigger->ns < least))
			least = trigger->ns;
	}
	return least;
}

bool triggers_hang(const struct triggers *triggers, uint64_t before, uint64_t age)
{
	for (uint32_t i = 0; i < triggers->count; i++) {
		const struct trigger *trigger = &triggers->item[i];

		if (trigger->kind == TRIGGER_HANG && before < trigger->ns && trigger->ns <= age)
			return true;
	}
	return false;
}

bool triggers_have(const struct triggers *triggers, enum trigger_kind kind)
{
	for (uint32_t i = 0; i < triggers->count; i++)
		if (triggers->item[i].kind == kind)
			return true;
	return false;
}

bool triggers_view(const struct triggers *triggers, enum trigger_view view)
{
	for (uint32_t i = 0; i < triggers->count; i++)
		if (triggers->item[i].view == view)
			return true;
	return false;
}

bool trigger_wants(const struct trigger *trigger, const char *const name[TRIGGER_VIEWS])
{
	return trigger->view == VIEW_ANY ||
	       (name[trigger->view] && !fnmatch(trigger->glob, name[trigger->view], 0));
}
