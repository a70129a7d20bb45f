#!/bin/sh
# Every capture gives the text beside it. The texts are never made by this test: see update.sh.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/golden.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0 count=0

for capture in "$here"/captures/*.data; do
	name=$(basename "$capture" .data)
	count=$((count + 1))
	if ! "$IOTRACE" convert -q --format text "$capture" >"$work/$name.txt" 2>"$work/$name.err"; then
		echo "$name: convert failed:" && cat "$work/$name.err"
		failed=$((failed + 1))
	elif ! diff -u "$here/captures/$name.txt" "$work/$name.txt"; then
		failed=$((failed + 1))
	fi
done
echo "$((count - failed)) passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$count" -gt 0 ]
