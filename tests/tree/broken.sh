#!/bin/sh
# Breaks each rule of the tree in a copy of it: the check must say so.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cp -R "$root/src" "$dir"
cp -R "$root/include" "$dir"

# broken CHECK PATTERN FILE LINE: adds the line to the file, and takes it back.
broken()
{
	cp "$dir/$3" "$dir/kept"
	printf '%s\n' "$4" >>"$dir/$3"
	if "$root/scripts/$1" "$dir" >"$dir/said"; then
		echo "$1 did not notice: $3: $4"
		exit 1
	fi
	grep -qE "$2" "$dir/said" || {
		echo "$1 said something else than '$2':"
		cat "$dir/said"
		exit 1
	}
	cp "$dir/kept" "$dir/$3"
}

broken check-layers 'ptx_op: a name of an instruction set' \
	src/sm/issue.c 'static int issue_kind(enum ptx_op op);'
broken check-layers 'PTX_OP_BRA: a name of an instruction set' \
	src/gpu/run.c 'enum { GPU_BRANCH = PTX_OP_BRA };'
broken check-layers 'isa/ptx is known to its folder' \
	src/sm/issue.c '#include "isa/ptx/row.h"'
broken check-layers 'isa/ptx is known to its folder' \
	src/api/launch.c '#include "isa/ptx/module.h"'
broken check-layers 'simt must not know sm' \
	src/simt/warp.c '#include "sm/sm.h"'
broken check-layers 'engine sees' \
	src/engine/exact.c '#include "mem/tags.h"'
broken check-names 'struct warp stands in' \
	src/trace/read.c 'struct warp {
	int lanes;
};'
broken check-names 'function warp_run stands in' \
	src/trace/read.c 'static int warp_run(void)
{
	return 0;
}'

for check in check-layers check-names; do
	"$root/scripts/$check" "$dir" || { echo "$check: not as before"; exit 1; }
done
echo "8 rules broken, 8 noticed"
