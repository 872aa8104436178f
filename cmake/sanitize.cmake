# The sanitizers of the asan, tsan and fuzz builds.
if(HEDDLE_FUZZ)
	if(NOT CMAKE_C_COMPILER_ID MATCHES Clang)
		message(FATAL_ERROR "HEDDLE_FUZZ needs clang: CC=clang cmake ...")
	endif()
	set(HEDDLE_SANITIZE address,undefined)
	add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(HEDDLE_SANITIZE)
	add_compile_options(-fsanitize=${HEDDLE_SANITIZE}
		-fno-sanitize-recover=all -fno-omit-frame-pointer)
	add_link_options(-fsanitize=${HEDDLE_SANITIZE})
endif()
