// SPDX-License-Identifier: Apache-2.0
#include "herd/merge.hpp"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

namespace herd {

namespace {

namespace fs = std::filesystem;

struct TimedLine {
    std::int64_t at_ns;
    std::string text;
};

std::string temporary_directory() {
    std::string path = (fs::temp_directory_path() / "herd-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) {
        throw std::system_error(errno, std::generic_category(), path);
    }
    return path;
}

void check_writable(const std::string& log_file) {
    std::ofstream file(log_file, std::ios::trunc);
    if (!file) throw std::system_error(errno, std::generic_category(), log_file);
}

}  // namespace

WorkerLogs::WorkerLogs(const std::string& log_file) : log_file_(log_file) {
    if (log_file_.empty()) {
        temporary_ = temporary_directory();
    } else {
        check_writable(log_file_);
    }
}

WorkerLogs::~WorkerLogs() {
    std::error_code ignored;
    if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

std::string WorkerLogs::path_of(unsigned worker) const {
    const std::string name = "worker-" + std::to_string(worker);
    return temporary_.empty() ? log_file_ + '.' + name : temporary_ + '/' + name;
}

Summary WorkerLogs::merge(unsigned workers, unsigned threads, std::int64_t started_ns) {
    Tally tally(workers, threads, started_ns);
    std::vector<TimedLine> lines;
    for (unsigned worker = 0; worker < workers; ++worker) {
        std::ifstream file(path_of(worker));
        for (std::string line; std::getline(file, line);) {
            const auto at = tally.add(line);
            if (at && !log_file_.empty()) lines.push_back({*at, std::move(line)});
        }
    }
    if (!log_file_.empty()) {
        std::stable_sort(lines.begin(), lines.end(),
                         [](const TimedLine& a, const TimedLine& b) { return a.at_ns < b.at_ns; });
        std::ofstream merged(log_file_, std::ios::trunc);
        for (const TimedLine& line : lines) merged << line.text << '\n';
        merged.close();
        if (!merged) throw std::system_error(errno, std::generic_category(), log_file_);
    }
    std::error_code ignored;
    for (unsigned worker = 0; worker < workers; ++worker) fs::remove(path_of(worker), ignored);
    return tally.finish();
}

}  // namespace herd
