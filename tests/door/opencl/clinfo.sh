#!/bin/sh
# clinfo.sh BUILD: clinfo, an OpenCL program of others, finds everything it asks for,
# on GPUs of both vendors.
set -eu
if ! command -v clinfo >/dev/null; then
	exec sh "$(dirname "$0")/skip.sh" clinfo
fi
out=$("$1/heddle" exec -q --gpu h200,hd7970 -- clinfo 2>&1) || {
	echo "$out"
	echo "FAILED: clinfo ends with an error"
	exit 1
}
has() { echo "$out" | grep -q "$1" || { echo "FAILED: no '$1' in:"; echo "$out"; exit 1; }; }
has 'Number of platforms  *1$'
has 'Platform Name  *Heddle$'
has 'Number of devices  *2$'
has 'Device Name  *NVIDIA H200$'
has 'Device Name  *AMD Radeon HD 7970$'
has 'Preferred work group size multiple (kernel)  *32$'
has 'Preferred work group size multiple (kernel)  *64$'
# What it could not get is between angle brackets.
if echo "$out" | grep '<' ; then
	echo "FAILED: clinfo misses something"
	exit 1
fi
