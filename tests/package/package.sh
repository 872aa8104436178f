#!/bin/sh
# Installs a build into a temporary folder and uses it from there.
#
#	package.sh BUILD CC CASE
#
# 77: skipped, for want of a program that the message names.
set -eu
build=$1
cc=$2
case=$3
sources=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
unset HEDDLE_CONFIGS HEDDLE_CUDA_INCLUDE HEDDLE_CUDA_LIB DESTDIR
unset MAKEFLAGS MFLAGS MAKELEVEL

fail()
{
	echo "FAILED: $*" >&2
	[ ! -f said ] || tail -n 30 said >&2
	exit 1
}

# need COMMAND
need()
{
	command -v "$1" >/dev/null 2>&1 && return
	echo "skipped: no $1"
	exit 77
}

# must WORD...: runs it, and keeps what it says in `said`
must()
{
	"$@" >said 2>&1 || fail "exit code $?: $*"
}

says()
{
	grep -qE -- "$1" said || fail "no '$1'"
}

# Installs, and moves the installation, to $folder/moved.
install_and_move()
{
	must cmake --install "$build" --prefix "$folder/first"
	mv first moved
	! grep -rl "$folder/first" moved >said 2>/dev/null ||
		fail "these files name the folder that they were installed in"
	pc=$(find moved -name heddle.pc)
	[ -n "$pc" ] || fail "no heddle.pc"
	libdir=$folder/$(dirname "$(dirname "$pc")")
}

version()
{
	moved/bin/heddle --version | sed 's/heddle //'
}

# The programs of docs/, built as ./example, ./example_cgm and ./example_timed.
check_examples()
{
	must ./example
	says '^y\[0\] = 1, y\[1\] = 3.5, y\[999\] = 2498.5$'
	says '^1024 threads, 576 warp-instructions$'
	must ./example_cgm
	says '^the counter is 4000 after '
	must ./example_timed
	says '^transpose: [0-9]+ cycles, [0-9.]+ us$'
	[ "$(grep -cE '^ *[0-9.]+%  [a-z_]+ +[a-z]' said)" = 3 ] ||
		fail "not three reasons"
	cp said h200
	must ./example_timed tiny
	! cmp -s said h200 || fail "tiny and h200 take the same time"
	must ./example_timed "$sources/configs/h200.cfg"
	cmp -s said h200 || fail "a name and its file differ"
	! ./example_timed h20 >said 2>&1 || fail "there is a GPU 'h20'"
	says "no GPU named 'h20', did you mean 'h200'"
}

pkg_config()
{
	need pkg-config
	install_and_move
	PKG_CONFIG_PATH=$libdir/pkgconfig
	export PKG_CONFIG_PATH
	# A system's own package would not be looked for in the temporary
	# folder, and must not be taken instead.
	flags=$(pkg-config --cflags --libs heddle)
	[ "$(pkg-config --modversion heddle)" = "$(version)" ] ||
		fail "heddle.pc has another version than heddle"
	for name in example example_cgm example_timed; do
		# shellcheck disable=SC2086	# its words
		must "$cc" -std=c11 -Wall -Wextra -Werror -pedantic \
			"$sources/docs/$name.c" $flags \
			-Wl,-rpath,"$libdir" -o $name
	done
	check_examples
}

cmake_package()
{
	install_and_move
	mkdir user
	cat >user/CMakeLists.txt <<-END
	cmake_minimum_required(VERSION 3.22)
	project(user LANGUAGES C)
	find_package(Heddle \${WANTED} REQUIRED)
	foreach(name example example_cgm example_timed)
		add_executable(\${name} $sources/docs/\${name}.c)
		target_link_libraries(\${name} PRIVATE Heddle::heddle)
	endforeach()
	add_executable(version version.c)
	target_link_libraries(version PRIVATE Heddle::heddle)
	file(WRITE \${CMAKE_BINARY_DIR}/found "\${Heddle_VERSION}\n")
	END
	cat >user/version.c <<-END
	#include <heddle/heddle.h>
	#include <stdio.h>
	#if HEDDLE_VERSION_MAJOR * 1000000 + HEDDLE_VERSION_MINOR * 1000 + \\
		HEDDLE_VERSION_PATCH <= 0
	#error
	#endif
	int main(void)
	{
		printf("%d.%d.%d %s %s\n", HEDDLE_VERSION_MAJOR,
		       HEDDLE_VERSION_MINOR, HEDDLE_VERSION_PATCH,
		       HEDDLE_VERSION, heddle_version());
		return 0;
	}
	END
	v=$(version)
	must cmake -S user -B out -DCMAKE_PREFIX_PATH="$folder/moved" \
		-DCMAKE_C_COMPILER="$cc" -DWANTED="${v%.*}"
	[ "$(cat out/found)" = "$v" ] || fail "Heddle_VERSION is not $v"
	must cmake --build out
	must out/version
	says "^$v $v $v\$"
	cp out/example out/example_cgm out/example_timed .
	check_examples
	! cmake -S user -B newer -DCMAKE_PREFIX_PATH="$folder/moved" \
		-DCMAKE_C_COMPILER="$cc" -DWANTED=99 >said 2>&1 ||
		fail "version 99 was found"
	says 'requested version "99"|compatible'
}

# complete PREFIX: is all of it there, and does it work where it is?
complete()
{
	for file in bin/heddle include/heddle/heddle.h share/man/man1/heddle.1 \
		share/man/man1/heddle-run.1 share/man/man1/heddle-trace-info.1 \
		share/bash-completion/completions/heddle \
		share/fish/vendor_completions.d/heddle.fish \
		share/heddle/configs/h200.cfg share/heddle/cuda \
		share/heddle/rtl/fl_top.sv share/heddle/rtl/fl_pkg.sv; do
		[ -s "$1/$file" ] || fail "$file is not installed"
	done
	for name in 'libheddle.so' 'libheddle.so.?' libcudart.so.13 libcuda.so.1 \
		heddle.pc HeddleConfig.cmake _heddle; do
		[ -n "$(find "$1" -name "$name")" ] ||
			fail "$name is not installed"
	done
	must "$1/bin/heddle" --version
	says '^heddle [0-9]+\.[0-9]+\.[0-9]+$'
	must "$1/bin/heddle" run "$sources/tests/cli/saxpy.ptx" --kernel saxpy \
		--gpu a100 --grid 8 --block 128 --arg 1000 --arg 2.5 \
		--arg 'x:f32[1K]=iota' --arg 'y:f32[1K]=fill:1' --arg 3
	says 'on NVIDIA A100'
	command -v clang >/dev/null || return 0
	# The headers, and the libraries that the program runs with.
	must "$1/bin/heddle" cc -o bfs "$sources/workloads/bfs.cu"
	must "$1/bin/heddle" exec --gpu rtx3080 -- ./bfs 500
	says '^bfs 500: ok$'
	says 'RTX 3080'
}

destdir()
{
	must env DESTDIR="$folder/root" cmake --install "$build" --prefix /usr
	complete "$folder/root/usr"
}

deb()
{
	need dpkg-deb
	need dpkg-shlibdeps
	must cpack --config "$build/CPackConfig.cmake" -G DEB -B "$folder/deb"
	deb=$(echo deb/*.deb)
	[ -f "$deb" ] || fail "no package"
	dpkg-deb -f "$deb" >control
	cp control said
	says '^Package: heddle$'
	says "^Version: $(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' \
		"$build/CMakeCache.txt")\$"
	says "^Architecture: $(dpkg --print-architecture)\$"
	says '^Depends: .*libc6 '
	# What the libraries need of each other is no dependency.
	! grep -q '^Depends:.*heddle' said || fail "it depends on itself"
	dpkg-deb --ctrl-tarfile "$deb" | tar -tf - >said
	says '^\./triggers$'
	must dpkg-deb -x "$deb" root
	complete "$folder/root/usr"
	! grep -rl "$build" root >said || fail "these files name the build folder"
}

# With none of the libraries that are optional it builds, runs kernels, and says
# what it was built without.
bare()
{
	need cmake
	set --
	for library in LZMA SQLITE ZLIB ZSTD ZYDIS; do
		set -- "$@" "-DHEDDLE_${library}_LIBRARY=OFF"
	done
	must cmake -S "$sources" -B bare -DCMAKE_C_COMPILER="$cc" "$@"
	must cmake --build bare --target heddle --parallel 2
	must bare/heddle run "$sources/tests/cli/saxpy.ptx" --kernel saxpy \
		--gpu a100 --grid 8 --block 128 --arg 1000 --arg 2.5 \
		--arg 'x:f32[1K]=iota' --arg 'y:f32[1K]=fill:1' --arg 3
	says 'on NVIDIA A100'
	! bare/heddle system -- bare/heddle >said 2>&1 ||
		fail 'x86 runs without Zydis'
	says 'built without Zydis'
	! bare/heddle sweep "$sources/sweeps/sarcs-l1.sweep" >said 2>&1 ||
		fail 'a sweep runs without SQLite'
	says 'built without SQLite'
}

case $case in
cmake) cmake_package ;;
pkg_config | destdir | deb | bare) "$case" ;;
*) fail "no case $case" ;;
esac
