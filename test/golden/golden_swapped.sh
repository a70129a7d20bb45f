#!/bin/sh
# A capture of a machine with the other byte order is refused, and nothing is written. The first word of the file says the order.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/golden.XXXXXX")
trap 'rm -rf "$work"' EXIT
capture=$work/swapped.data

{
	head -c 8 "$here/captures/hello.data" | rev
	tail -c +9 "$here/captures/hello.data"
} >"$capture"
if [ "$(printf '\1\0' | od -An -t u2 | tr -d ' ')" = 1 ]; then theirs=big ours=little; else theirs=little ours=big; fi
expected="iotrace: $capture: was recorded on a $theirs-endian machine, but this machine is $ours-endian; convert it on a machine of the same kind"

if "$IOTRACE" convert -o "$work/archive" "$capture" 2>"$work/said"; then
	echo "it was converted" && exit 1
fi
echo "$expected" | diff -u - "$work/said"
[ ! -e "$work/archive" ] || { echo "an archive was made" && exit 1; }
