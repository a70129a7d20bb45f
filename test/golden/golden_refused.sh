#!/bin/sh
# What iotrace refuses: the sentence has the option, the cause and what to do, and nothing was done before it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
capture=$SOURCE_DIR/test/golden/captures/hello.data
status=0

# STATUS TEXT COMMAND...: that is all it says.
refuses() {
	expected=$1 text=$2
	shift 2
	code=0
	said=$("$@" 2>&1) || code=$?
	if [ "$code" != "$expected" ] || [ "$said" != "$text" ]; then
		echo "$*: $code, not $expected: $said"
		status=1
	fi
}

mkdir "$work/taken"
refuses 125 "iotrace: -o: $work/taken already exists; choose another name, for example $work/taken/trace" \
	"$IOTRACE" convert "$capture" -o "$work/taken"
refuses 125 "iotrace: $capture was not recorded with --each
iotrace: To make one archive of all its commands, omit --each." "$IOTRACE" convert --each "$capture" -o "$work"
for kind in text json; do
	refuses 125 "iotrace: --summary: '$kind:' has no name of a file: expected $kind:FILE
iotrace: Try 'iotrace --help'." "$IOTRACE" --summary=$kind: -o "$work/none" true
done

# What other programs take: -o=DIR, a ~ that no shell expands, a command of iotrace behind "--", and a capture for an archive.
refuses 125 "iotrace: '-o=trace': the value of -o would be '=trace'; write '-o trace' or '--output=trace'
iotrace: Try 'iotrace convert --help'." "$IOTRACE" convert -o=trace "$capture"
# shellcheck disable=SC2088 # it is not to be expanded
refuses 125 "iotrace: --path: '~/x*': the shell expands ~ only where a word begins
iotrace: Write the pattern as a word of its own, or the whole path. For a file called ~: './~/x*'
iotrace: Try 'iotrace --help'." "$IOTRACE" '--path=~/x*' true
refuses 127 "iotrace: record: command not found; a command of iotrace comes first: iotrace record" "$IOTRACE" -- record ls
refuses 125 "iotrace: --span fault: only BPF programs see page faults that read files, so not with --source=perf
iotrace: Try 'iotrace latency --help'." "$IOTRACE" latency --span fault --source=perf -- true
refuses 125 "iotrace: --json and --csv: only one of them can be on standard output; the other one needs a file, as in --csv=FILE
iotrace: Try 'iotrace stat --help'." "$IOTRACE" stat --json --csv -n 1
for command in latency leaks; do
	refuses 125 "iotrace: $capture: options such as --by come before the file
iotrace: Try 'iotrace $command --help'." "$IOTRACE" $command "$capture" --by none
done
for command in report check-archive; do
	refuses 125 "iotrace: $capture: is a capture; 'iotrace convert' makes an OTF2 archive of it" "$IOTRACE" $command "$capture"
done

# A process that is no recording, and none at all.
self=$(cat /proc/$$/comm)
for word in "pause" "start" "status" "stop" "mark text -r"; do
	# shellcheck disable=SC2086 # words
	refuses 1 "iotrace: process $$ is not iotrace: it is '$self'
iotrace: 'iotrace status' lists your recordings" "$IOTRACE" $word $$
	# shellcheck disable=SC2086
	refuses 1 "iotrace: no process 4194305" "$IOTRACE" $word 4194305
	# shellcheck disable=SC2086
	refuses 1 "iotrace: you have no recording named none; see 'iotrace status'" "$IOTRACE" $word none
done
exit "$status"
