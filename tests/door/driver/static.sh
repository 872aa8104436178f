#!/bin/sh
# A program with the static CUDA runtime is told what to do, and ends in its own
# way: static.sh FOLDER
set -eu
folder=$1

if ! command -v nvcc >/dev/null; then
	echo "skipped: there is no nvcc"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/count.cu" <<'EOF'
#include <cstdio>
int main()
{
	int n = -1;

	std::printf("%d %d\n", cudaGetDeviceCount(&n) != cudaSuccess, n);
	return 0;
}
EOF
nvcc -cudart static -o "$work/count" "$work/count.cu" 2>/dev/null || {
	echo "skipped: this nvcc does not compile"
	exit 77
}
export LD_LIBRARY_PATH="$folder" HEDDLE_QUIET=1
"$work/count" >"$work/out" 2>"$work/err"
grep -qx '1 -1' "$work/out" || {
	cat "$work/out"
	exit 1
}
if [ "$(grep -c 'link it with -cudart shared' "$work/err")" != 1 ]; then
	cat "$work/err"
	exit 1
fi
