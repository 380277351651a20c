// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "support/child_process.hpp"

namespace ratecoord::testing {

namespace {

// A file without a name; what a child wrote there is read back from its beginning.
class Catcher {
  public:
    Catcher() : fd_(::memfd_create("output", MFD_CLOEXEC)) {}
    Catcher(const Catcher&) = delete;
    Catcher& operator=(const Catcher&) = delete;
    ~Catcher() { ::close(fd_); }

    void stand_for(int fd) const { ::dup2(fd_, fd); }

    std::string text() const {
        std::string text;
        std::array<char, 4096> buffer{};
        ::lseek(fd_, 0, SEEK_SET);
        for (ssize_t count = 0; (count = ::read(fd_, buffer.data(), buffer.size())) > 0;) {
            text.append(buffer.data(), static_cast<std::size_t>(count));
        }
        return text;
    }

  private:
    int fd_;
};

std::string program_path() {
    const char* directory = std::getenv("RATECOORD_BIN_DIR");
    if (directory == nullptr) throw std::runtime_error("RATECOORD_BIN_DIR is not set");
    return std::string(directory) + "/ratectl";
}

}  // namespace

Ran run_ratectl(const std::vector<std::string>& arguments, RunAs as) {
    const auto program = program_path();
    std::vector<std::string> words{"ratectl"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);

    const Catcher results;
    const Catcher narration;
    ChildProcess child([&] {
        constexpr unsigned hangs_after_seconds = 30;
        results.stand_for(STDOUT_FILENO);
        narration.stand_for(STDERR_FILENO);
        const int nothing = ::open("/dev/null", O_RDONLY);
        ::dup2(nothing, STDIN_FILENO);
        ::setenv("LC_ALL", "C", 1);
        ::unsetenv("NO_COLOR");
        ::unsetenv("COLUMNS");
        ::alarm(hangs_after_seconds);
        // The program is opened first: the other user may not be able to reach it.
        const int opened = ::open(program.c_str(), O_RDONLY | O_CLOEXEC);
        if (as.uid != 0 && (::setgid(as.uid) != 0 || ::setuid(as.uid) != 0)) return 97;
        ::fexecve(opened, pointers.data(), environ);
        return 96;
    });
    Ran ran;
    ran.exit = child.wait();
    ran.results = results.text();
    ran.narration = narration.text();
    return ran;
}

ProfileDirectory::ProfileDirectory(const std::string& path) {
    ::setenv("RATECOORD_PROFILES", path.c_str(), 1);
}

ProfileDirectory::~ProfileDirectory() {
    ::unsetenv("RATECOORD_PROFILES");
}

std::vector<std::string> split_command(const std::string& line) {
    std::vector<std::string> words;
    std::string word;
    bool in_word = false;
    bool quoted = false;
    for (const char c : line) {
        if (c == '\'') {
            quoted = !quoted;
            in_word = true;
        } else if (c == ' ' && !quoted) {
            if (in_word) words.push_back(word);
            word.clear();
            in_word = false;
        } else {
            word += c;
            in_word = true;
        }
    }
    if (in_word) words.push_back(word);
    return words;
}

std::string file_text(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw std::runtime_error("cannot read " + path);
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace ratecoord::testing
