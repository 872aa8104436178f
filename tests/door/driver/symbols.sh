#!/bin/sh
# The library has the soname of the real one, and no symbols but those of
# symbols.def and, of graphics, unsupported.def: symbols.sh LIBRARY SOURCES
set -eu
lib=$1
rows=$2/src/door/libcuda
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

readelf -d "$lib" | grep -q 'SONAME.*\[libcuda.so.1\]' || {
	echo "$lib: soname"
	exit 1
}
nm -D --defined-only "$lib" | awk '{ print $3 }' | sort >"$work/have"
sed -n 's/^PROC.*, \(cu[A-Za-z0-9_]*\))$/\1/p' "$rows/symbols.def" |
	sort >"$work/procs"
sed -n 's/^UNSUPPORTED(\(.*\))$/\1/p' "$rows/unsupported.def" |
	sort >"$work/unsupported"
missing=$(comm -13 "$work/have" "$work/procs")
unlisted=$(sort -u "$work/procs" "$work/unsupported" |
	comm -23 "$work/have" -)
if [ -n "$missing$unlisted" ]; then
	echo "missing:" $missing
	echo "not in symbols.def:" $unlisted
	exit 1
fi
