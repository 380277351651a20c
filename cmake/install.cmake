# SPDX-License-Identifier: Apache-2.0
# The library for find_package and pkg-config; ratectl and coordinatord where they are built.
#
# What stands below is of the component named last: one package each (packages.cmake).
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)

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
    set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tools)
    install(TARGETS ratectl)

    # `./dev install` sees to asciidoctor; without it there is no manual page.
    find_program(RATECOORD_ASCIIDOCTOR asciidoctor)
    mark_as_advanced(RATECOORD_ASCIIDOCTOR)
    if(RATECOORD_ASCIIDOCTOR)
        set(pages ratectl.1 ratecoord.3 ratecoord-profile.5 coordinatord.toml.5 coordinatord.8)
        set(rendered_pages)
        foreach(page IN LISTS pages)
            set(source "${PROJECT_SOURCE_DIR}/docs/man/${page}.adoc")
            set(rendered "${PROJECT_BINARY_DIR}/man/${page}")
            add_custom_command(
                OUTPUT "${rendered}"
                COMMAND "${RATECOORD_ASCIIDOCTOR}" -b manpage -o "${rendered}" "${source}"
                COMMAND gzip -9nkf "${rendered}"
                DEPENDS "${source}"
                VERBATIM)
            list(APPEND rendered_pages "${rendered}")
            string(REGEX MATCH "[0-9]$" section "${page}")
            set(component tools)
            if(page MATCHES "^coordinatord")
                set(component daemon)
            elseif(section EQUAL 3)
                set(component dev)
            endif()
            if(RATECOORD_PACKAGES) # Debian wants them packed
                set(rendered "${rendered}.gz")
            endif()
            install(
                FILES "${rendered}"
                DESTINATION "${CMAKE_INSTALL_MANDIR}/man${section}"
                COMPONENT ${component})
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
if(TARGET coordinatord)
    set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME daemon)
    install(TARGETS coordinatord DESTINATION "${CMAKE_INSTALL_SBINDIR}")
    if(RATECOORD_PACKAGES)
        install(FILES packaging/coordinatord.toml DESTINATION /etc/ratecoord)
    else() # whoever installs by hand copies it to where it counts
        install(FILES packaging/coordinatord.toml DESTINATION "${CMAKE_INSTALL_DOCDIR}")
    endif()
    set(coordinatord_program "${CMAKE_INSTALL_FULL_SBINDIR}/coordinatord")
    configure_file(packaging/systemd/coordinatord.service.in
                   "${PROJECT_BINARY_DIR}/coordinatord.service" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/coordinatord.service" DESTINATION lib/systemd/system)
    install(FILES packaging/systemd/ratecoord.tmpfiles.conf DESTINATION lib/tmpfiles.d
            RENAME ratecoord.conf)
    install(FILES packaging/systemd/ratecoord.sysusers.conf DESTINATION lib/sysusers.d
            RENAME ratecoord.conf)
endif()

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tools)
# What venues enforce; the library looks for it where it was installed.
install(
    DIRECTORY "${PROJECT_SOURCE_DIR}/profiles/"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/ratecoord/profiles"
    FILES_MATCHING PATTERN "*.toml")
if(RATECOORD_PACKAGES)
    include(packages)
else()
    install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
endif()
