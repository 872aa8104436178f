#!/bin/sh
# language.sh BUILD GPU [OPTION]...: kernels of every part of OpenCL C write what they must.
# language.txt was computed by pocl 3.1 on a processor, but for flt_vec, where it fuses
# other operations, and geo, where it takes a fourth dimension for one of size 0.
set -eu
build=$1 gpu=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
want=$here/language.txt
got=$(mktemp)
trap 'rm -f "$got"' EXIT
"$build/heddle" exec -q --gpu "$gpu" "$@" -- \
	"$build/tests/opencl_language" "$here/language.cl" >"$got"
# NVIDIA's GPUs have no 64-bit atomics here, and the program leaves them out.
if [ "$gpu" = h200 ]; then
	grep -v '^atom64 ' "$want" | diff - "$got"
else
	diff "$want" "$got"
fi
