// SPDX-License-Identifier: Apache-2.0
//
// What a permit costs one process on its own.
#include <string_view>

#include "fast_path.hpp"

int main(int argc, char** argv) {
    return bench::run_program([&] {
        if (argc == 3 && std::string_view(argv[1]) == "--between-markers") {
            return bench::try_between_markers(argv[2]);
        }
        bench::Stage stage;
        bench::Verdicts verdicts("ratecoord_bench");
        bench::measure_calls(stage, verdicts);
        bench::count_system_calls(stage, verdicts);
        return verdicts.finish();
    });
}
