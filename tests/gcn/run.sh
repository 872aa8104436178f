#!/bin/sh
# Does `heddle run` run code objects, and `heddle kernels` list them? And sources,
# where clang and libclc are installed.
#	run.sh HEDDLE FOLDER
set -eu
heddle=$1
cd "$2"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

wrong()
{
	echo "$*" >&2
	exit 1
}

# expect WHAT FILE PATTERN
expect()
{
	grep -q -- "$3" "$2" || {
		cat "$2" >&2
		wrong "$1: no '$3'"
	}
}

"$heddle" kernels groups.o >"$out/kernels"
expect kernels "$out/kernels" "machine code for gfx600"
expect kernels "$out/kernels" "int\* *local memory"
expect kernels "$out/kernels" "requires a block of 16x16x1 threads"

scan()
{
	"$heddle" run "$1" --kernel scan --grid 2 --block 8 \
		--arg 'x:s32[16]=fill:1' --arg 32 --print x \
		>"$out/scan" 2>"$out/errors" || {
		cat "$out/errors" >&2
		wrong "$1 does not run"
	}
	expect "$1" "$out/scan" '1 2 3 4 5 6 7 8'
	expect "$1" "$out/errors" "machine code for gfx600"
}
scan groups.o

if "$heddle" run groups.o --kernel scan --grid 1 --block 8 --gpu h200 \
	--arg 'x:s32[16]' --arg 32 2>"$out/errors"; then
	wrong "an H200 runs code of GFX6"
fi
expect "an H200" "$out/errors" gfx600

if "$heddle" run groups.o --kernel wild --grid 2 --block 64 \
	--arg 's32[4]' --arg 100000 2>"$out/errors"; then
	wrong "a wild store is no fault"
fi
expect fault "$out/errors" "illegal address: store to 0x"
expect fault "$out/errors" "kernel wild, block 0,0,0, thread 1,0,0"

# A function that cannot run refuses only the kernels that may call it.
for kernel in plain calls; do
	"$heddle" run calls.o --kernel $kernel --grid 1 --block 64 \
		--arg 'p:s32[4]=fill:3' --print p:1 >"$out/$kernel" 2>"$out/errors" || {
		cat "$out/errors" >&2
		wrong "$kernel does not run"
	}
done
expect plain "$out/plain" '7$'
expect calls "$out/calls" '360$'
if "$heddle" run calls.o --kernel reaches --grid 1 --block 64 \
	--arg 'p:s32[4]' 2>"$out/errors"; then
	wrong "a kernel runs that calls what cannot run"
fi
expect reaches "$out/errors" \
	"reaches may call cannot, which cannot run: cannot+0x4: 's_getreg_b32 "

# Lines of the source.
"$heddle" run calls.o --gpu hd7970 --kernel calls --grid 4 --block 64 \
	--arg 'p:s32[4]=fill:3' >"$out/lines" 2>&1
expect lines "$out/lines" 'calls.cl:32 '

if ls /usr/lib/clc/amdgcn--amdhsa.bc >/dev/null 2>&1 &&
	command -v clang >/dev/null; then
	scan groups.cl
fi
