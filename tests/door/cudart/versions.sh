#!/bin/sh
# The libraries have the names and the symbol versions of the real ones, and all
# of their symbols: versions.sh FOLDER NAMES
set -eu
folder=$1
names=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for v in 11.0 12 13; do
	lib=$folder/libcudart.so.$v
	readelf -d "$lib" | grep -q "SONAME.*\[libcudart.so.$v\]" || {
		echo "$lib: soname"
		exit 1
	}
	nm -D --defined-only "$lib" | awk '{ print $3 }' |
		sed "s/@@libcudart.so.$v\$//" | sort >"$work/$v"
	if grep '@' "$work/$v" | grep -v '^libcudart.so'; then
		echo "$lib: symbols of another version"
		exit 1
	fi
done
missing=$(sort "$names" | comm -23 - "$work/13")
if [ -n "$missing" ]; then
	echo "libcudart.so.13 has no $missing"
	exit 1
fi
