# corpus.sh PROGRAM CORPUS LEAST: every instruction of the corpus, of which there
# are at least that many, and that a wrong letter, bit or opcode in it is a
# difference.
set -eu
program=$1
corpus=$2
least=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

gzip -dc "$corpus" > "$work/corpus"
code=0
"$program" "$work/corpus" > "$work/result" || code=$?
tail -n 40 "$work/result"
[ "$code" = 0 ] || exit "$code"
lines=$(wc -l < "$work/corpus")
if [ "$lines" -lt "$least" ]; then
	echo "corpus.sh: $lines instructions are too few" >&2
	exit 1
fi

# fails NAME SED: the corpus so changed does not pass.
fails()
{
	grep -m 50 '^90.*FFMA R' "$work/corpus" | sed "$2" > "$work/$1"
	if "$program" "$work/$1" > "$work/out"; then
		echo "corpus.sh: $1 went unnoticed" >&2
		exit 1
	fi
}
fails letter 's/FFMA/FFMB/'
fails operand 's/, R\([0-9]*\), /, R\1.reuse, /'
fails bit 's/	000\(.\)/	200\1/'
fails opcode 's/23	0/ff	0/'
