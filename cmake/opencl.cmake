# The headers of OpenCL, for the platform of the system's loader and for guests.
include(CheckIncludeFile)
set(CMAKE_REQUIRED_DEFINITIONS -DCL_TARGET_OPENCL_VERSION=300)
check_include_file(CL/cl_icd.h HEDDLE_HAVE_CL_ICD)
unset(CMAKE_REQUIRED_DEFINITIONS)
if(NOT HEDDLE_HAVE_CL_ICD)
	message(STATUS "no CL/cl_icd.h: libheddle_opencl.so is not built, and "
		"guests of `heddle system` have no OpenCL; install "
		"opencl-headers and ocl-icd-opencl-dev (scripts/setup opencl)")
endif()
