// SPDX-License-Identifier: Apache-2.0
//
// A worker of the storm of several builds: LEDGER WORKER SEED.
#include <cstdlib>
#include <exception>

#include "fault/storm_life.hpp"
#include "support/shared_file.hpp"

int main(int argc, char** argv) {
    using namespace ratecoord::testing;
    if (argc != 4) return 2;
    try {
        SharedFile<Ledger> ledger(argv[1]);
        return live(*ledger, std::atoi(argv[2]), static_cast<unsigned>(std::atoll(argv[3])));
    } catch (const std::exception&) {
        return 3;
    }
}
