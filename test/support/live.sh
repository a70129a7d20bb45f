# live: what every live test in sh needs. Read with `.`; then tests, then `finish`.
#
# $work is a directory of the test's own, which goes with it. Every complaint goes through `wrong`.
# shellcheck shell=sh
: "${IOTRACE:=iotrace}" "${TEST_BIN_DIR:=.}" "${IOTRACE_SOURCE:=bpf}"
export LC_ALL=C
work=$(mktemp -d "${TMPDIR:-/tmp}/iotrace-live.XXXXXX")
work=$(cd "$work" && pwd -P)
wrongs=0

# To be extended by a test that has more to put back.
tidy() { :; }
# Kills what this test started and did not end: it has this variable.
export IOTRACE_TEST=$$
end_what_is_left() {
	unset IOTRACE_TEST
	grep -lsz "^IOTRACE_TEST=$$\$" /proc/[0-9]*/environ | cut -d/ -f3 | grep -vx $$ | xargs -r kill -9 2>/dev/null
}
trap 'tidy; end_what_is_left; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

wrong() {
	wrongs=$((wrongs + 1))
	printf 'WRONG %s\n' "$*"
}

# equal WHAT GOT EXPECTED
equal() {
	[ "$2" = "$3" ] || wrong "$1: '$2' instead of '$3'"
}

# at_least WHAT GOT MINIMUM
at_least() {
	[ "$2" -ge "$3" ] || wrong "$1: $2, which is less than $3"
}

# same WHAT FILE FILE
same() {
	diff "$2" "$3" >"$work/diff" 2>&1 && return
	wrong "$1 differs:"
	head -20 "$work/diff"
}

# status WHAT EXPECTED COMMAND...   stdout and stderr are kept in $work/out and $work/err
status() {
	status_of=$1 status_expected=$2
	shift 2
	rc=0
	"$@" >"$work/out" 2>"$work/err" || rc=$?
	[ "$rc" = "$status_expected" ] && return
	wrong "$status_of: exit status $rc instead of $status_expected"
	head -c 2000 "$work/err"
}

# book DIR JQ: a number of iotrace.json
book() { jq -r "$2" "$1/iotrace.json"; }
counter() { book "$1" ".books.counters.$2"; }

# It fills tens of megabytes first, which takes half of the time in huge pages.
print_archive() { GLIBC_TUNABLES=glibc.malloc.hugetlb=1 timeout 60 otf2-print "$@"; }

# archive WHAT DIR: its readers accept it, in seconds, and its books balance. otf2-print reads the first one of a test.
archive() {
	status "$1: check-archive" 0 "$IOTRACE" check-archive "$2"
	[ "${is_printed-}" ] || status "$1: otf2-print" 0 print_archive --silent -Werror "$2/traces.otf2"
	is_printed=yes
	equal "$1: balanced" "$(book "$2" .books.balanced)" true
	[ "$(jq '.events | length' "$2/iotrace.json")" = 0 ] || # what others recorded does not tell
		equal "$1: kernel counted" "$(counter "$2" kernel_counted)" \
		"$(book "$2" '.books.counters | .samples + .lost + .unseen')"
	equal "$1: malformed" "$(counter "$2" malformed)" 0
}

# lossless WHAT DIR
lossless() {
	archive "$1" "$2"
	equal "$1: lost" "$(book "$2" '.books.counters | [.lost, .unseen, .lost_exits] | @csv')" "0,0,0"
}

# quiet_stderr WHAT FILE: no byte that could command a terminal
harmless() {
	LC_ALL=C tr -d '\n\t -~' <"$2" >"$work/raw"
	[ -s "$work/raw" ] || return 0
	iconv -f utf-8 -t utf-8 "$work/raw" >/dev/null 2>&1 || wrong "$1: bytes that are no text"
	LC_ALL=C grep -q '[[:cntrl:]]' "$work/raw" && wrong "$1: control characters"
	return 0
}

# wait_until SECONDS COMMAND...
wait_until() {
	tries=$(($1 * 50))
	shift
	until "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ "$tries" -gt 0 ] || return 1
		sleep 0.02
	done
}

finish() {
	[ "$wrongs" = 0 ] && echo ok && exit 0
	echo "$wrongs wrong"
	exit 1
}
