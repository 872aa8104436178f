#!/bin/sh
# Compiles a CUDA program, runs it on the simulated GPU, checks its result with
# an independent program, and simulates how long an H200 takes. ORDER=256 makes
# it smaller.
set -eu
cd "$(dirname "$0")/.."

heddle=${BUILD:-build}/heddle
n=${ORDER:-512}
blocks=$(((n + 15) / 16))
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

if [ ! -x "$heddle" ]; then
	echo "demo: $heddle does not exist: run 'make' first" >&2
	exit 1
fi

echo "== demo/matmul.cu: C = A * B, ${n}x$n, in 16x16 tiles of shared memory"
echo "== 1. clang compiles it to PTX; these are its kernels"
"$heddle" kernels demo/matmul.cu

echo
echo "== 2. the simulated GPU runs it, ${blocks}x$blocks blocks of 16x16 threads"
"$heddle" run demo/matmul.cu --kernel matmul \
	--grid "$blocks,$blocks" --block 16,16 \
	--arg "A:f32[${n}x$n]=random:-1:1" \
	--arg "B:f32[${n}x$n]=random:-1:1" \
	--arg "C:f32[${n}x$n]" \
	--arg "$n" \
	--out "A=$folder/A.npy" --out "B=$folder/B.npy" \
	--out "C=$folder/C.npy" --hash C

echo
echo "== 3. a plain C program computes A * B in double precision and compares"
"${CC:-cc}" -O2 -o "$folder/expect" demo/expect.c -lm
"$folder/expect" "$folder/A.npy" "$folder/B.npy" "$folder/C.npy"

# Timing simulates cycle by cycle, which takes longer: use a smaller matrix.
n=$((n < 256 ? n : 256))
blocks=$(((n + 15) / 16))
echo
echo "== 4. how long does an H200 take for ${n}x$n, and why?"
"$heddle" run demo/matmul.cu --kernel matmul --gpu h200 \
	--grid "$blocks,$blocks" --block 16,16 \
	--arg "A:f32[${n}x$n]=random:-1:1" \
	--arg "B:f32[${n}x$n]=random:-1:1" \
	--arg "C:f32[${n}x$n]" \
	--arg "$n"
