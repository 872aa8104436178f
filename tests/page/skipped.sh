#!/bin/sh
# A machine without a browser: are the tests of pages skipped, with a message, and
# do they fail where CI=true? Does scripts/setup install the browser, again if
# apt-get fails at first, and say so if it never succeeds?
#
#	skipped.sh HEDDLE JSON-CHECKER SWEEP_DB
set -eu
pages=$(cd "$(dirname "$0")" && pwd)/pages.sh
setup=$(cd "$(dirname "$0")/../.." && pwd)/scripts/setup
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin"

fail()
{
	echo "FAILED: $*" >&2
	cat "$folder/said" >&2
	exit 1
}

# All programs of this machine, but no browser, no sudo and no apt-get. Those
# that setup requires may be missing here.
for dir in /usr/local/sbin /usr/sbin /sbin /usr/local/bin /usr/bin /bin; do
	[ ! -d $dir ] || ln -sf $dir/* "$folder/bin" 2>/dev/null || :
done
cd "$folder/bin"
rm -f chromium* google-chrome* sudo apt-get
for name in gcc make cmake clang gnuplot; do
	[ -e $name ] || ln -s true $name
done
cd "$folder"

# with VARIABLE=VALUE... WORD...
with()
{
	code=0
	env PATH="$folder/bin" CHROMIUM= "$@" >said 2>&1 || code=$?
}

with CI= sh "$pages" "$1" "$2" "$3" browser
[ $code = 77 ] || fail "exit code $code, not 77, without a browser"
grep -q 'skipped: no chromium.*scripts/setup pages' said || fail "no message"
with CI=true sh "$pages" "$1" "$2" "$3" browser
[ $code = 1 ] || fail "exit code $code, not 1, with CI=true"
grep -q 'FAILED: no chromium, and CI=true' said || fail "no message in CI"

. /etc/os-release 2>/dev/null || ID=unknown
if [ "$ID" = ubuntu ]; then
	with sh "$setup" pages
	[ $code = 1 ] || fail "exit code $code: setup on Ubuntu"
	grep -q 'only as a snap' said || fail "nothing is said about the snap"
	exit 0
fi
with sh "$setup" pages
[ $code = 1 ] || fail "exit code $code: setup without apt-get"
grep -q 'packages missing:.* chromium' said || fail "chromium is not missed"
# From here on as root, or as someone who may use sudo.
printf '#!/bin/sh\n[ "$1" != -n ] || shift\nexec "$@"\n' >bin/sudo
cat >bin/apt-get <<END
#!/bin/sh
echo "\$@" >>$folder/calls
case "\$*" in
*' install '*chromium*)
	echo x >>$folder/tries
	[ \$(wc -l <$folder/tries) -gt \$FAILURES ] ;;
*) [ "\$FAILURES" = 0 ] ;;
esac
END
chmod +x bin/sudo bin/apt-get
with SETUP_PAUSE=0 FAILURES=2 sh "$setup" pages
[ $code = 0 ] || fail "exit code $code: apt-get fails twice, then succeeds"
[ "$(wc -l <tries)" = 3 ] || fail "not three tries"
grep -q 'update' calls || fail "the lists were not updated"
rm tries
with SETUP_PAUSE=0 FAILURES=99 sh "$setup" pages
[ $code = 1 ] || fail "exit code $code: apt-get never succeeds"
grep -q 'apt-get could not install.* chromium' said || fail "it does not say so"
