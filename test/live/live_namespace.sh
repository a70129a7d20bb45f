#!/bin/sh
# A pid namespace of one's own: tasks outside have no number there. -a says so and records nothing; a command is recorded.
# shellcheck source-path=SCRIPTDIR source=../support/live.sh
. "$(dirname "$0")/../support/live.sh"

status "all" 125 unshare --pid --fork --mount-proc "$IOTRACE" -a -q -o "$work/all" -- true
grep -q 'its own process ids' "$work/err" || wrong "all: it does not say why: $(cat "$work/err")"
[ ! -e "$work/all" ] || wrong "all: an archive of nothing was left"

head -c 4096 /dev/zero >"$work/data"
status "a command" 0 unshare --pid --fork --mount-proc "$IOTRACE" --strict -q -o "$work/one" -- "$TEST_BIN_DIR/workload_storm" "$work/data" 2 1000
lossless "a command" "$work/one"
at_least "a command: operations" "$(counter "$work/one" completed)" 2000
finish
