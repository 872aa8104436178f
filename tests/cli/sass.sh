#!/bin/sh
# Does `heddle dis` print machine code as cuobjdump does, and does `heddle as`
# read it again and change what it is told to?
#
#	sass.sh HEDDLE
set -eu
heddle=$1
data=$(cd "$(dirname "$0")" && pwd)/sass
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
touch out err

fail()
{
	echo "FAILED: $*" >&2
	tail -n 20 out err >&2
	exit 1
}

# heddle CODE ARGUMENT...
heddle()
{
	want=$1
	shift
	code=0
	"$heddle" "$@" >out 2>err || code=$?
	[ "$code" = "$want" ] || fail "exit code $code, not $want: $*"
}

# says TEXT: the error contains it
says()
{
	grep -Fq -- "$1" err || fail "the error does not say: $1"
}

# The whole listing, to the character; the same code in a fat binary.
heddle 0 dis "$data/k.cubin"
cmp out "$data/k.txt" || fail "not what cuobjdump prints"
heddle 0 dis "$data/k.fatbin"
[ "$(grep -c '^Fatbin elf code:$' out)" = 2 ] || fail "not two images"
grep -q '^Fatbin ptx code:$' out || fail "the PTX is not named"
grep -q 'EF_CUDA_SM80' out || fail "sm_80 is missing"
heddle 0 dis "$data/k.fatbin" --arch sm_90
if grep -q 'EF_CUDA_SM80' out; then fail "--arch does not select"; fi
sed -n '/code for/,/^Fatbin/p' out | sed '/^Fatbin/d' | grep . >ours
sed -n '/code for/,$p' "$data/k.txt" | grep . >theirs
cmp ours theirs || fail "the image for sm_90 differs from the cubin"

# From address 0x10000 on the text stands one column further to the right, and the
# words stay where they are.
gzip -dc "$data/long.cubin.gz" >long.cubin
heddle 0 dis long.cubin
grep -q '^ \{8\}/\*fff0\*/ \{19\}[A-Z]' out || fail "text before 0x10000"
grep -q '^ \{8\}/\*10000\*/ \{19\}[A-Z]' out || fail "text from 0x10000 on"
[ "$(awk '/\/\* 0x/ { print index($0, "/* 0x") }' out | sort -u | wc -l)" = 1 ] ||
	fail "words do not stand below each other"

# One function; control words.
heddle 0 dis "$data/k.cubin" --kernel _Z6secondPi --control -o second.txt
[ "$(grep -c 'Function :' second.txt)" = 1 ] || fail "not one function"
grep -Fq '/*0000*/ [B------:R-:W0:-:S01] LDC R1, c[0x0][0x28] ;' second.txt ||
	fail "no control words"

# What is printed can be assembled: with the words, and with control words only.
heddle 0 as "$data/k.txt" --patch "$data/k.cubin" -o same.cubin
cmp same.cubin "$data/k.cubin" || fail "a listing does not give its cubin"
heddle 0 dis "$data/k.cubin" --control -o control.txt
sed -e 's,; */\* 0x.*,;,' -e '/^ *\/\* 0x/d' control.txt >bare.txt
heddle 0 as bare.txt --arch sm_90 -o bare.bin
heddle 0 as "$data/k.txt" --arch sm_90 -o full.bin
cmp bare.bin full.bin || fail "control words alone give another code"
heddle 0 as bare.txt --arch sm_90
[ "$(grep -c '^ *\/\*[0-9a-f]*\*\/ ' out)" = "$(grep -c ';' bare.txt)" ] ||
	fail "the listing of as has not all lines"

# A patch changes what it names and nothing else.
cat >edits.txt <<'EOF'
# another constant, and only a control word
Function : _Z6secondPi
/*0000*/ [B0-----:R1:W2:Y:S07] LDC R1, c[0x0][0x2c] ;
0x0010: [B------:R-:W-:-:S09]
EOF
heddle 0 as edits.txt --patch "$data/k.cubin" -o new.cubin
heddle 0 dis new.cubin --kernel _Z6secondPi --control -o new.txt
grep -Fq '/*0000*/ [B0-----:R1:W2:Y:S07] LDC R1, c[0x0][0x2c] ;' new.txt ||
	fail "not patched"
[ "$(diff new.txt second.txt | grep -c '^<.*;')" = 2 ] ||
	fail "not two instructions differ"
grep -F '/*0010*/ [B------:R-:W-:-:S09]' new.txt >/dev/null ||
	fail "the control word is not patched"
[ "$(cmp -l new.cubin "$data/k.cubin" | wc -l)" -le 8 ] || fail "too much changed"

# Registers that are read too early: none, unless control words are changed.
heddle 0 dis "$data/k.cubin" --hazards
grep -q ' 0 too early$' out || fail "the kernels are not counted"
cat >early.txt <<'EOF'
Function : _Z6secondPi
/*0080*/ [B-1----:R-:W-:Y:S03]
/*00a0*/ [B------:R-:W2:-:S01]
EOF
heddle 0 as early.txt --patch "$data/k.cubin" -o early.cubin
heddle 1 dis early.cubin --hazards --kernel _Z6secondPi
says "4 registers are read too early"
grep -Fqx '_Z6secondPi: R2 is read 2 cycles too early:' out || fail "R2 is not named"
grep -Fqx '  /*0080*/ IMAD.WIDE.U32 R2, R7, 0x4, R2' out || fail "no first instruction"
grep -Fqx '  /*0090*/ STG.E desc[UR4][R2.64], R7' out || fail "no second instruction"
grep -Fqx '_Z6secondPi: R8 is read without a wait for its counter:' out ||
	fail "a wait that is left out goes unnoticed"

# An unknown instruction is printed with its words, and is an error.
printf 'Function : _Z6secondPi\n/*0000*/ .inst 0x0000000000000fff, 0x000fe20000000000 ;\n' >unknown.txt
heddle 0 as unknown.txt --patch "$data/k.cubin" -o unknown.cubin
heddle 1 dis unknown.cubin
grep -Fq '.inst 0x0000000000000fff, 0x000fe20000000000 ;' out || fail "no .inst"
says "1 instructions are not known, the first at 0x0 of _Z6secondPi, opcode 0xfff"

# So are bits that are not known of one that is.
printf 'Function : _Z6secondPi\n/*0000*/ .inst 0x000000000000794d, 0x000fea1003800000 ;\n' >partial.txt
heddle 0 as partial.txt --patch "$data/k.cubin" -o partial.cubin
heddle 1 dis partial.cubin
grep -Fq '/*0000*/                   EXIT ;' out || fail "no EXIT"
says "1 instructions have bits that are not known, the first at 0x0 of _Z6secondPi, opcode 0x94d"

# What cannot be.
heddle 1 dis "$data/k.cubin" --kernel nobody
says "no function named 'nobody'"
heddle 1 dis "$data/k.fatbin" --arch sm_75
says "no machine code for sm_75"
heddle 2 dis "$data/k.fatbin" --arch hopper
says "such as sm_90"
head -c 5000 "$data/k.cubin" >cut.cubin
heddle 1 dis cut.cubin
heddle 2 as edits.txt --patch "$data/k.cubin"
says "--patch needs -o"
heddle 2 as edits.txt
says "--arch must name an architecture"
heddle 1 as edits.txt --patch "$data/k.txt" -o x
says "is not a cubin"
bad()
{
	printf 'Function : _Z6secondPi\n%s\n' "$1" >bad.txt
	heddle 1 as bad.txt --patch "$data/k.cubin" -o x.cubin
	says "bad.txt:2: $2"
	[ ! -e x.cubin ] || fail "a file in spite of the error"
}
bad '/*0000*/ FROB R1, R2 ;' '"FROB R1, R2" is no instruction of sm_90'
bad '/*0008*/ NOP ;' 'an address in the function is needed'
bad '/*9000*/ NOP ;' 'an address in the function is needed'
bad 'NOP ;' 'an address in the function is needed'
bad '/*0000*/ [B-----:R-:W-:-:S09] NOP ;' 'not a control word'
bad '/*0000*/ [B------:R-:W-:-:S16] NOP ;' 'not a control word'
bad '/*0000*/ .inst 5 ;' 'not .inst with two words'
bad 'Function : nobody' 'the cubin has no function named nobody'
echo ok
