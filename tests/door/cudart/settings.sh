#!/bin/sh
# The environment decides about the GPUs, and what is wrong with it is said:
# settings.sh PROGRAM
set -eu
hello=$1
export HEDDLE_QUIET=1
failed=0

# says WANTED WORDS... runs the program with WORDS in the environment; what it
# writes must contain WANTED.
says()
{
	wanted=$1
	shift
	got=$(env "$@" 2>&1) || true
	case $got in
	*"$wanted"*) ;;
	*)
		echo "$*"
		echo "  wanted: $wanted"
		echo "  got:    $got"
		failed=1
		;;
	esac
}

says "1 NVIDIA H200 132 SMs: cudaSuccess" "$hello"
says "2 NVIDIA H200 132 SMs: cudaSuccess" HEDDLE_DEVICES=2 "$hello"
says "16 SMs: cudaSuccess" HEDDLE_SET="sm.count=16;l2.bytes=30M" "$hello"
says "2 SMs: cudaSuccess" HEDDLE_GPU=tiny "$hello"
says "3 " HEDDLE_GPU=tiny,qv100,h200 "$hello"
says "cudaSuccess" HEDDLE_GPU=tiny HEDDLE_FUNCTIONAL=1 "$hello" 100000

says "no GPU named 'h20', did you mean 'h200'?" HEDDLE_GPU=h20 "$hello"
says "cudaErrorInitializationError" HEDDLE_GPU=h20 "$hello"
says "no parameter named 'sm.cuont'" HEDDLE_SET=sm.cuont=1 "$hello"
says "HEDDLE_DEVICES=x: expected a number" HEDDLE_DEVICES=x "$hello"
says "HEDDLE_DEVICES=17: expected a number from 0 to 16" HEDDLE_DEVICES=17 "$hello"
says "HEDDLE_DEVICES=3, but HEDDLE_GPU names 2" HEDDLE_DEVICES=3 \
	HEDDLE_GPU=tiny,tiny "$hello"
says "HEDDLE_FUNCTIONAL=yes: expected 0 or 1" HEDDLE_FUNCTIONAL=yes "$hello"
says "HEDDLE_MEMORY=soft: expected strict or hardware" HEDDLE_MEMORY=soft "$hello"
says "cudaSuccess" HEDDLE_MEMORY=strict "$hello"
says "HEDDLE_ENGINE: no engine named 'warp'; there are: serial, exact, cycle, slack:K, workgroup" HEDDLE_ENGINE=warp \
	"$hello"
says "HEDDLE_ENGINE: engine 'slack:': expected a number of cycles" HEDDLE_ENGINE=slack: \
	"$hello"
says "cudaSuccess" HEDDLE_GPU=tiny HEDDLE_ENGINE=slack:10 HEDDLE_PIN=1 \
	HEDDLE_THREADS=2 "$hello"
says "HEDDLE_PIN=2: expected 0 or 1" HEDDLE_PIN=2 "$hello"
says "HEDDLE_TIMEOUT=-1: expected seconds" HEDDLE_TIMEOUT=-1 "$hello"

says "cudaErrorLaunchTimeout" HEDDLE_GPU=tiny HEDDLE_MAX_CYCLES=10000 \
	"$hello" 1000000
says "cycle limit reached" HEDDLE_GPU=tiny HEDDLE_MAX_CYCLES=10000 \
	"$hello" 1000000
says "has not ended after 0.5 s (HEDDLE_TIMEOUT)" HEDDLE_TIMEOUT=0.5 \
	"$hello" 2000000000
says "has not ended after 0.5 s (HEDDLE_TIMEOUT)" HEDDLE_TIMEOUT=0.5 \
	HEDDLE_GPU=tiny "$hello" 2000000000
exit $failed
