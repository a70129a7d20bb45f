/* trigger: what makes a flight recorder write an archive, as --trigger says it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct error;

enum trigger_kind {
	TRIGGER_SIGNAL, /* SIGUSR2, or `iotrace snapshot` */
	/* A call on a file, an asynchronous operation or a block request has been in flight for so long, */
	TRIGGER_HANG,
	TRIGGER_SLOW,  /* took so long, */
	TRIGGER_ERROR, /* or failed with this error */
	TRIGGER_UTIL,  /* a device was busy for a share of some time */
	TRIGGER_KINDS
};

/* What a glob is compared with. */
enum trigger_view {
	VIEW_ANY,
	VIEW_OP,
	VIEW_PROCESS,
	VIEW_FILE,
	VIEW_FS,
	VIEW_DEVICE,
	TRIGGER_VIEWS
};

struct trigger {
	enum trigger_kind kind;
	const char *text; /* as it was given; lent */
	uint64_t ns;      /* HANG, SLOW, UTIL */
	int error;        /* ERROR */
	enum trigger_view view;
	const char *glob; /* with a view; lent: the end of `text` */
	char *device;     /* UTIL */
	double share;     /* UTIL: 0 to 1 */
};

enum { TRIGGERS_MOST = 16 };

struct triggers {
	struct trigger item[TRIGGERS_MOST];
	uint32_t count;
};

/* For an OPTION_CALL row that may be repeated: adds a trigger, which lends the text. Returns 0, or -EINVAL with a message. */
int trigger_parse(void *triggers, const char *text, struct error *err);
void triggers_release(struct triggers *triggers);
/* Returns the shortest time of a trigger of this kind, or 0 if there is none. */
uint64_t triggers_least(const struct triggers *triggers, enum trigger_kind kind);
/* Returns whether a call or request became a hang of some trigger: between the last look, when it had the age `before`, and now. */
bool triggers_hang(const struct triggers *triggers, uint64_t before, uint64_t age);
bool triggers_have(const struct triggers *triggers, enum trigger_kind kind);
/* Returns whether one of them has this view. */
bool triggers_view(const struct triggers *triggers, enum trigger_view view);
/* Returns whether the trigger wants a call or operation with these names; NULL: unknown. */
bool trigger_wants(const struct trigger *trigger, const char *const name[TRIGGER_VIEWS]);
