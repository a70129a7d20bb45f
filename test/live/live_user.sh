#!/bin/sh
# An ordinary user: without the rights, iotrace says which one is missing and does not run the
# command; with perf_event_paranoid at 1 and a tracefs that may be read, it records the user's own
# processes.
# shellcheck source-path=SCRIPTDIR source=../support/live.sh
. "$(dirname "$0")/../support/live.sh"
paranoid=/proc/sys/kernel/perf_event_paranoid
tracefs=/sys/kernel/tracing
before=$(cat $paranoid)
rights=$(stat -c 'mode=%a,gid=%g' $tracefs)
# shellcheck disable=SC2317
tidy() {
	echo "$before" >"$paranoid"
	mount -o "remount,$rights" "$tracefs"
}
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all "$@"; }

# Copies that the user may execute and read, wherever the build lies.
chmod 755 "$work"
mkdir -m 777 "$work/home"
cp "$IOTRACE" "$work/iotrace"
cp "$TEST_BIN_DIR/workload_storm" "$work/storm"
head -c 4096 /dev/zero >"$work/data"
chmod 755 "$work/iotrace" "$work/storm" "$work/data"

# refuses WHAT WORD: three lines at most, with the remedy, and the command did not run
refuses() {
	status "$1" 125 nobody "$work/iotrace" -o "$work/home/none" -- touch "$work/home/ran"
	lines=$(wc -l <"$work/err")
	if [ "$lines" -lt 1 ] || [ "$lines" -gt 3 ]; then
		wrong "$1: $lines lines: $(cat "$work/err")"
	fi
	grep -q -- "$2" "$work/err" || wrong "$1: no word of $2: $(cat "$work/err")"
	[ ! -e "$work/home/ran" ] || wrong "$1: the command ran"
	[ ! -e "$work/home/none" ] || wrong "$1: an archive of nothing was left"
	rm -rf "$work/home/ran" "$work/home/none"
	status "$1: check" 1 nobody "$work/iotrace" check
	# The line is indented where there is room for it.
	[ "$(tail -1 "$work/out" | sed 's/^ *//')" = "setcap cap_bpf,cap_perfmon,cap_dac_read_search+ep $work/iotrace" ] ||
		wrong "$1: check does not say what is enough: $(tail -1 "$work/out")"
	equal "$1: check: commands in columns of their own" \
		"$(grep -E '^ *(mount|sysctl|setcap) ' "$work/out" | sed 's/[^ ].*//' | grep -vcx '         \|  \|')" 0
	grep -q -- "${2%% *}" "$work/out" || wrong "$1: check has no word of $2: $(cat "$work/out")"
}

# names_setcap WHEN: for BPF, settings of perf and tracefs help nothing, and one command does all.
names_setcap() {
	for command in "record -o $work/home/none" latency; do
		# shellcheck disable=SC2086 # words
		status "BPF, $1: $command" 125 nobody "$work/iotrace" $command --source=bpf -- touch "$work/home/ran"
		grep -q "setcap cap_bpf,cap_perfmon,cap_dac_read_search+ep $work/iotrace\$" "$work/err" ||
			wrong "BPF, $1: $command: $(cat "$work/err")"
		if grep -q -e sysctl -e mount -e paranoid "$work/err" || [ "$(wc -l <"$work/err")" != 2 ]; then
			wrong "BPF, $1: $command names what does not help: $(cat "$work/err")"
		fi
	done
	[ ! -e "$work/home/ran" ] || wrong "BPF, $1: the command ran"
}

# In a user namespace, the user seems to be root. What would help is outside of it.
in_user_namespace() {
	nobody unshare -Ur true || return 0 # the kernel makes none for a process in a chroot, for example
	status "a user namespace" 125 nobody unshare -Ur "$work/iotrace" -o "$work/home/none" -- true
	grep -q "mode=750,gid=65534 " "$work/err" || wrong "a user namespace: not the group outside: $(cat "$work/err")"
	grep -q "run iotrace outside of this user namespace" "$work/err" || wrong "a user namespace: no remedy: $(cat "$work/err")"
	grep -q setcap "$work/err" && wrong "a user namespace: setcap does not help there: $(cat "$work/err")"
}

# A program in a directory that the user may not enter: that is the reason, and not that there is none.
test_closed_program() {
	mkdir -m 700 "$work/closed"
	cp "$TEST_BIN_DIR/workload_storm" "$work/closed/storm"
	status "a closed program" 125 nobody "$work/iotrace" latency \
		--span "f: uprobe:$work/closed/storm:main -> uprobe:$work/closed/storm:main%return by tid" -- true
	grep -q "$work/closed/storm: Permission denied" "$work/err" || wrong "a closed program: $(cat "$work/err")"
	grep -q "only root may probe programs" "$work/err" || wrong "a closed program: $(cat "$work/err")"
}

# Any mount of tracefs is the same file system, so that rights are given for a moment and taken
# back.
test_refusal() {
	echo 1 >"$paranoid"
	refuses "no tracefs" trac
	echo 2 >"$paranoid"
	status "a mistyped command" 127 nobody "$work/iotrace" lst
	equal "a mistyped command" "$(cat "$work/err")" "iotrace: lst: command not found; did you mean 'iotrace list'?"
	status "block requests" 125 nobody "$work/iotrace" --block -o "$work/home/none" -- true
	grep -q "must be at most -1" "$work/err" || wrong "block requests: $(cat "$work/err")"
	status "spans that happen anywhere" 125 nobody "$work/iotrace" latency --span block -- true
	grep -q "must be at most -1" "$work/err" || wrong "spans that happen anywhere: $(cat "$work/err")"
	status "spans of tracepoints" 125 nobody "$work/iotrace" latency --span sched -- true
	grep -q "mount -o .* && sysctl kernel.perf_event_paranoid=" "$work/err" || wrong "spans of tracepoints: $(cat "$work/err")"
	nobody "$work/iotrace" list --spans >"$work/out" 2>&1 || wrong "list --spans: $(cat "$work/out")"
	equal "list --spans: the remedy is said once" "$(grep -c setcap "$work/out")" 1
	names_setcap "nothing at all"
	in_user_namespace
	refuses "nothing at all" "mount -o remount,mode=750,gid=65534 /sys/kernel/tracing && sysctl kernel.perf_event_paranoid=1"
	mount -o remount,mode=750,gid=65534 "$tracefs" || wrong "tracefs cannot be remounted"
	echo 2 >"$paranoid"
	refuses "paranoid 2" perf_event_paranoid
	names_setcap "paranoid 2"
	echo 1 >"$paranoid"
	names_setcap "all that perf needs"
}

# Any mount of tracefs is the same file system, so that rights are given for a moment and taken
# back.
test_own() {
	echo 1 >"$paranoid"
	mount -o remount,mode=750,gid=65534 "$tracefs" || wrong "tracefs cannot be remounted"
	status "own processes" 0 nobody "$work/iotrace" -o "$work/home/trace" -- \
		"$work/storm" "$work/data" 2 1000
	lossless "own processes" "$work/home/trace"
	at_least "operations" "$(counter "$work/home/trace" completed)" 2000
	equal "the file's name is known" \
		"$(print_archive -G "$work/home/trace/traces.otf2" | grep -c "IO_REGULAR_FILE.*\"$work/data\"")" 1
	status "of another user" 125 nobody "$work/iotrace" -o "$work/home/other" -p $$
	grep -q "as root, any process can be recorded" "$work/err" || wrong "of another user: no remedy: $(cat "$work/err")"
	[ ! -e "$work/home/other" ] || wrong "of another user: an archive of nothing was left"
	status "check" 0 nobody "$work/iotrace" check
}

if ! nobody true 2>"$work/err"; then
	wrong "setpriv: $(cat "$work/err")"
	finish
fi
test_closed_program
test_refusal
test_own
finish
