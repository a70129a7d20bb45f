#!/bin/sh
# host: no recording asks a resolver for the host's name. The OTF2 library calls gethostid(), and that of the C library looks the
# name up, which takes seconds where /etc/hosts lacks it and no server answers. Needs root, strace, unshare.
set -eu
iotrace=${IOTRACE:?}
export ASAN_OPTIONS=detect_leaks=0 # which does not work under strace
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
echo '127.0.0.1 localhost' >"$dir/hosts"

# The look-up itself: what connects to no server, asks a daemon.
look_up='s/.*\(AF_INET\|nscd\|resolv\.conf\|\/etc\/hosts\).*/&/p'

in_private() { # COMMAND...: where /etc/hosts does not have the name
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare -m sh -c 'mount --bind "$1/hosts" /etc/hosts && shift && exec "$@"' sh "$dir" "$@"
}

# The test sees such a look-up.
in_private strace -f -o "$dir/seen" -e trace=network,openat getent ahosts "$(hostname).invalid" >/dev/null || true
if ! grep -q hosts "$dir/seen"; then
	echo "not tested: this machine's getent asks nobody"
	exit 77
fi
in_private strace -f -o "$dir/calls" -e trace=network,openat "$iotrace" -q -o "$dir/archive" true
in_private strace -f -A -o "$dir/calls" -e trace=network,openat "$iotrace" convert -q -o "$dir/converted" \
	"${SOURCE_DIR:-.}/test/golden/captures/hello.data"
test -s "$dir/calls" -a -e "$dir/archive/traces.otf2" -a -e "$dir/converted/traces.otf2"
if sed -n "$look_up" "$dir/calls" | grep .; then
	echo "WRONG: the recording looks up the host's name"
	exit 1
fi
"$iotrace" check-archive "$dir/archive" >/dev/null
echo ok
