# SPDX-License-Identifier: Apache-2.0
#
# ratecoord_add_layer(<name> [SOURCES <file>...] [LINKS <layer>...] [USES <private dependency>...])
#
# One layer of the library as the target ratecoord_<name>. Inside the project a layer sees the
# internal headers of all (`#include "core/state.hpp"`); which of them it may include is checked by
# tests/tidy. Its objects end up in the one library that is installed.
function(ratecoord_add_layer name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS;USES")
    set(target "ratecoord_${name}")
    if(arg_SOURCES)
        set(scope PUBLIC)
        add_library(${target} STATIC ${arg_SOURCES})
        target_link_libraries(${target} PRIVATE ratecoord_warnings ${arg_USES})
        set_target_properties(
            ${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
        set_property(GLOBAL APPEND PROPERTY RATECOORD_OBJECTS $<TARGET_OBJECTS:${target}>)
    else()
        set(scope INTERFACE) # headers only
        add_library(${target} INTERFACE)
    endif()
    target_compile_features(${target} ${scope} cxx_std_20)
    target_include_directories(
        ${target} ${scope} "${PROJECT_SOURCE_DIR}/lib" "${PROJECT_SOURCE_DIR}/lib/include")
    target_link_libraries(${target} ${scope} ${arg_LINKS} tl::expected Threads::Threads)
endfunction()
