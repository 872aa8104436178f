# Fuzz targets: tests/fuzz/fuzz_*.c, each with an LLVMFuzzerTestOneInput and a
# corpus in tests/fuzz/corpus/<target>/. With HEDDLE_FUZZ they are linked with
# libFuzzer; otherwise a small main runs them once over their corpus, as a
# test.
file(GLOB fuzz_sources CONFIGURE_DEPENDS
	${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
if(NOT TARGET heddle_opencl)
	list(FILTER fuzz_sources EXCLUDE REGEX "/fuzz_clbinary\\.c$")
endif()
foreach(source IN LISTS fuzz_sources)
	get_filename_component(target ${source} NAME_WE)
	add_executable(${target} ${source})
	set_target_properties(${target} PROPERTIES
		RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
	# Its prototype is libFuzzer's affair.
	target_compile_options(${target} PRIVATE -Wno-missing-prototypes)
	target_compile_definitions(${target} PRIVATE
		HEDDLE_TINY="${CMAKE_SOURCE_DIR}/configs/tiny.cfg")
	target_link_libraries(${target} PRIVATE heddle_explore)
	if(HEDDLE_FUZZ)
		target_link_options(${target} PRIVATE -fsanitize=fuzzer)
	else()
		target_sources(${target} PRIVATE
			${CMAKE_SOURCE_DIR}/tests/replay.c)
		add_test(NAME ${target} COMMAND ${target}
			${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${target})
		set_tests_properties(${target} PROPERTIES TIMEOUT 60)
	endif()
endforeach()

# What the doors read is not part of a library.
function(heddle_fuzz_parts target)
	foreach(part IN LISTS ARGN)
		target_sources(${target} PRIVATE
			${CMAKE_SOURCE_DIR}/src/door/${part}.c)
	endforeach()
endfunction()
target_sources(fuzz_fatbin PRIVATE ${reader_sources})
target_link_libraries(fuzz_fatbin PRIVATE heddle_zstd)
heddle_fuzz_parts(fuzz_fatbin rt/join)
heddle_fuzz_parts(fuzz_names rt/names rt/select)
heddle_fuzz_parts(fuzz_npy cli/npy cli/spec cli/text cli/values common/text)
heddle_fuzz_parts(fuzz_spec cli/npy cli/source cli/spec cli/text cli/values
	common/text)
heddle_fuzz_parts(fuzz_gpgpusim cli/gpgpusim cli/gpgpusim_convert)
if(TARGET fuzz_clbinary)
	heddle_fuzz_parts(fuzz_clbinary opencl/binary opencl/meta opencl/text)
endif()
target_sources(fuzz_gcn_run PRIVATE ${CMAKE_SOURCE_DIR}/tests/gcn/harness.c)
target_include_directories(fuzz_gcn_run PRIVATE ${CMAKE_SOURCE_DIR})
