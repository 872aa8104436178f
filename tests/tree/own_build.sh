#!/bin/sh
# make does not build in a build folder that was copied from another tree, and
# takes its own, also by way of a symbolic link.
set -eu
sources=$(cd "$(dirname "$0")/../.." && pwd -P)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL

fail()
{
	echo "$*"
	cat "$dir/said"
	exit 1
}

# folder HOME: a build folder that was configured for that tree
folder()
{
	rm -rf "$dir/build"
	mkdir -p "$dir/build"
	printf 'CMAKE_HOME_DIRECTORY:INTERNAL=%s\n' "$1" \
		>"$dir/build/CMakeCache.txt"
	printf 'all heddle cudart preinstall:\n\ttouch %s/written\n' "$dir" \
		>"$dir/build/Makefile"
}

refused()
{
	for target in build demo test install docs; do
		! make -C "$sources" BUILD="$dir/build" "$target" >"$dir/said" \
			2>&1 || fail "make $target in a folder of $1"
		grep -q "belongs to another tree, $1" "$dir/said" ||
			fail "no message about $1"
		[ ! -e "$dir/written" ] || fail "make $target wrote"
	done
}

mkdir "$dir/other"
folder "$dir/other"
refused "$dir/other"
folder "$dir/nowhere"	# the tree has moved
refused "$dir/nowhere"

ln -s "$sources" "$dir/link"
folder "$dir/link"
make -C "$sources" BUILD="$dir/build" configure >"$dir/said" 2>&1 ||
	fail "its own folder is refused"
rm "$dir/build/CMakeCache.txt"
"$sources/scripts/own-build" "$dir/build" || fail "a new folder is refused"
