/* call_class: see <iotrace/call_class.h>. */
#include <iotrace/call_class.h>

static const char *const names[CALL_CLASSES] = {
	[CALL_CLASS_NONE] = "other", [CALL_CLASS_READ] = "read",   [CALL_CLASS_WRITE] = "write",
	[CALL_CLASS_COPY] = "copy",  [CALL_CLASS_SEEK] = "seek",   [CALL_CLASS_SYNC] = "sync",
	[CALL_CLASS_OPEN] = "open",  [CALL_CLASS_CLOSE] = "close", [CALL_CLASS_META] = "meta",
	[CALL_CLASS_DIR] = "dir",    [CALL_CLASS_LOCK] = "lock",   [CALL_CLASS_MAP] = "mmap",
};

static enum call_class class_of_kind(enum call_kind kind)
{
	switch ((int)kind) {
	case CALL_READ:
		return CALL_CLASS_READ;
	case CALL_WRITE:
		return CALL_CLASS_WRITE;
	case CALL_COPY:
		return CALL_CLASS_COPY;
	case CALL_SEEK:
		return CALL_CLASS_SEEK;
	case CALL_OPEN:
		return CALL_CLASS_OPEN;
	case CALL_CLOSE:
		return CALL_CLASS_CLOSE;
	default:
		return CALL_CLASS_NONE;
	}
}

enum call_class call_class_of(const struct call_row *row)
{
	switch ((int)row->group) {
	case GROUP_DATA:
	case GROUP_OPEN:
		return class_of_kind(row->kind);
	case GROUP_SYNC:
		return CALL_CLASS_SYNC;
	case GROUP_META:
		return CALL_CLASS_META;
	case GROUP_DIR:
		return CALL_CLASS_DIR;
	case GROUP_LOCK:
		return CALL_CLASS_LOCK;
	case GROUP_MAP:
		return row->fd >= 0 ? CALL_CLASS_MAP : CALL_CLASS_NONE;
	default:
		return CALL_CLASS_NONE;
	}
}

const char *call_class_name(uint32_t number)
{
	return names[number < CALL_CLASSES ? number : CALL_CLASS_NONE];
}

uint8_t call_class_fd(const struct call_row *row)
{
	if (row->kind == CALL_OPEN)
		return CALL_FD_RESULT;
	return row->fd >= 0 && row->path < 0 ? (uint8_t)row->fd : CALL_FD_NONE;
}
