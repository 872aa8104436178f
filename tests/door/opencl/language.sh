#!/bin/sh
# language.sh BUILD NAME GPU [OPTION]...: the kernels of NAME.cl write what they must.
# GPU is one of `heddle exec`, or the configuration of a system with one.
# language.txt was computed by pocl 3.1 on a processor, but for flt_vec, where it fuses
# other operations, and geo, where it takes a fourth dimension for one of size 0;
# atomics.txt by compute units.
set -eu
build=$1 name=$2 gpu=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
got=$(mktemp)
trap 'rm -f "$got"' EXIT
standard=
[ "$name" = language ] || standard=-cl-std=CL2.0
case $gpu in
cgm*)
	"$build/heddle" system -q --config "$gpu" --root "$here" "$@" -- \
		"$build/tests/guests/language" "/$name.cl" $standard >"$got" ;;
*)
	"$build/heddle" exec -q --gpu "$gpu" "$@" -- \
		"$build/tests/opencl_language" "$here/$name.cl" $standard >"$got" ;;
esac
diff "$here/$name.txt" "$got"
