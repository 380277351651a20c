// SPDX-License-Identifier: Apache-2.0
//
// Catch2, whichever of its two header layouts is installed: one header (2.x) or many (3.x).
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
