# corpus.sh PROGRAM CORPUS LEAST: every instruction of the corpus, of which there are at
# least that many, of every row; and that a wrong letter, operand or bit in it is a difference.
set -eu
program=$1
corpus=$2
least=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

gzip -dc "$corpus" > "$work/corpus"
"$program" "$work/corpus"
lines=$(wc -l < "$work/corpus")
if [ "$lines" -lt "$least" ]; then
	echo "corpus.sh: $lines instructions are too few" >&2
	exit 1
fi

# fails NAME SED: the corpus so changed does not pass.
fails()
{
	grep -m 20 '^v_mad_f32 v' "$work/corpus" | sed "$2" > "$work/$1"
	if "$program" "$work/$1" > "$work/out"; then
		echo "corpus.sh: $1 went unnoticed" >&2
		exit 1
	fi
}
fails letter 's/v_mad/v_mac/'
fails operand 's/, /, -/'
fails bit 's/	d/	c/'
fails word 's/ [0-9a-f]*$//'
