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
