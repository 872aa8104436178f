# heddle_xz: links liblzma and zlib and defines HEDDLE_LZMA and HEDDLE_ZLIB where
# they are; empty where they are not. Traces of Accel-Sim are compressed.
find_path(HEDDLE_LZMA_INCLUDE lzma.h)
find_library(HEDDLE_LZMA_LIBRARY lzma)
find_path(HEDDLE_ZLIB_INCLUDE zlib.h)
find_library(HEDDLE_ZLIB_LIBRARY z)
mark_as_advanced(HEDDLE_LZMA_INCLUDE HEDDLE_LZMA_LIBRARY HEDDLE_ZLIB_INCLUDE
	HEDDLE_ZLIB_LIBRARY)

add_library(heddle_xz INTERFACE)
foreach(part IN ITEMS LZMA ZLIB)
	if(HEDDLE_${part}_INCLUDE AND HEDDLE_${part}_LIBRARY)
		target_compile_definitions(heddle_xz INTERFACE HEDDLE_${part})
		target_include_directories(heddle_xz SYSTEM INTERFACE
			${HEDDLE_${part}_INCLUDE})
		target_link_libraries(heddle_xz INTERFACE
			${HEDDLE_${part}_LIBRARY})
	endif()
endforeach()
if(NOT HEDDLE_LZMA_LIBRARY OR NOT HEDDLE_LZMA_INCLUDE)
	message(STATUS "no liblzma (package liblzma-dev): traces of Accel-Sim "
		"that are compressed by xz cannot be read")
endif()
