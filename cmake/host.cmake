# Warp semantics are loops over lanes, worth the widest vectors of the build
# machine. The level x86-64-v3 brings AVX2, FMA and F16C. arm64 needs nothing:
# NEON, fma and half conversions are part of its baseline.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$"
   AND NOT HEDDLE_PORTABLE AND EXISTS /proc/cpuinfo)
	file(READ /proc/cpuinfo cpuinfo)
	string(REGEX MATCH "flags[^\n]*" cpuflags "${cpuinfo}")
	set(has_v3 ON)
	foreach(flag avx2 fma f16c bmi1 bmi2 abm movbe)
		if(NOT " ${cpuflags} " MATCHES " ${flag} ")
			set(has_v3 OFF)
		endif()
	endforeach()
	if(has_v3)
		add_compile_options(-march=x86-64-v3)
		# Registers are copied as they are computed, 32 bytes at a time:
		# a load of what two shorter stores wrote waits for both to reach
		# the cache. clang does so by itself.
		include(CheckCCompilerFlag)
		check_c_compiler_flag(-mmove-max=256 HAVE_MOVE_MAX)
		if(HAVE_MOVE_MAX)
			add_compile_options(-mmove-max=256 -mstore-max=256)
		endif()
	endif()
	message(STATUS "x86-64-v3 (AVX2, FMA, F16C): ${has_v3}")
endif()
