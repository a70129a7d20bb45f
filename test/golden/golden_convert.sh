#!/bin/sh
# Every capture gives the text beside it. The texts are never made by this test: see update.sh.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/golden.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0 count=0

for capture in "$here"/captures/*.data "$here"/captures/*/*.data.xz; do
	name=${capture#"$here/captures/"}
	name=${name%.data*}
	count=$((count + 1))
	case $capture in
	*.xz) xz -dc "$capture" >"$work/capture" ;;
	*) cp "$capture" "$work/capture" ;;
	esac
	if ! "$IOTRACE" convert -q --format text "$work/capture" >"$work/txt" 2>"$work/err"; then
		echo "$name: convert failed:" && cat "$work/err"
		failed=$((failed + 1))
	elif ! diff -u "$here/captures/$name.txt" "$work/txt"; then
		failed=$((failed + 1))
	fi
done
echo "$((count - failed)) passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$count" -gt 0 ]
