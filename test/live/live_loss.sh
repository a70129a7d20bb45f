#!/bin/sh
# A ring that is too small for a storm: what was lost is counted and told, the books balance all the
# same.
# shellcheck source-path=SCRIPTDIR source=../support/live.sh
. "$(dirname "$0")/../support/live.sh"
head -c 4096 /dev/urandom >"$work/data"
storm="$TEST_BIN_DIR/workload_storm"

# The smallest ring, and iotrace kept from its work: it is stopped while a storm goes on, from the first call to the last. Only
# a record that finds room says that others were lost, so a second storm follows when iotrace works again.
lose() {
	rm -f "$work/begin" "$work/go" "$work/ready" "$work/storm.out" # of the last time
	mkfifo "$work/begin" "$work/go"
	# shellcheck disable=SC2016 # the inner shell expands it
	"$IOTRACE" -m 4K --ready-fd 9 "$@" -- sh -c 'read -r _ <"$1/begin"; "$2" "$1/data" 2 20000; read -r _ <"$1/go"
		exec "$2" "$1/data" 2 20000' sh "$work" "$storm" >"$work/storm.out" 2>"$work/said" 9>"$work/ready" &
	recorder=$!
	wait_until 60 grep -q ready "$work/ready" || {
		wrong "it does not record"
		wait $recorder
		return
	}
	kill -STOP $recorder
	echo >"$work/begin"
	wait_until 60 grep -q '^40000$' "$work/storm.out" || wrong "the first storm does not end"
	kill -CONT $recorder
	echo >"$work/go"
	wait $recorder
}

test_books() {
	rc=0
	lose -o "$work/trace" || rc=$?
	equal "exit status" $rc 0
	archive "loss" "$work/trace"
	lost=$(counter "$work/trace" lost)
	at_least "events lost" "$lost" 1
	equal "what the kernel says of its events" "$(book "$work/trace" '[.events[].lost] | add')" "$lost"
	equal "what the kernel counted" "$(book "$work/trace" '[.events[].counted] | add')" \
		"$(counter "$work/trace" kernel_counted)"
	# 2 * 40,000 calls were made: those in the archive and those lost are all of them. perf has two events for each.
	events=2
	[ "$IOTRACE_SOURCE" = perf ] || events=1
	at_least "events counted" "$(counter "$work/trace" kernel_counted)" $((80000 * events))
	grep -q -- '-m' "$work/said" || wrong "the summary does not say what to do"
	grep -q '^incomplete: .* missing' "$work/said" || wrong "the summary does not say that events are missing"
	grep -q 'sys_enter\|sys_exit\|iotrace:bpf' "$work/said" || wrong "the summary does not say which event was lost"
	[ "$wrongs" = 0 ] || cat "$work/said"
	print_archive -A "$work/trace/traces.otf2" >"$work/print"
	equal "trace property of what was lost" \
		"$(sed -n '/IOTRACE::LOST$/{n;s/.* //p}' "$work/print")" "$lost"
	/usr/bin/python3 -B "$(dirname "$0")/../support/otf2_dump.py" "$work/trace" >"$work/dump"
	at_least "markers" "$(jq '.markers | length' "$work/dump")" 1
}

test_strict() {
	rc=0
	lose --strict -q -o "$work/strict" || rc=$?
	equal "exit status with --strict" $rc 125
	archive "strict" "$work/strict"
	status "--strict without loss" 0 "$IOTRACE" --strict -q -o "$work/fine" -- true
	lossless "without loss" "$work/fine"
}

# The default ring, a storm on every CPU: nothing is lost.
test_enough() {
	status "a storm" 0 "$IOTRACE" --strict -q -o "$work/storm" -- "$storm" "$work/data" 2 100000
	lossless "a storm" "$work/storm"
	at_least "calls of the storm" "$(counter "$work/storm" completed)" 200000
}

# Many more busy threads than CPUs: those that empty the rings do not wait for their turn among them.
test_crowd() {
	status "a crowd" 0 "$IOTRACE" --strict -q -o "$work/crowd" -- "$storm" "$work/data" 64 8000
	lossless "a crowd" "$work/crowd"
	at_least "calls of the crowd" "$(counter "$work/crowd" completed)" 512000
}

test_books
test_strict
test_enough
test_crowd
finish
