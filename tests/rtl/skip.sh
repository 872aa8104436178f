#!/bin/sh
# skip.sh SANITIZER: why the tests of the circuit do not run. 77: skipped.
if [ -n "$1" ]; then
	echo "skipped: code that Verilator makes is built without sanitizers"
	exit 77
fi
why="Verilator or a C++ compiler is not installed"
if [ "${CI:-}" = true ]; then
	echo "FAILED: $why, and CI=true: 'scripts/setup rtl' installs them" >&2
	exit 1
fi
echo "skipped: $why; 'scripts/setup rtl' installs them"
exit 77
