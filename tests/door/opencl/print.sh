#!/bin/sh
# print.sh BUILD GPU: what kernels print, as C prints it.
set -eu
want='-3|   42|42   |00042|+7|4000000000|ff|0XFF|10
1099511627776 18446744073709551615 -1 -2 ok
1.500000|3.14|1.000000e+10|0.1|    -2.500
1,2,3,4|0.500000,1.500000|-1,0,1|a,b,c,d
text    ab % done
plain
item 3 of 4'
got=$("$1/heddle" exec -q --gpu "$2" -- "$1/tests/opencl_printing")
[ "$got" = "$want" ] && exit 0
echo "expected:"
echo "$want"
echo "got:"
echo "$got"
exit 1
