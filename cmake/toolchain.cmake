# SPDX-License-Identifier: Apache-2.0
# Defaults for a build of our own; a parent project keeps its own choices.
if(NOT PROJECT_IS_TOP_LEVEL)
    return()
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
if(NOT CMAKE_RUNTIME_OUTPUT_DIRECTORY)
    set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(RATECOORD_CCACHE ccache)
mark_as_advanced(RATECOORD_CCACHE)
if(RATECOORD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER "${RATECOORD_CCACHE}")
    set(CMAKE_CXX_COMPILER_LAUNCHER "${RATECOORD_CCACHE}")
endif()

# What is not optimised compiles in half the time. Under a sanitizer the library is, and what mostly
# computes; the other tests and the tools are not: add_compile_options(${RATECOORD_PLAIN}).
if(RATECOORD_VARIANT MATCHES "^(asan|tsan)$")
    set(RATECOORD_PLAIN -O0)
    set(RATECOORD_COMPUTING -O1)
endif()
