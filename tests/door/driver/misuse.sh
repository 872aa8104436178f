#!/bin/sh
# The driver answers to mistakes as the real one does: misuse.sh PROGRAM ANSWERS
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HEDDLE_QUIET=1
for part in $("$1"); do
	echo "== $part"
	"$1" "$part" 2>/dev/null || echo "crash"
done >"$work/out"
diff "$2" "$work/out"
