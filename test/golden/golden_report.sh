#!/bin/sh
# iotrace report and convert of an archive say it if they could not read or write all of it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# STATUS WORDS COMMAND...: what is said goes to $work/said; one line, with these words.
ends() {
	expected=$1 words=$2
	shift 2
	code=0
	"$@" >"$work/out" 2>"$work/said" || code=$?
	if [ "$code" != "$expected" ] || ! grep -q -e "$words" "$work/said" || [ "$(wc -l <"$work/said")" -gt 1 ]; then
		echo "$*: $code, not $expected with '$words':"
		cat "$work/said"
		status=1
	fi
}

# shellcheck disable=SC2317 # called by ends
closed() { "$@" >&-; }
# shellcheck disable=SC2317
full() { "$@" >/dev/full; }

archive=$work/archive
"$IOTRACE" convert -q -o "$archive" "$SOURCE_DIR/test/golden/captures/hello.data"
for command in "report" "convert -q --format text"; do
	# shellcheck disable=SC2086 # words
	ends 125 "standard output" closed "$IOTRACE" $command "$archive"
	# shellcheck disable=SC2086
	ends 125 "standard output: No space left" full "$IOTRACE" $command "$archive"
done
echo '{' >"$archive/iotrace.json"
ends 125 "iotrace.json is not JSON" "$IOTRACE" report "$archive"
grep -q "ENOENT of newfstatat" "$work/out" || { echo "what could be read was not reported" && status=1; }
rm "$archive/iotrace.json"
"$IOTRACE" report "$archive" >"$work/out" || { echo "an archive may lack its iotrace.json" && status=1; }
title=$(head -n 1 "$work/out")
[ "$title" = "iotrace summary: archive $archive" ] || { echo "without its iotrace.json: $title" && status=1; }

# What is missing of an archive is missing in the sentence on completeness, too.
"$IOTRACE" convert -q -o "$work/short" "$SOURCE_DIR/test/golden/captures/hello.data"
truncate -s 100 "$work"/short/traces/*.evt
for command in report leaks latency; do
	ends 125 "is truncated" "$IOTRACE" "$command" "$work/short"
	tr -s '\n ' '  ' <"$work/out" | grep -q "archive are missing or cannot be read: the events of .*([0-9]*) (traces/[0-9]*.evt: is truncated: it has no end)" || {
		echo "$command does not name what is missing:" && cat "$work/out" && status=1
	}
	if grep -E '^(complete|sure):' "$work/out" || [ "$(grep -c "parts of the archive" "$work/out")" != 1 ]; then
		echo "$command of an archive that lacks events says:" && cat "$work/out" && status=1
	fi
done
ends 125 "is truncated" "$IOTRACE" report --json "$work/short"
grep -q '"state":"incomplete"' "$work/out" || { echo "JSON of an archive that lacks events" && status=1; }
exit "$status"
