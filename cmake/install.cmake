# SPDX-License-Identifier: Apache-2.0
# The library for find_package and pkg-config; ratectl where it is built.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/ratecoord")
install(
    TARGETS ratecoord
    EXPORT ratecoord_targets
    ARCHIVE LIBRARY RUNTIME
    FILE_SET HEADERS)
if(TARGET ratecoord_curl)
    # Of its own, so that who does not ask for it needs no libcurl.
    install(
        TARGETS ratecoord_curl
        EXPORT ratecoord_curl_targets
        ARCHIVE LIBRARY RUNTIME
        FILE_SET HEADERS)
    install(EXPORT ratecoord_curl_targets NAMESPACE ratecoord:: DESTINATION "${package_dir}")
endif()
install(EXPORT ratecoord_targets NAMESPACE ratecoord:: DESTINATION "${package_dir}")

configure_package_config_file(
    "${PROJECT_SOURCE_DIR}/packaging/ratecoord-config.cmake.in"
    "${PROJECT_BINARY_DIR}/ratecoord-config.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(
    "${PROJECT_BINARY_DIR}/ratecoord-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/ratecoord-config.cmake"
              "${PROJECT_BINARY_DIR}/ratecoord-config-version.cmake" DESTINATION "${package_dir}")

# The prefix in ratecoord.pc follows the file, so that a moved tree still works.
file(RELATIVE_PATH pc_to_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
configure_file("${PROJECT_SOURCE_DIR}/packaging/ratecoord.pc.in"
               "${PROJECT_BINARY_DIR}/ratecoord.pc" @ONLY)
if(TARGET ratecoord_curl)
    configure_file("${PROJECT_SOURCE_DIR}/packaging/ratecoord-curl.pc.in"
                   "${PROJECT_BINARY_DIR}/ratecoord-curl.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/ratecoord-curl.pc"
            DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endif()
install(FILES "${PROJECT_BINARY_DIR}/ratecoord.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
if(TARGET ratectl)
    install(TARGETS ratectl)

    # `./dev install` sees to asciidoctor; without it there is no manual page.
    find_program(RATECOORD_ASCIIDOCTOR asciidoctor)
    mark_as_advanced(RATECOORD_ASCIIDOCTOR)
    if(RATECOORD_ASCIIDOCTOR)
        set(pages ratectl.1 ratecoord.3 ratecoord-profile.5)
        set(rendered_pages)
        foreach(page IN LISTS pages)
            set(source "${PROJECT_SOURCE_DIR}/docs/man/${page}.adoc")
            set(rendered "${PROJECT_BINARY_DIR}/man/${page}")
            add_custom_command(
                OUTPUT "${rendered}"
                COMMAND "${RATECOORD_ASCIIDOCTOR}" -b manpage -o "${rendered}" "${source}"
                DEPENDS "${source}"
                VERBATIM)
            list(APPEND rendered_pages "${rendered}")
            string(REGEX MATCH "[0-9]$" section "${page}")
            install(FILES "${rendered}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man${section}")
        endforeach()
        add_custom_target(man ALL DEPENDS ${rendered_pages})
    endif()

    # ratectl prints its own completion scripts; each shell looks for them in a place of its own.
    set(completions "${PROJECT_BINARY_DIR}/completions")
    add_custom_command(
        OUTPUT "${completions}/ratectl" "${completions}/_ratectl" "${completions}/ratectl.fish"
        COMMAND "${CMAKE_COMMAND}" -E make_directory "${completions}"
        COMMAND ratectl completion bash > "${completions}/ratectl"
        COMMAND ratectl completion zsh > "${completions}/_ratectl"
        COMMAND ratectl completion fish > "${completions}/ratectl.fish"
        DEPENDS ratectl
        VERBATIM)
    add_custom_target(completions ALL DEPENDS "${completions}/ratectl")
    install(FILES "${completions}/ratectl"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
    install(FILES "${completions}/_ratectl"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
    install(FILES "${completions}/ratectl.fish"
            DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()
# What venues enforce; the library looks for it where it was installed.
install(
    DIRECTORY "${PROJECT_SOURCE_DIR}/profiles/"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/ratecoord/profiles"
    FILES_MATCHING PATTERN "*.toml")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
