#!/bin/sh
# Writes the text of every capture anew, or of those named. Read `git diff` before you commit what it changed.
#
#   IOTRACE=build/iotrace test/golden/update.sh [NAME...]       such as hello, or linux-6.1-x86_64/files-bpf
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)/captures
if [ $# -eq 0 ]; then
	for capture in "$here"/*.data "$here"/*/*.data.xz; do
		capture=${capture#"$here/"}
		set -- "$@" "${capture%.data*}"
	done
fi
unpacked=$(mktemp "${TMPDIR:-/tmp}/golden.XXXXXX")
trap 'rm -f "$unpacked"' EXIT
for name; do
	if [ -e "$here/$name.data.xz" ]; then
		xz -dc "$here/$name.data.xz" >"$unpacked"
	else
		cp "$here/$name.data" "$unpacked"
	fi
	"$IOTRACE" convert -q --format text "$unpacked" >"$here/$name.txt"
done
