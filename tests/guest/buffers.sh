#!/bin/sh
# A workload with its buffers copied, mapped and shared: buffers.sh HEDDLE TREE PROGRAM.
# Results are right in all ways, and nothing but what is copied is copied.
set -eu
heddle=$1 tree=$2 program=$3
json=$(mktemp)
trap 'rm -f "$json"' EXIT

run() # BUFFERS [OPTION...]
{
	buffers=$1
	shift
	"$heddle" system --config cgm --root "$tree" --quiet --json "$json" \
		--env BUFFERS="$buffers" "$@" -- "$program" | grep -q ': ok$'
}

number() # NAME
{
	sed -n '/"opencl":/,$p' "$json" |
		sed -n "s/.*\"$1\": *\([0-9.e+]*\).*/\1/p" | head -1
}

run copied
[ "$(number copied_bytes)" != 0 ]
for buffers in mapped shared; do
	run $buffers
	[ "$(number copied_bytes)" = 0 ]
	[ "$(number gpu_copies)" = 0 ]
done
run mapped -o cgm.gpu_protocol=none
[ "$(number gpu_copies)" = 0 ]
# Separate address spaces: what is mapped is copied, and nothing can be shared.
run mapped -o cgm.shared=no
[ "$(number gpu_copies)" != 0 ]
if run shared -o cgm.shared=no 2>/dev/null; then exit 1; fi
