#!/bin/sh
# Are all registers after each instruction of a program those that qemu has?
#
#	steps.sh STEP FOLDER PROGRAM
set -eu
step=$1
folder=$2
program=$3
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

case $(uname -m) in
x86_64) cc=gcc ;;
*) cc=x86_64-linux-gnu-gcc ;;
esac
for needed in qemu-x86_64 $cc; do
	command -v $needed >/dev/null || { echo "no $needed"; exit 77; }
done
"$cc" -O1 -static -no-pie -nostdlib -ffreestanding -fno-stack-protector \
	-fcf-protection=none -Wall -Wextra -Werror -o "$temporary/$program" \
	"$folder/$program.c" -lgcc
mkfifo "$temporary/log"
# It ends with main's result.
(qemu-x86_64 -cpu qemu64 -singlestep -d cpu,fpu,nochain \
	-D "$temporary/log" "$temporary/$program" || :) &
"$step" "$temporary/$program" <"$temporary/log"
