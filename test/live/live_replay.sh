#!/bin/sh
# A capture is a perf.data file: perf reads it, iotrace makes the same archive of it as the live run
# did; and what perf itself recorded can be converted, with a warning for what such a file cannot
# tell.
# shellcheck source-path=SCRIPTDIR source=../support/live.sh
. "$(dirname "$0")/../support/live.sh"

test_capture() {
	head -c 4096 /dev/urandom >"$work/data"
	status "live" 0 "$IOTRACE" -q --syscalls=all -o "$work/live" --capture "$work/capture" -- \
		sh -c "cat '$work/data' >'$work/copy'; ls '$work'
			'$TEST_BIN_DIR/workload_storm' '$work/data' 2 2000"
	lossless "live" "$work/live"
	status "perf script" 0 perf script -i "$work/capture"
	[ -s "$work/err" ] && wrong "perf complains: $(head -3 "$work/err")"
	preads=$(grep -c 'sys_enter.* NR 17 \|iotrace:bpf:' "$work/out")
	at_least "preads by perf script" "$preads" 4000
	status "perf report" 0 perf evlist -i "$work/capture"
	status "convert" 0 "$IOTRACE" convert -q "$work/capture" -o "$work/again"
	lossless "convert" "$work/again"
}

# The records of the two archives, and all that their definitions say.
test_same() {
	for name in live again; do
		print_archive -G "$work/$name/traces.otf2" >"$work/$name.definitions" 2>&1
		print_archive "$work/$name/traces.otf2" >"$work/$name.records" 2>&1
		sed -i "s|$work/$name/|DIR/|; /CREATION_DATE/d" "$work/$name.definitions" "$work/$name.records"
		# Which calls were asked for is not in the stream.
		jq -S 'del(.syscalls, .commands[]?.filters.syscalls)' "$work/$name/iotrace.json" >"$work/$name.json"
	done
	at_least "records" "$(grep -c IO_OPERATION_COMPLETE "$work/live.records")" 4000
	same "records, live and converted" "$work/live.records" "$work/again.records"
	same "definitions, live and converted" "$work/live.definitions" "$work/again.definitions"
	same "iotrace.json, live and converted" "$work/live.json" "$work/again.json"
	status "text" 0 "$IOTRACE" convert --format text "$work/capture"
	mv "$work/out" "$work/text.1"
	status "text again" 0 "$IOTRACE" convert --format text "$work/capture"
	cmp "$work/text.1" "$work/out" || wrong "the text of two conversions differs"
	at_least "operations in the text" "$(grep -c OP_COMPLETE "$work/text.1")" 4000
}

# from_perf WHAT PREADS PERF-OPTION... : a file of perf's; the storm of 2,000 calls must be in it
from_perf() {
	what=$1 least=$2
	shift 2
	perf record -q -o "$work/perf.data" "$@" -- "$TEST_BIN_DIR/workload_storm" "$work/data" 1 2000 \
		>/dev/null 2>"$work/perf.err" || wrong "$what: perf record: $(cat "$work/perf.err")"
	rm -rf "$work/perf.trace"
	status "$what: convert" 0 "$IOTRACE" convert "$work/perf.data" -o "$work/perf.trace"
	[ -s "$work/err" ] || wrong "$what: nothing is said of what the file cannot tell"
	harmless "$what: stderr" "$work/err"
	archive "$what" "$work/perf.trace"
	reads=$(print_archive "$work/perf.trace/traces.otf2" | grep -c '^IO_OPERATION_COMPLETE')
	at_least "$what: operations" "$reads" "$least"
}

test_perf() {
	set --
	for call in pread64 openat close read; do
		set -- "$@" -e "syscalls:sys_enter_$call" -e "syscalls:sys_exit_$call"
	done
	from_perf "perf record of a few calls" 2000 -m 1024 "$@"
	from_perf "perf record -a" 2000 -a -m 1024 "$@"
	from_perf "perf record of the raw pair" 2000 -m 1024 \
		-e raw_syscalls:sys_enter -e raw_syscalls:sys_exit
	from_perf "perf record with another clock" 2000 -m 1024 -k monotonic "$@"
	perf record -q -o "$work/perf.other" -e page-faults -- true >/dev/null 2>&1
	status "a file without calls" 125 "$IOTRACE" convert -q "$work/perf.other" -o "$work/other"
	grep -q "perf.other: there is nothing to convert: none of its events" "$work/err" ||
		wrong "a file without calls: $(cat "$work/err")"
	[ ! -e "$work/other" ] || wrong "a file without calls gave an archive"
	status "no file" 125 "$IOTRACE" convert "$work/none" -o "$work/none.trace"
	status "no capture" 125 "$IOTRACE" convert "$work/data" -o "$work/none.trace"
}

# perf record says what its rings lost twice: as it happens, and from the counter of each event at the end.
test_lost() {
	perf record -q -m 1 -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit -o "$work/perf.lost" -- \
		"$TEST_BIN_DIR/workload_storm" "$work/data" 2 200000 >/dev/null 2>&1
	counters=$(perf report --stats -i "$work/perf.lost" 2>/dev/null | awk '/LOST_SAMPLES events: *[0-9]+$/ { n += $NF } END { print n + 0 }')
	records=$(perf script --show-lost-events -i "$work/perf.lost" 2>/dev/null | awk '/PERF_RECORD_LOST / { n += $NF } END { print n + 0 }')
	status "lost: convert" 0 "$IOTRACE" convert -q "$work/perf.lost" -o "$work/lost.trace"
	at_least "lost: by perf" "$records" 1
	equal "lost: events" "$(jq .books.counters.lost "$work/lost.trace/iotrace.json")" \
		"$([ "$counters" -gt "$records" ] && echo "$counters" || echo "$records")"
}

# The same calls by both kinds of tracepoints, and one of them twice.
test_twice() {
	perf record -q -m 4096 -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit -e raw_syscalls:sys_exit \
		-e syscalls:sys_enter_pread64 -e syscalls:sys_exit_pread64 -o "$work/perf.twice" -- \
		"$TEST_BIN_DIR/workload_storm" "$work/data" 1 2000 >/dev/null 2>&1
	status "twice" 0 "$IOTRACE" latency --json "$work/perf.twice"
	said=$(jq '[.spans[] | select(.group == "pread64") | .count] | add' "$work/out")
	least=$(perf script -i "$work/perf.twice" -F event 2>/dev/null | grep -c 'syscalls:sys_exit_pread64')
	at_least "twice: calls" "$least" 2000
	equal "twice: each is told once" "$said" "$least"
	for what in "2 of its events\|1 of its events" "system calls twice"; do
		grep -q "$what" "$work/err" || wrong "twice: nothing is said: $(cat "$work/err")"
	done
}

# Without -c 1 it leaves out events, and nobody knows how many.
test_sampled() {
	perf record -q -F 100 -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit -o "$work/perf.sampled" -- \
		"$TEST_BIN_DIR/workload_storm" "$work/data" 1 2000 >/dev/null 2>&1
	status "sampled" 125 "$IOTRACE" convert -q --strict --format null "$work/perf.sampled"
	grep -q "2 kinds of events have only samples" "$work/err" || wrong "sampled: $(cat "$work/err")"
}

test_capture
test_same
test_perf
test_lost
test_twice
test_sampled
finish
