#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Installs the build into an empty prefix and builds the same small program on it twice: by
# find_package and by pkg-config. Nothing of the checkout but project/ is seen by the consumer.
#
# usage: consumer_test.sh BUILD_DIRECTORY PROJECT_DIRECTORY CXX [CMAKE_ARGUMENT...]
set -eu
build=$1
project=$2
cxx=$3
shift 3

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
RATECOORD_DIR=$scratch/segments
export RATECOORD_DIR
mkdir "$RATECOORD_DIR"

cp -R "$project" "$scratch/project"
cmake --install "$build" --prefix "$prefix" >"$scratch/install.log"

echo 'by find_package:'
cmake -S "$scratch/project" -B "$scratch/build" -G Ninja \
    -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$prefix" "$@"
cmake --build "$scratch/build"
"$scratch/build/consumer"
if [ -e "$prefix/include/ratecoord/curl.hpp" ]; then
    "$scratch/build/curl_consumer"
fi

echo 'by pkg-config:'
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name ratecoord.pc)")
export PKG_CONFIG_PATH
pkg-config --exists --print-errors 'ratecoord >= 0.1'
# shellcheck disable=SC2046 # a list of flags
"$cxx" -std=c++20 -o "$scratch/consumer" "$scratch/project/main.cpp" \
    $(pkg-config --cflags --libs ratecoord)
LD_LIBRARY_PATH=$(pkg-config --variable=libdir ratecoord) "$scratch/consumer"
if [ -e "$prefix/include/ratecoord/curl.hpp" ]; then
    # shellcheck disable=SC2046 # a list of flags
    "$cxx" -std=c++20 -o "$scratch/curl_consumer" "$scratch/project/curl_main.cpp" \
        $(pkg-config --cflags --libs ratecoord-curl)
    LD_LIBRARY_PATH=$(pkg-config --variable=libdir ratecoord) "$scratch/curl_consumer"
fi
