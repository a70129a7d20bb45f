#!/bin/sh
# bootstrap: what it says, asks for and runs, on machines that are made up: a folder of programs stands for each.
# shellcheck source-path=SCRIPTDIR source=../support/live.sh
. "$(dirname "$0")/../support/live.sh"
here=$(cd "$(dirname "$0")/../.." && pwd)
real_path=$PATH

# stub NAME: the program says what standard input says
stub() {
	{
		echo '#!/bin/sh'
		cat
	} >"$bin/$1"
	chmod +x "$bin/$1"
}

# machine UID: a fresh one: the tools of every system, and a package manager that knows every package, but installs none
machine() {
	bin=$(mktemp -d "$work/bin.XXXXXX")
	for tool in sh cat sed grep cut tr sort mktemp rm dirname env head uname; do
		ln -s "$(PATH=$real_path command -v "$tool")" "$bin/$tool"
	done
	echo "echo $1" | stub id
	echo "echo 2" | stub getconf
	echo "echo '  Candidate: 1.0'" | stub apt-cache
	echo "echo \"apt-get \$*\" >>'$work/called'" | stub apt-get
	: >"$work/called"
}

# bootstrap STATUS ARG...: nobody sits at a terminal
bootstrap() {
	expected=$1
	shift
	status "bootstrap $*" "$expected" env -u CC -u CXX PATH="$bin" /bin/sh "$here/bootstrap" "$@" </dev/null
}

# says WHAT PATTERN: in one line of standard error
says() {
	grep -qE -- "$2" "$work/err" || {
		wrong "$1: no line of $2 in:"
		cat "$work/err"
	}
}

says_nothing_of() {
	! grep -qE -- "$2" "$work/err" || wrong "$1: $(grep -E -- "$2" "$work/err")"
}

everything='cmake.* g\+\+ gcc .*libbpf-dev .*ninja-build .*strace .*zsh'

test_without_a_terminal() {
	machine 0
	bootstrap 1 test
	says "without a terminal" "nothing was installed.* apt-get install -y .*$everything.* && ./bootstrap test\$"
	equal "without a terminal: what was called" "$(cat "$work/called")" ""
	bootstrap 1 -y test
	says "with -y" "install .*$everything.* with apt-get: yes"
	equal "with -y: calls of apt-get install" "$(grep -c '^apt-get install' "$work/called")" 1
	bootstrap 1 run -- ls -l
	says "run" "apt-get install -y .*clang .*ninja-build .*&& ./bootstrap run -- ls -l\$"
	says_nothing_of "run" "strace"
}

test_unknown_words() {
	machine 0
	bootstrap 2 -y foo
	says "an unknown word" "there is no 'foo': it is build, run, test or deps"
	says "an unknown word: usage" '^usage: ./bootstrap'
	bootstrap 2 -y build ls
	says "a word too many" "build takes no 'ls'"
	bootstrap 2 -y deps tests
	says "another word too many" "deps takes no 'tests'"
	equal "unknown words: what was called" "$(cat "$work/called")" ""
}

test_without_rights() {
	machine 1000
	bootstrap 1 -y test
	says "without sudo" "this needs root: su -c 'apt-get install -y .*$everything.*' && ./bootstrap -y test\$"
	echo 'exit 1' | stub sudo
	bootstrap 1 test
	says "sudo wants a password" "this needs root: sudo apt-get install -y .*$everything.* && ./bootstrap test\$"
	echo 'exit 0' | stub apt-cache
	bootstrap 1 test
	says "without lists of packages" "this needs root: sudo ./bootstrap -y deps test && ./bootstrap test\$"
	bootstrap 1 run -- sh -c "echo it's; ls -l"
	says "words of the shell" "sudo ./bootstrap -y deps && ./bootstrap run -- sh -c 'echo it'.''s; ls -l'\$"
	status "a compiler is asked for" 1 env -u CXX CC=clang-9 PATH="$bin" /bin/sh "$here/bootstrap"
	says "a compiler is asked for" "&& CC=clang-9 ./bootstrap\$"
	equal "without rights: what was called" "$(cat "$work/called")" ""
}

# A C compiler that is there, and a `c++` of another family.
test_compilers() {
	machine 1000
	for tool in as ld gcc; do
		ln -s "$(PATH=$real_path command -v "$tool")" "$bin/$tool"
	done
	ln -s gcc "$bin/cc"
	echo "PATH='$real_path' exec clang++ \"\$@\"" | stub c++
	bootstrap 1 test
	says "c++ of clang" "apt-get install .* g\+\+ "
	says_nothing_of "c++ of clang" " gcc libc6-dev"
	ln -s "$(PATH=$real_path command -v g++)" "$bin/g++"
	bootstrap 1 test
	says_nothing_of "g++" " g\+\+ "
}

# A build that another compiler began, and what CC asks for.
test_compiler_of_a_build() { # WHAT CC CMAKE-CALLS
	machine 0
	for tool in gcc clang; do echo : | stub "$tool"; done
	sed "s|^here=.*|here=$work|; s/^	ensure .*/	:/" "$here/bootstrap" >"$work/bootstrap"
	mkdir -p "$work/build/CMakeFiles/3.25.1"
	echo "set(CMAKE_C_COMPILER \"$bin/gcc\")" >"$work/build/CMakeFiles/3.25.1/CMakeCCompiler.cmake"
	touch "$work/build/build.ninja" "$work/build/CMakeCache.txt"
	echo "[ -e '$work/build/CMakeCache.txt' ] && echo cached; echo \"cmake \$*\"" | stub cmake
	status "$1" 0 env -u CXX CC="$2" PATH="$bin" /bin/sh "$work/bootstrap"
	equal "$1: what was built" "$(grep -c 'built with .*/gcc: build it again with .*/clang' "$work/err")" "$3"
	equal "$1: configured again" "$(grep -c '^cmake --preset release' "$work/err")" "$3"
	equal "$1: kept from before" "$(grep -c '^cached' "$work/err")" "$((1 - $3))"
	rm -r "$work/build"
}

# What ctest is called with.
test_without_root_the_rest_is_tested() {
	machine "$1"
	cat "$here/bootstrap" >"$work/bootstrap"
	sed -i 's/^	ensure .*/	:/; s/^	build .*/	:/; s/^	mount_tracefs$/	:/' "$work/bootstrap"
	stub ctest <<-'END'
		case "$*" in *-N*) echo "Total Tests: 80" ;; *) echo "ctest $*"; exit 3 ;; esac
	END
	status "tests of user $1" 3 env PATH="$bin" /bin/sh "$work/bootstrap" test -R x
	equal "tests of user $1" "$(cat "$work/out")" "ctest --preset dev -j 8 $2-R x"
	equal "left out for user $1" "$(grep -c '80 tests were left out: .*sudo ./bootstrap test -L root' "$work/err")" "$3"
}

# A few that failed beside others are run again alone, and the result of that counts; many are not.
test_failed_are_run_again() { # WHAT FAILED STATUS RUNS
	machine 0
	sed "s|^here=.*|here=$work|" "$here/bootstrap" >"$work/bootstrap"
	sed -i 's/^	ensure .*/	:/; s/^	build .*/	:/; s/^	mount_tracefs$/	:/' "$work/bootstrap"
	mkdir -p "$work/build-dev/Testing/Temporary"
	seq "$2" >"$work/build-dev/Testing/Temporary/LastTestsFailed.log"
	stub ctest <<-'END'
		echo "$*"
		case "$*" in *--rerun-failed*) exit 0 ;; *) exit 8 ;; esac
	END
	stub wc <<-'END'
		exec /usr/bin/wc "$@"
	END
	status "$1" "$3" env PATH="$bin" /bin/sh "$work/bootstrap" test
	equal "$1: runs" "$(grep -c preset "$work/out")" "$4"
}

test_without_a_terminal
test_unknown_words
test_without_rights
test_compilers
test_compiler_of_a_build "no compiler is asked for" "" 0
test_compiler_of_a_build "the same compiler" gcc 0
test_compiler_of_a_build "another compiler" clang 1
test_without_root_the_rest_is_tested 0 "" 0
test_without_root_the_rest_is_tested 1000 "-LE ^root$ " 1
test_failed_are_run_again "two tests failed" 2 0 2
test_failed_are_run_again "six tests failed" 6 8 1
finish
