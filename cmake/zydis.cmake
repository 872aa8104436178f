# heddle_zydis: links Zydis and defines HEDDLE_ZYDIS where it is installed; empty
# where it is not. It decodes the instructions of x86-64 programs.
find_path(HEDDLE_ZYDIS_INCLUDE Zydis/Zydis.h)
find_library(HEDDLE_ZYDIS_LIBRARY Zydis)
mark_as_advanced(HEDDLE_ZYDIS_INCLUDE HEDDLE_ZYDIS_LIBRARY)

add_library(heddle_zydis INTERFACE)
if(HEDDLE_ZYDIS_INCLUDE AND HEDDLE_ZYDIS_LIBRARY)
	target_compile_definitions(heddle_zydis INTERFACE HEDDLE_ZYDIS)
	target_include_directories(heddle_zydis SYSTEM INTERFACE
		${HEDDLE_ZYDIS_INCLUDE})
	target_link_libraries(heddle_zydis INTERFACE ${HEDDLE_ZYDIS_LIBRARY})
else()
	message(STATUS "no Zydis (package libzydis-dev): no x86-64 programs "
		"('heddle system')")
endif()
