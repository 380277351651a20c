# SPDX-License-Identifier: Apache-2.0
# Everything that is looked for, in one place; included at the top so that all directories see it.
find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED) # in public headers
find_package(Boost 1.74 REQUIRED)  # headers only: Interprocess, Asio

# xxHash is used header-only (XXH_INLINE_ALL), so only its include directory matters.
find_path(RATECOORD_XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
mark_as_advanced(RATECOORD_XXHASH_INCLUDE_DIR)
add_library(ratecoord_xxhash INTERFACE)
target_include_directories(ratecoord_xxhash SYSTEM INTERFACE "${RATECOORD_XXHASH_INCLUDE_DIR}")

# toml++ too; Debian's CMake package would link its shared library.
find_path(RATECOORD_TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
mark_as_advanced(RATECOORD_TOMLPLUSPLUS_INCLUDE_DIR)
add_library(ratecoord_tomlplusplus INTERFACE)
target_include_directories(
    ratecoord_tomlplusplus SYSTEM INTERFACE "${RATECOORD_TOMLPLUSPLUS_INCLUDE_DIR}")

# The adapter is built where libcurl is; it needs CURLOPT_PREREQFUNCTION.
find_package(CURL 7.80)

if(RATECOORD_TOOLS OR RATECOORD_TESTS)
    find_package(fmt REQUIRED)
    find_package(nlohmann_json REQUIRED)
    find_package(CLI11 REQUIRED)
    find_package(CURL 7.80 REQUIRED)
    find_package(prometheus-cpp CONFIG REQUIRED)
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(systemd REQUIRED IMPORTED_TARGET GLOBAL libsystemd)
endif()
if(RATECOORD_TESTS)
    find_package(Catch2 REQUIRED) # 2.13 or 3
    find_package(rapidcheck REQUIRED)
endif()
if(RATECOORD_BENCH)
    find_package(benchmark REQUIRED)
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(hiredis QUIET IMPORTED_TARGET GLOBAL hiredis) # ./dev bench-peers installs it
endif()
