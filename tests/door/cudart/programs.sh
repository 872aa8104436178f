#!/bin/sh
# A CUDA source, compiled by nvcc with the shared runtime, writes what it should:
#
#	programs.sh FOLDER SOURCE.cu CASE...
#
# FOLDER has the libraries; SOURCE.txt is what must come out, one part for each
# CASE, an argument of the program (-: none). NVCC_FLAGS are for nvcc.
set -eu
folder=$1
source=$2
shift 2

if ! command -v nvcc >/dev/null; then
	echo "skipped: there is no nvcc"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2086
nvcc -cudart shared -std=c++17 -gencode arch=compute_90,code=compute_90 \
	-o "$work/program" "$source" ${NVCC_FLAGS-} 2>"$work/err" || {
	cat "$work/err"
	echo "skipped: this nvcc does not compile it for compute_90"
	exit 77
}
export LD_LIBRARY_PATH="$folder" HEDDLE_QUIET=1
for case; do
	if [ "$case" != - ]; then
		echo "== $case"
		"$work/program" "$case"
	else
		"$work/program"
	fi
done >"$work/out" 2>"$work/err"
diff "${source%.cu}.txt" "$work/out"
