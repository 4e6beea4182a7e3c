#!/bin/sh
# Checks in the binary that the build is hardened, so that a bug in a reader can do little harm.
set -eu
program=$1
fail() { echo "built_hard.sh: $1" >&2; exit 1; }
# A build with sanitizers is not hardened.
if readelf -sW "$program" | grep -q __asan_init; then exit 77; fi

[ "$(readelf -hW "$program" | sed -n 's/^ *Type: *\([A-Z]*\).*/\1/p')" = DYN ] || fail "no PIE"
readelf -dW "$program" >dynamic.$$
trap 'rm -f dynamic.$$ names.$$' EXIT
grep -q 'FLAGS_1.*PIE' dynamic.$$ || fail "no PIE"
grep -q 'FLAGS.*NOW' dynamic.$$ || fail "its addresses are not bound at the start"
! grep -qE 'TEXTREL|RPATH|RUNPATH' dynamic.$$ || fail "it writes into its code, or looks for libraries beside it"
readelf -lW "$program" | grep -q GNU_RELRO || fail "no RELRO"
readelf -lW "$program" | grep GNU_STACK | grep -q 'RW ' || fail "its stack can be run"
! readelf -lW "$program" | grep LOAD | grep -q 'RWE' || fail "something can be written and run"
readelf -sW "$program" >names.$$
grep -q '__stack_chk_fail@' names.$$ || fail "no stack protector"
grep -qE '__(memcpy|read|pread|snprintf|vsnprintf|memmove|open)[a-z0-9_]*_chk@|__open_2@' names.$$ || fail "not fortified"
grep -q '__glibcxx_assert_fail' names.$$ || fail "no assertions of the standard library"
# With CET every function begins with a landing pad. The linker notes this in the program only if all
# libraries that are linked in have them, too, so the landing pads are counted instead.
case $(uname -m) in
x86_64) [ "$(objdump -d --no-show-raw-insn "$program" | grep -c endbr64)" -gt 5000 ] || fail "no CET" ;;
esac
