#!/bin/sh
# The names of tests are read by people: a parameter has a name, not a dump of its bytes, and a line fits.
# shellcheck source-path=SCRIPTDIR source=../support/live.sh
. "$(dirname "$0")/../support/live.sh"
longest=120

# In a folder of its own, since the ctest that runs this test is writing its log in the build's.
echo "subdirs(\"$(cd "$TEST_BIN_DIR/../.." && pwd)\")" >"$work/CTestTestfile.cmake"
status "ctest -N" 0 ctest --test-dir "$work" -N
sed -n 's/^ *Test *#[0-9]*: //p' "$work/out" >"$work/names"
at_least "tests" "$(wc -l <"$work/names")" 100
awk -v longest=$longest 'length > longest' "$work/names" >"$work/long"
equal "names of more than $longest characters" "$(head -n 3 "$work/long")" ""
equal "parameters without a name" "$(grep -E 'object <|0x[0-9a-f]{6}|/[0-9]+$' "$work/names" | head -n 3)" ""
finish
