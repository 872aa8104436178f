#!/bin/sh
# same.sh PROGRAM FILE: does the program print what is in the file?
"$1" | diff - "$2" >/dev/null && exit
echo "$2 is not up to date: run 'make docs'"
exit 1
