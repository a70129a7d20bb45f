#!/bin/sh
# The command does not notice: its status, streams, environment, limits, signals and descriptors are
# its own. And iotrace says what it cannot do, in its own statuses, without running the command.
# shellcheck source-path=SCRIPTDIR source=../support/live.sh
. "$(dirname "$0")/../support/live.sh"
# ctest leaves its log open, and goes on writing to it.
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
record() { "$IOTRACE" -q -o "$work/trace.$((n = n + 1))" "$@"; }
n=0

test_status() {
	for code in 0 1 3 124 125 255; do
		status "exit $code" $code "$IOTRACE" -q -o "$work/exit.$code" -- sh -c "exit $code"
		archive "exit $code" "$work/exit.$code"
		equal "exit $code in iotrace.json" "$(book "$work/exit.$code" .command.exit_status)" $code
	done
	for number in 15 9 11; do
		signal=$(kill -l $number)
		status "SIG$signal" $((128 + number)) "$IOTRACE" -q -o "$work/sig.$signal" -- \
			sh -c "ulimit -c 0; kill -$signal \$\$"
		archive "SIG$signal" "$work/sig.$signal"
		equal "signal in iotrace.json" "$(book "$work/sig.$signal" .command.signal)" "$number"
	done
	status "record as a word" 7 "$IOTRACE" record -q -o "$work/record" -- sh -c 'exit 7'
	status "without --" 7 "$IOTRACE" -q -o "$work/bare" sh -c 'exit 7'
}

# A recording ends with its command; who it leaves behind goes on, and is told of.
test_left_behind() {
	# shellcheck disable=SC2016 # the inner shell expands it
	status "a child that stays" 3 "$IOTRACE" -q -o "$work/stays" -- sh -c 'sleep 100 & echo $! >"$1"; exit 3' sh "$work/child"
	kill "$(cat "$work/child")" || wrong "iotrace waited for a child of the command"
	archive "a child that stays" "$work/stays"
	equal "processes left" "$(book "$work/stays" .trace.processes_left)" 1
}

# With --wait it ends with the last descendant, however that came about; or with an interrupt.
test_wait() {
	echo late >"$work/late"
	status "--wait" 3 "$IOTRACE" -o "$work/waited" --wait -- \
		sh -c "setsid sh -c '(sleep 2; cat \"$work/late\") >/dev/null &' & exit 3"
	lossless "--wait" "$work/waited"
	equal "--wait: processes left" "$(book "$work/waited" .trace.processes_left)" 0
	equal "--wait: what the last one read" \
		"$(print_archive -G "$work/waited/traces.otf2" | grep -c "IO_REGULAR_FILE.*\"$work/late\"")" 1
	status "--wait with nobody left" 0 timeout 20 "$IOTRACE" -q -o "$work/alone" --wait -- true
	# shellcheck disable=SC2016 # the inner shell expands it
	status "--wait, interrupted" 5 "$IOTRACE" -o "$work/impatient" --wait -- \
		sh -c '(sleep 1; kill -INT $PPID; exec sleep 8) & exit 5'
	grep -q 'still running when the recording ended' "$work/err" || wrong "who is left is not told"
	status "--wait -a" 125 "$IOTRACE" --wait -a -o "$work/never" -- true
}

test_no_command() {
	: >"$work/plain"
	printf '#!/nonexistent/interpreter\n' >"$work/script"
	chmod +x "$work/script"
	status "not found" 127 "$IOTRACE" -o "$work/t127" -- nonexistent-command
	grep -q nonexistent-command "$work/err" || wrong "127 without a message: $(cat "$work/err")"
	at_most_lines 3
	status "no such path" 127 "$IOTRACE" -o "$work/t127b" -- "$work/none"
	status "no such interpreter" 127 "$IOTRACE" -o "$work/t127c" -- "$work/script"
	status "not executable" 126 "$IOTRACE" -o "$work/t126" -- "$work/plain"
	grep -q plain "$work/err" || wrong "126 without a message: $(cat "$work/err")"
	status "a directory" 126 "$IOTRACE" -o "$work/t126b" -- "$work"
	meant
}

# What may have been meant by a command that is not there.
meant() {
	from=$PWD
	cd "$work" || return
	cp /bin/true program
	says "a program here" 127 "did you mean './program'?" "$IOTRACE" program
	says "a word after version" 125 "version takes no operand, but 'x' was given" "$IOTRACE" version x
	says "a pattern that the shell expanded" 127 "in quotes" "$IOTRACE" --path ./program plain true
	status "a text here" 127 "$IOTRACE" plain
	grep -q quotes "$work/err" && wrong "quotes without a pattern: $(cat "$work/err")"
	says "a device that is not here, without =" 127 "--block=sdzz" "$IOTRACE" --block sdzz true
	says "its file" 127 "--block=/dev/sdzz" "$IOTRACE" --block /dev/sdzz true
	status "no device" 127 "$IOTRACE" --block=all sdzz
	grep -q -- --block= "$work/err" && wrong "--block has a value, and one is advised"
	for disk in /sys/block/*; do
		disk=${disk##*/}
		says "a device without =" 127 "--block=$disk" "$IOTRACE" --block "$disk" true
		[ ! -b "/dev/$disk" ] ||
			says "a device's file without =" 126 "--block=/dev/$disk" "$IOTRACE" --block "/dev/$disk" true
		break
	done
	cd "$from" || return
}

at_most_lines() {
	lines=$(wc -l <"$work/err")
	if [ "$lines" -lt 1 ] || [ "$lines" -gt "$1" ]; then
		wrong "$what: $lines lines: $(cat "$work/err")"
	fi
}

# refused WHAT STATUS OPTION... : the command would leave a file, and must not run
refused() {
	what=$1 code=$2
	shift 2
	status "$what" "$code" "$IOTRACE" "$@" touch "$work/ran"
	at_most_lines 3
	[ ! -e "$work/ran" ] || wrong "$what: the command ran"
	rm -f "$work/ran"
}

test_refusals() {
	mkdir "$work/exists" && echo kept >"$work/exists/file"
	refused "-o exists" 125 -o "$work/exists" --
	equal "what was there" "$(ls "$work/exists")" file
	refused "-o below nothing" 125 -o "$work/none/below" --
	refused "-o on a file system that takes nothing" 125 -o /proc/iotrace-live --
	refused "an unknown option" 125 --no-such-option --
	refused "an unknown group" 125 --syscalls=nonsense --
	refused "a size that is none" 125 -m much --
	refused "-p with a command" 125 -p 1 --
	refused "-p with no number" 125 -p one
	status "no command" 125 "$IOTRACE" -o "$work/nothing"
	status "no such process" 125 "$IOTRACE" -o "$work/nobody" -p 4194303
	equal "archives of nothing" "$(find "$work" -maxdepth 1 -name 'no*' | wc -l)" 0
}

# says WHAT STATUS WORDS COMMAND...: what a newcomer tries is answered with these words
says() {
	what=$1 code=$2 words=$3
	shift 3
	status "$what" "$code" "$@"
	cat "$work/out" "$work/err" 2>/dev/null | grep -qF -- "$words" ||
		wrong "$what: no '$words' in: $(cat "$work/out" "$work/err")"
	grep -q 'iotrace:counter' "$work/err" && wrong "$what: a name of ours: $(cat "$work/err")"
}

# shellcheck disable=SC2317 # called by says
on_full() { "$@" >/dev/full; }

# shellcheck disable=SC2317 # called by says
from_removed() {
	(
		mkdir "$work/removed" && cd "$work/removed" && rmdir "$work/removed" && "$@"
	)
}

test_newcomer() {
	"$IOTRACE" -q -o "$work/archive" -- true
	echo text >"$work/text"
	mkdir "$work/empty"
	says "a ring of 1 TiB" 125 "does not fit" "$IOTRACE" -m 1T -o "$work/n1" -- true
	says "an unknown counter" 125 "there is no counter with that name" "$IOTRACE" -E bogus -o "$work/n2" -- true
	says "a pattern that the shell expanded" 126 "put the pattern of --path in quotes" "$IOTRACE" --path "$work/text" "$work/empty"
	says "a directory as the command" 126 "is a directory, not a program" "$IOTRACE" -o "$work/n3" "$work/empty"
	says "a text as the command" 126 "chmod +x" "$IOTRACE" -o "$work/n4" "$work/text"
	printf 'text\n' >"$work/a
iotrace: nothing lost"
	says "a newline in a name" 126 "a\\niotrace: nothing lost: Permission denied" "$IOTRACE" -o "$work/n5" "$work/a
iotrace: nothing lost"
	grep -q "^iotrace: nothing lost" "$work/err" && wrong "a name looks like a message: $(cat "$work/err")"
	says "a directory that was removed" 125 "that directory was removed" from_removed "$IOTRACE" true
	says "an image of another kind" 125 "Give it a name such as a.b.svg" "$IOTRACE" latency --heatmap=a.b.PNG -- true
	says "convert of an archive" 125 "is already an OTF2 archive" "$IOTRACE" convert "$work/archive"
	says "convert of an anchor" 125 "is already an OTF2 archive" "$IOTRACE" convert "$work/archive/traces.otf2"
	mkdir "$work/text-too"
	echo no capture >"$work/text-too.data"
	says "convert of a text" 125 "neither a capture" "$IOTRACE" convert "$work/text-too.data"
	says "report of a file below a file" 125 "Not a directory" "$IOTRACE" report "$work/text/archive"
	says "latency of a text" 127 "the file text here is no program, capture or archive" \
		env -C "$work" "$IOTRACE" latency text
	says "leaks of a directory" 127 "empty is a directory here, and no OTF2 archive" \
		env -C "$work" "$IOTRACE" leaks empty
	says "a time with its unit" 0 "complete" "$IOTRACE" --format null --duration 200ms -- sleep 0.3
	for words in list check --help "list --spans"; do
		# shellcheck disable=SC2086 # words
		says "$words on a full disk" 125 "cannot write standard output: No space left on device" on_full "$IOTRACE" $words
	done
	says "convert of nothing" 125 "$work/none/file: No such file" "$IOTRACE" convert "$work/none/file"
	mkdir "$work/.left.iotrace" && : >"$work/.left.iotrace/spool"
	says "convert of what was left" 125 "iotrace convert $work/.left.iotrace/spool" \
		"$IOTRACE" convert "$work/.left.iotrace"
	says "help of convert" 0 ".DIR.iotrace/spool" "$IOTRACE" convert --help
	says "check-archive of a folder" 125 "is not an OTF2 archive: it has no traces.otf2" \
		"$IOTRACE" check-archive "$work/empty"
	says "check-archive of a file" 125 "an OTF2 archive is a directory" "$IOTRACE" check-archive "$work/text"
	says "check-archive of nothing" 125 "No such file" "$IOTRACE" check-archive "$work/nothing"
	says "check-archive of an anchor" 0 "no errors found" "$IOTRACE" check-archive "$work/archive/traces.otf2"
	says "help" 0 "usage: iotrace [record]" "$IOTRACE" help
	says "help of a command" 0 "usage: iotrace convert" "$IOTRACE" help convert
	says "help of what is none" 125 "did you mean 'check-archive'" "$IOTRACE" help check-archiv
	says "version" 0 "$("$IOTRACE" --version)" "$IOTRACE" version
	(
		mkdir -p "$work/here/lib" && cd "$work/here" && echo x >lib/file
		"$IOTRACE" -q -o "$work/relative" --path 'lib/*' cat lib/file >/dev/null
	)
	at_least "what a relative pattern keeps" "$(counter "$work/relative" completed)" 2
}

test_streams() {
	head -c 300000 /dev/urandom >"$work/in"
	# shellcheck disable=SC2016
	script='cat; cat <&0 | wc -c; printf "\\000\\377err\\n" >&2; [ -t 0 ] || echo no terminal'
	sh -c "$script" <"$work/in" >"$work/out.bare" 2>"$work/err.bare"
	record -- sh -c "$script" <"$work/in" >"$work/out.traced" 2>"$work/err.traced"
	cmp "$work/out.bare" "$work/out.traced" || wrong "stdout differs"
	cmp "$work/err.bare" "$work/err.traced" || wrong "stderr differs"
	# What the command leaves unread is for the next one.
	printf '1\n2\n3\n' >"$work/lines"
	rest=$({ record -- sh -c 'read -r _'; cat; } <"$work/lines" | tr '\n' ' ')
	equal "the rest of stdin" "$rest" "2 3 "
	"$IOTRACE" -o "$work/summary" -- echo word >"$work/only" 2>"$work/err"
	equal "stdout with a summary" "$(cat "$work/only")" word
	[ -s "$work/err" ] || wrong "no summary on stderr"
	"$IOTRACE" -o "$work/closed" -- true <&- >&- 2>&- || wrong "closed streams: $?"
	archive "closed streams" "$work/closed"
}

# Everything that a process is born with, line by line, under several conditions.
test_self() {
	self=$TEST_BIN_DIR/workload_self
	i=0
	for setting in : 'ulimit -n 100' 'ulimit -l 64' 'ulimit -c 0' 'umask 077' 'cd /usr' \
		'trap "" INT HUP USR1' 'export A="x y" B=; unset HOME' 'exec 7<&0 9>/dev/null'; do
		i=$((i + 1))
		sh -c "$setting; exec \"\$@\"" - "$self" "an argument" '' '*' <"$work/in" \
			>"$work/self.bare" 2>"$work/err"
		sh -c "$setting; exec \"\$@\"" - "$IOTRACE" -q -o "$work/self.$i" -- \
			"$self" "an argument" '' '*' <"$work/in" >"$work/self.traced" 2>"$work/err" || wrong "$setting: $? $(cat "$work/err")"
		sed -i '/^descriptor 1 /d' "$work/self.bare" "$work/self.traced" # two files, two numbers
		same "with '$setting'" "$work/self.bare" "$work/self.traced"
	done
	# A mask and a real-time priority, which sh cannot set.
	/usr/bin/python3 - "$IOTRACE" "$self" "$work" <<'EOF' || wrong "signal mask"
import os, signal, subprocess, sys
iotrace, own, work = sys.argv[1:]
def masked():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGCHLD, signal.SIGUSR2, 40})
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    os.nice(3)
def run(*argv):
    out = subprocess.run([*argv, own], preexec_fn=masked, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE).stdout
    return [line for line in out.decode().splitlines() if not line.startswith("descriptor 1 ")]
bare, traced = run(), run(iotrace, "-q", "-o", f"{work}/masked", "--")
for line in sorted(set(bare) ^ set(traced)):
    print(line)
sys.exit(bare != traced)
EOF
}

# A script waits for the word; it has come when all that follows is recorded. The command knows nothing of it.
test_ready() {
	mkfifo "$work/up" "$work/go"
	"$IOTRACE" -q -o "$work/all" -a --no-block --ready-fd 7 -- sh -c "read -r word <'$work/go'; [ ! -e /proc/self/fd/7 ]" 7>"$work/up" &
	recorder=$!
	equal "--ready-fd" "$(cat "$work/up")" ready # up to the end, so that it was closed, too
	cat "$work/lines" >/dev/null
	echo >"$work/go"
	wait $recorder || wrong "--ready-fd: exit status $?"
	equal "--ready-fd: what was done at once" "$(print_archive -G "$work/all/traces.otf2" | grep -c "IO_REGULAR_FILE.*\"$work/lines\"")" 1
	refused "--ready-fd that is not open" 125 -o "$work/none" --ready-fd 7 --
	refused "--ready-fd of the command's own" 125 -o "$work/none" --ready-fd 1 --
	status "--ready-fd of nobody any more" 3 sh -c '"$@" 7>&1 >/dev/null | true; exit 3' sh "$IOTRACE" -q -o "$work/unread" --ready-fd 7 -- true
	archive "--ready-fd of nobody any more" "$work/unread"
}

test_status
test_left_behind
test_wait
test_no_command
test_refusals
test_newcomer
test_streams
test_ready
test_self
finish
