#!/bin/sh
# What iotrace keeps for itself while it records, and what it hands on: nothing. As root, it drops what it does
# not use; with capabilities of its file, an ordinary user records, and gains no other right.
# shellcheck source-path=SCRIPTDIR source=../support/live.sh
. "$(dirname "$0")/../support/live.sh"
paranoid=/proc/sys/kernel/perf_event_paranoid
before=$(cat $paranoid)
# shellcheck disable=SC2317
tidy() { echo "$before" >"$paranoid"; }
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"; }
row() { awk -v key="$1:" '$1 == key { print $2 }' "$2"; }

chmod 755 "$work"
mkdir -m 777 "$work/home"
mkdir -m 700 "$work/secret"
cp "$IOTRACE" "$work/iotrace"
chmod 755 "$work/iotrace"
echo data >"$work/data"

# The command, which keeps what it and its parent's threads are, for the tests below to read.
cat >"$work/look" <<'END'
#!/bin/sh
cat "/proc/$PPID/status" >"$1.recorder"
cat /proc/$$/status >"$1.command"
for thread in "/proc/$PPID/task"/*; do cat "$thread/status"; done >"$1.threads"
cat "/proc/$PPID/task"/*/stat | cut -d' ' -f41 | sort >"$1.policies"
END
chmod 755 "$work/look"

# confined WHAT: the process and all of its threads
confined() {
	equal "$1: a filter" "$(row Seccomp "$work/home/$1.recorder")" 2
	equal "$1: no new rights" "$(row NoNewPrivs "$work/home/$1.recorder")" 1
	equal "$1: threads alike" "$(row Seccomp "$work/home/$1.threads" | sort -u | tr '\n' ' ')" "2 "
	equal "$1: nothing inheritable" "$(row CapInh "$work/home/$1.recorder")" 0000000000000000
	at_least "$1: threads" "$(grep -c ^Pid: "$work/home/$1.threads")" 3
	for kind in CapPrm CapEff; do # who converts has laid aside what others use
		[ $((0x$(row $kind "$work/home/$1.recorder") & ~$2)) = 0 ] ||
			wrong "$1: $kind $(row $kind "$work/home/$1.recorder") is more than $2"
	done
	equal "$1: rights of the threads" \
		"$(row CapPrm "$work/home/$1.threads" | sort -u)" "$(row CapPrm "$work/home/$1.recorder")"
	equal "$1: the command's filter" "$(row Seccomp "$work/home/$1.command")" \
		"$(row Seccomp "$work/home/$1.bare.command")"
	for key in CapInh CapPrm CapEff CapBnd CapAmb NoNewPrivs; do
		equal "$1: the command's $key" "$(row $key "$work/home/$1.command")" \
			"$(row $key "$work/home/$1.bare.command")"
	done
}

# DAC_OVERRIDE, DAC_READ_SEARCH, KILL, SYS_PTRACE, SYS_NICE
test_root() {
	root=root.$1
	"$work/look" "$work/home/$root.bare" 2>"$work/err"
	status "$root" 0 "$IOTRACE" -q --source="$1" -o "$work/$root" -- "$work/look" "$work/home/$root"
	confined "$root" $((1 << 1 | 1 << 2 | 1 << 5 | 1 << 19 | 1 << 23))
	lossless "$root" "$work/$root"
}

test_folder() {
	nobody mkdir "$work/home/own" && chmod 755 "$work/home/own"
	status "into a folder of a user" 0 "$IOTRACE" -q -o "$work/home/own/trace" -- true
}

# Every call that was refused is one that was not foreseen. A search for leaks cannot run under strace.
# test_refused SOURCE OPTION...
test_refused() {
	source=$1
	shift
	ASAN_OPTIONS=detect_leaks=0 status "all that it does" 0 strace -f -o "$work/log" "$IOTRACE" -q \
		-o "$work/refused.$source" --source="$source" "$@" --syscalls=all --summary="json:$work/json" -- \
		sh -c 'ls -l /usr >/dev/null; cat /etc/passwd | wc -c'
	recorder=$(head -1 "$work/log" | cut -d' ' -f1)
	awk -v pid="$recorder" '$1 == pid && / seccomp\(SECCOMP_SET_MODE_FILTER, .*len=/ { on = 1 }
		on && /ENOSYS/ && !/ (socket\(|<... socket resumed>)/ { print }' "$work/log" >"$work/unforeseen"
	[ ! -s "$work/unforeseen" ] || wrong "calls that the filter refused: $(cat "$work/unforeseen")"
	at_least "a filter was set" "$(grep -c 'SECCOMP_SET_MODE_FILTER, .*len=' "$work/log")" 1
}

# Whatever perf_event_paranoid and the mode of tracefs say.
set_lent() {
	echo 2 >"$paranoid"
	sh -c "$(tail -1 "$work/asked")" ||
		wrong "setcap: $(cat "$work/asked")"
	status "lent: check" 0 nobody "$work/iotrace" check
	! grep 'not permitted' "$work/out" || wrong "what check asks for is too little"
	! grep -q setcap "$work/out" || wrong "check asks for what is there: $(cat "$work/out")"
}

# test_lent SOURCE
test_lent() {
	lent=lent.$1
	nobody "$work/look" "$work/home/$lent.bare" 2>"$work/err"
	status "$lent" 0 nobody "$work/iotrace" -q --source="$1" -o "$work/home/$lent" -- \
		"$work/look" "$work/home/$lent" 7<"$work/data"
	confined "$lent" 0
	status "$lent: block requests" 0 nobody "$work/iotrace" --source="$1" -o "$work/home/$lent.block" --block -- true
	! grep -E 'BPF programs .*(block|refused)|not permitted' "$work/err" ||
		wrong "$lent: what check calls enough is too little: $(cat "$work/err")"
	lossless "$lent" "$work/home/$lent"
	same "$lent: as urgent as root's" "$work/home/root.$1.policies" "$work/home/$lent.policies"
	equal "$lent: what the command was born with has a name" \
		"$(print_archive -G "$work/home/$lent/traces.otf2" | grep -c "IO_REGULAR_FILE.*\"$work/data\"")" 1
}

# The loader takes these out of the environment of a program with capabilities; the command has them, in their order.
test_environment() {
	set -- LD_LIBRARY_PATH=/nowhere TMPDIR=/var/tmp GLIBC_TUNABLES=glibc.malloc.perturb=1 TZDIR=/usr/share/zoneinfo \
		PLAIN= "WORDS=a b"
	nobody env -i "PATH=$PATH" "$@" env >"$work/bare"
	status "environment" 0 nobody env -i "PATH=$PATH" "$@" "$work/iotrace" -q \
		-o "$work/home/environment" env
	equal "the command's environment is the caller's" "$(cat "$work/out")" "$(cat "$work/bare")"
	# What has no power over iotrace: with the loader's debugging on, it would tell of its own libraries.
	status "iotrace's own environment" 0 nobody env LD_DEBUG=libs "$work/iotrace" --version
	equal "the loader tells nothing" "$(cat "$work/err")" ""
}

# What the program may, its user may not with the program's help.
test_no_help() {
	cp /bin/true "$work/secret/true"
	chmod 755 "$work/secret/true"
	"$IOTRACE" -q --capture "$work/secret/capture" --format null true
	chmod 644 "$work/secret/capture"
	status "a command behind a closed door" 126 nobody "$work/iotrace" -q -o "$work/home/door" -- \
		"$work/secret/true"
	status "a capture behind it" 125 nobody "$work/iotrace" convert -q -o "$work/home/none" \
		"$work/secret/capture"
	mkdir -m 777 "$work/secret/open"
	status "an archive behind it" 125 nobody "$work/iotrace" -q -o "$work/secret/open/trace" -- true
	equal "nothing came of it" "$(ls "$work/secret/open")" ""
}

test_set_id() {
	cp "$IOTRACE" "$work/setuid"
	chmod 4755 "$work/setuid"
	status "set-user-ID" 125 nobody "$work/setuid" -o "$work/home/setuid" -- touch "$work/home/ran"
	grep -q set-user-ID "$work/err" || wrong "no word of set-user-ID: $(cat "$work/err")"
	[ ! -e "$work/home/ran" ] || wrong "the command ran"
}

nobody "$work/iotrace" check >"$work/asked" 2>&1
test_root perf
test_root bpf
test_folder
test_refused perf -E page-faults
test_refused bpf
test_refused auto -a --sample-interval 10
set_lent
test_lent perf
test_lent bpf
test_environment
test_no_help
test_set_id
finish
