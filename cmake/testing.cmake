# SPDX-License-Identifier: Apache-2.0
#
# ratecoord_add_test(<name>
#     TIER <tier>                 label: core segment client sim process fault cli fuzz tidy ...
#     SOURCES <file>...
#     [LINKS <target>...]         Catch2 and its main are added; rapidcheck is linked on request
#     [NEEDS <target>...]         programs that the test starts; built before it
#     [LABELS <label>...]         further labels
#     [CASES <expression>...]     one CTest entry per Catch2 expression, instead of one in all
#     [NIGHTLY_CASES <expression>...]   more entries, run by `./dev nightly` only
#     [NIGHTLY_ONLY]              no other entries
#     [TIMEOUT <seconds>]         of each entry; 120 if not given, doubled under a sanitizer
#     [EXCEPT <variant>...]       not built for these of asan, tsan, coverage
#     [SERIAL]                    never beside another test
#     [OWN_MAIN])                 the sources bring their own main()
#
# One executable, and one CTest entry unless CASES says otherwise. The test finds the built programs
# in $RATECOORD_BIN_DIR and the checkout in $RATECOORD_SOURCE_DIR. `ratecoord_tests` builds all tests.

add_custom_target(ratecoord_tests)

set(RATECOORD_TIERS_WITHOUT_tsan process fault cli tidy) # ThreadSanitizer sees one process only
set(RATECOORD_TIERS_WITHOUT_asan tidy)
set(RATECOORD_TIERS_WITHOUT_coverage tidy)

function(ratecoord_add_test name)
    cmake_parse_arguments(
        PARSE_ARGV 1 arg "SERIAL;OWN_MAIN;NIGHTLY_ONLY" "TIER;TIMEOUT"
        "SOURCES;LINKS;NEEDS;LABELS;CASES;NIGHTLY_CASES;EXCEPT")
    if(NOT arg_TIER OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "ratecoord_add_test(${name}): TIER and SOURCES are needed; "
                            "not understood: '${arg_UNPARSED_ARGUMENTS}'")
    endif()
    if(RATECOORD_VARIANT)
        if(RATECOORD_VARIANT IN_LIST arg_EXCEPT
           OR arg_TIER IN_LIST RATECOORD_TIERS_WITHOUT_${RATECOORD_VARIANT})
            return()
        endif()
    endif()

    add_executable(${name} ${arg_SOURCES})
    target_compile_features(${name} PRIVATE cxx_std_20)
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    target_link_libraries(${name} PRIVATE ${arg_LINKS} ratecoord_warnings Threads::Threads)
    if(arg_OWN_MAIN)
        target_link_libraries(${name} PRIVATE Catch2::Catch2)
    else()
        target_link_libraries(${name} PRIVATE Catch2::Catch2WithMain)
    endif()
    set_target_properties(
        ${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests" CXX_EXTENSIONS OFF)
    add_dependencies(ratecoord_tests ${name})
    if(arg_NEEDS)
        add_dependencies(${name} ${arg_NEEDS})
    endif()

    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    if(RATECOORD_VARIANT)
        math(EXPR arg_TIMEOUT "2 * ${arg_TIMEOUT}")
    endif()

    set(entries)
    if(arg_CASES)
        set(number 0)
        foreach(expression IN LISTS arg_CASES)
            math(EXPR number "${number} + 1")
            add_test(NAME ${name}.${number} COMMAND ${name} "${expression}")
            list(APPEND entries ${name}.${number})
        endforeach()
    elseif(NOT arg_NIGHTLY_ONLY)
        add_test(NAME ${name} COMMAND ${name})
        list(APPEND entries ${name})
    endif()
    if(entries)
        set_tests_properties(
            ${entries} PROPERTIES LABELS "${arg_TIER};${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
    endif()

    set(number 0)
    foreach(expression IN LISTS arg_NIGHTLY_CASES)
        math(EXPR number "${number} + 1")
        set(entry ${name}.nightly.${number})
        add_test(NAME ${entry} COMMAND ${name} "${expression}" CONFIGURATIONS Nightly)
        list(APPEND entries ${entry})
        set_tests_properties(${entry} PROPERTIES LABELS "nightly;${arg_LABELS}" TIMEOUT 14400)
    endforeach()

    set_tests_properties(
        ${entries}
        PROPERTIES
            RUN_SERIAL ${arg_SERIAL}
            ENVIRONMENT
            "RATECOORD_BIN_DIR=${CMAKE_RUNTIME_OUTPUT_DIRECTORY};RATECOORD_SOURCE_DIR=${PROJECT_SOURCE_DIR}"
    )
endfunction()
