# heddle_zstd: links libzstd and defines HEDDLE_ZSTD where there is one; empty
# where there is none. Fat binaries of nvcc 13 need it, and traces.
find_path(HEDDLE_ZSTD_INCLUDE zstd.h)
find_library(HEDDLE_ZSTD_LIBRARY zstd)
mark_as_advanced(HEDDLE_ZSTD_INCLUDE HEDDLE_ZSTD_LIBRARY)

add_library(heddle_zstd INTERFACE)
if(HEDDLE_ZSTD_INCLUDE AND HEDDLE_ZSTD_LIBRARY)
	target_compile_definitions(heddle_zstd INTERFACE HEDDLE_ZSTD)
	target_include_directories(heddle_zstd SYSTEM INTERFACE
		${HEDDLE_ZSTD_INCLUDE})
	target_link_libraries(heddle_zstd INTERFACE ${HEDDLE_ZSTD_LIBRARY})
else()
	message(STATUS "no libzstd (package libzstd-dev): no traces, and fat "
		"binaries that are compressed with zstd, as by nvcc 13, cannot "
		"be read")
endif()
