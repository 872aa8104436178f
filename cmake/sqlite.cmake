# heddle_sqlite: links libsqlite3 and defines HEDDLE_SQLITE where there is one;
# empty where there is none. The databases of sweeps need it.
find_path(HEDDLE_SQLITE_INCLUDE sqlite3.h)
find_library(HEDDLE_SQLITE_LIBRARY sqlite3)
mark_as_advanced(HEDDLE_SQLITE_INCLUDE HEDDLE_SQLITE_LIBRARY)

add_library(heddle_sqlite INTERFACE)
if(HEDDLE_SQLITE_INCLUDE AND HEDDLE_SQLITE_LIBRARY)
	target_compile_definitions(heddle_sqlite INTERFACE HEDDLE_SQLITE)
	target_include_directories(heddle_sqlite SYSTEM INTERFACE
		${HEDDLE_SQLITE_INCLUDE})
	target_link_libraries(heddle_sqlite INTERFACE ${HEDDLE_SQLITE_LIBRARY})
else()
	message(STATUS "no SQLite (package libsqlite3-dev): there are no sweeps")
endif()
