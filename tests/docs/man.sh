#!/bin/sh
# Is there a page of the manual for every command, with all of its options, and
# does man(1) show it without a complaint?
#
#	man.sh HEDDLE FOLDER
set -eu
heddle=$1
folder=$2
sources=$(cd "$(dirname "$0")/../.." && pwd)
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

fail()
{
	echo "FAILED: $*" >&2
	exit 1
}


"$heddle" manual >"$temporary/commands"
[ "$(wc -l <"$temporary/commands")" -ge 19 ] || fail "too few pages"
while read -r command; do
	page=$folder/heddle-$(echo "$command" | tr ' ' -).1
	[ -s "$page" ] || fail "no $page"
	# shellcheck disable=SC2086	# its words
	"$heddle" $command --help |
		sed -n 's/^  -\([a-zA-Z]\), .*/\1/p; s/^  --*\([a-zA-Z_-]*\).*/\1/p' |
		sed 's/-/\\-/g' >"$temporary/options"
	while read -r option; do
		[ -n "$option" ] || continue
		grep -qF -- "\\-$option\\fP" "$page" ||
			fail "no $option in $page"
	done <"$temporary/options"
	! grep -q '^\.\\" \(option\|table\) ' "$page" ||
		fail "$page has marks of the generator"
	grep -q "heddle-$(echo "$command" | tr ' ' -) (1)" "$folder/heddle.1" ||
		fail "heddle.1 does not refer to $page"
done <"$temporary/commands"
# The long text of the manual, and the short one of the help.
grep -q 'A NaN equals a NaN' "$folder/heddle-run.1" || fail "--expect is short"
grep -q '^\.SH ARGUMENTS' "$folder/heddle-run.1" || fail "run: no ARGUMENTS"
! grep -q '^\.SH OPTIONS' "$folder/heddle.1" || fail "heddle.1 has options"

# An option that does not exist is noticed.
sed 's/\\-\\-kernel"* " NAME"/\\-\\-colonel " NAME"/' "$sources/docs/heddle.1" \
	>"$temporary/wrong.1"
! cmp -s "$sources/docs/heddle.1" "$temporary/wrong.1" || fail "no --kernel"
! "$sources/scripts/gen-man" "$heddle" "$temporary/wrong.1" \
	"$temporary/pages" 2>"$temporary/said" || fail "--colonel is accepted"
[ ! -e "$temporary/pages/heddle.1" ] || fail "it looks as if all were written"
grep -q 'wrong.1:[0-9]*: there is no option --colonel of run' \
	"$temporary/said" || fail "$(cat "$temporary/said")"

if command -v groff >/dev/null; then
	for page in "$sources/docs/heddle.1" "$folder"/*.1; do
		groff -man -ww -z -Tutf8 "$page" >"$temporary/said" 2>&1
		[ ! -s "$temporary/said" ] || fail "$(cat "$temporary/said")"
	done
fi
if command -v mandoc >/dev/null; then
	mandoc -T lint -W error "$folder"/*.1 >"$temporary/said" ||
		fail "$(cat "$temporary/said")"
fi
