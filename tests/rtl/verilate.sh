#!/bin/sh
# verilate.sh VERILATOR FOLDER TOP FILE...: makes the module TOP a library of C++ in
# FOLDER, modules that are marked hier_block libraries of their own. Says something only
# if it fails.
verilator=$1 folder=$2 top=$3
shift 3
# Ours is not the make whose job server the environment names.
unset MAKEFLAGS MFLAGS MAKELEVEL
# OPT_FAST comes last on the compiler's command line, and is -Os unless told.
if ! "$verilator" -Wall -Wno-UNUSED --cc --build --hierarchical \
	-O3 -MAKEFLAGS OPT_FAST=-O2 --Mdir "$folder" --prefix "V$top" --top-module "$top" "$@" \
	> "$folder.log" 2>&1; then
	cat "$folder.log" >&2
	exit 1
fi
find "$folder" -name "*.a" -exec touch {} +
