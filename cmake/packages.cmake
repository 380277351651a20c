# SPDX-License-Identifier: Apache-2.0
#
# Debian packages, one for each component: libratecoord-dev, ratecoord-tools, coordinatord.
set(debian "${PROJECT_SOURCE_DIR}/packaging/debian")
string(TIMESTAMP package_date "%a, %d %b %Y %H:%M:%S +0000" UTC) # of SOURCE_DATE_EPOCH if set
find_program(RATECOORD_GZIP gzip REQUIRED)
mark_as_advanced(RATECOORD_GZIP)

set(RATECOORD_PACKAGE_REVISION "1" CACHE STRING "Debian revision of the packages")
set(packages_dev libratecoord-dev)
set(packages_tools ratecoord-tools)
set(packages_daemon coordinatord)
foreach(component dev tools daemon)
    set(package "${packages_${component}}")
    set(stage "${PROJECT_BINARY_DIR}/debian/${package}")
    configure_file("${debian}/changelog.in" "${stage}/changelog.Debian" @ONLY)
    execute_process(COMMAND "${RATECOORD_GZIP}" -9nkf "${stage}/changelog.Debian"
                    COMMAND_ERROR_IS_FATAL ANY)
    install(
        FILES "${debian}/copyright" "${stage}/changelog.Debian.gz"
        DESTINATION "share/doc/${package}"
        COMPONENT ${component})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ratecoord)
set(CPACK_PACKAGE_VENDOR ratecoord)
set(CPACK_PACKAGE_CONTACT "ratecoord maintainers <maintainers@ratecoord.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL dev tools daemon)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE "${RATECOORD_PACKAGE_REVISION}")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libratecoord-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libboost-dev, libexpected-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "libcurl4-openssl-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF) # a static library
set(CPACK_DEBIAN_DEV_DESCRIPTION
    "Processes of a host that send requests to the same venue share its rate
limits over shared memory, and stop together when it says stop.

This package holds headers, the static library, and files for CMake and
pkg-config.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME ratecoord-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_DESCRIPTION
    "Processes of a host that send requests to the same venue share its rate
limits over shared memory, and stop together when it says stop.

This package holds ratectl, which shows and steers these budgets, and
profiles of what venues enforce.")

set(CPACK_DEBIAN_DAEMON_PACKAGE_NAME coordinatord)
set(CPACK_DEBIAN_DAEMON_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_DAEMON_PACKAGE_DEPENDS "ratecoord-tools, systemd | systemd-standalone-sysusers")
set(CPACK_DEBIAN_DAEMON_DESCRIPTION
    "Creates the budgets of a host at boot, keeps their limits current, sweeps
clients that died, and shows it all on loopback. No request waits for it.

This package holds the daemon, its unit, and its configuration.")
set(CPACK_DEBIAN_DAEMON_PACKAGE_CONTROL_EXTRA
    "${debian}/postinst;${debian}/prerm;${debian}/postrm;${debian}/conffiles")
include(CPack)
