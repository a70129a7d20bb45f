#!/bin/sh
# Writes the text of every capture anew, or of those named. Read `git diff` before you commit what it changed.
#
#   IOTRACE=build/iotrace test/golden/update.sh [NAME...]
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
if [ $# -eq 0 ]; then
	for capture in "$here"/captures/*.data; do
		set -- "$@" "$(basename "$capture" .data)"
	done
fi
for name; do
	"$IOTRACE" convert -q --format text "$here/captures/$name.data" >"$here/captures/$name.txt"
done
