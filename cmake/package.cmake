# What others need to use an installed libheddle: a file for pkg-config and a CMake
# package. Both find the rest from where they lie themselves, so that an
# installation can be moved.
include(CMakePackageConfigHelpers)

set(package ${CMAKE_BINARY_DIR}/package)
file(RELATIVE_PATH HEDDLE_PC_PREFIX
	${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" HEDDLE_PC_PREFIX "${HEDDLE_PC_PREFIX}")
configure_file(cmake/heddle.pc.in ${package}/heddle.pc @ONLY)
install(FILES ${package}/heddle.pc
	DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(cmake_package ${CMAKE_INSTALL_LIBDIR}/cmake/Heddle)
configure_package_config_file(cmake/HeddleConfig.cmake.in
	${package}/HeddleConfig.cmake INSTALL_DESTINATION ${cmake_package}
	NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${package}/HeddleConfigVersion.cmake
	COMPATIBILITY SameMinorVersion)
install(FILES ${package}/HeddleConfig.cmake
	${package}/HeddleConfigVersion.cmake DESTINATION ${cmake_package})
install(EXPORT HeddleTargets NAMESPACE Heddle:: DESTINATION ${cmake_package})

# The documents that the help and the manual refer to.
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}
	FILES_MATCHING PATTERN "*.md" PATTERN "*.c" PATTERN "*.svg" PATTERN "*.png")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

# `make deb`: one package with the command, the libraries and what is needed to
# compile with them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_VENDOR Heddle)
set(CPACK_PACKAGE_CONTACT "The Heddle Authors <heddle@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "run GPU programs on a simulated GPU")
set(CPACK_PACKAGE_DESCRIPTION "Heddle reads CUDA kernels, PTX and whole CUDA \
programs, runs them without a GPU, and tells how long a GPU would take, and why.")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang, g++, gnuplot-nox")
# dpkg-shlibdeps finds out what the programs need. The CUDA libraries need one of
# their own folder, which is no package's.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib/cuda)
# ldconfig must see libheddle. A shlibs file would also offer our libcuda to
# others.
file(WRITE ${package}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${package}/triggers)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
