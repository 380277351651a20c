// SPDX-License-Identifier: Apache-2.0
#include "watched.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <sstream>

namespace bench {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

std::string program(const char* name) {
    const char* const directory = std::getenv("RATECOORD_BIN_DIR");
    return std::string(directory != nullptr ? directory : RATECOORD_BENCH_BIN_DIR) + '/' + name;
}

[[noreturn]] void execute(std::vector<std::string> words) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv(words.front().c_str(), argv.data());
    ::_exit(96);
}

void end(pid_t& pid) {
    if (pid <= 0) return;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    pid = -1;
}

/// A request at the door; -1 where nobody opens.
int request(const std::string& socket, const std::string& target, const std::string& more = {}) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket.copy(address.sun_path, sizeof address.sun_path - 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto text = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n";
    if (fd >= 0 && ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
        ::send(fd, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size())) {
        return fd;
    }
    if (fd >= 0) ::close(fd);
    return -1;
}

/// All that is answered until the other end closes, or for five seconds without a word.
std::string answer(int fd) {
    std::string all;
    std::array<char, 65536> part;
    for (pollfd told{fd, POLLIN, 0}; ::poll(&told, 1, 5'000) > 0;) {
        const auto got = ::read(fd, part.data(), part.size());
        if (got <= 0) break;
        all.append(part.data(), static_cast<std::size_t>(got));
    }
    return all;
}

std::string ask(const std::string& socket, const std::string& target) {
    const int fd = request(socket, target, "Connection: close\r\n");
    if (fd < 0) return {};
    auto all = answer(fd);
    ::close(fd);
    return all;
}

}  // namespace

DaemonPlace::DaemonPlace(const Stage& stage, const std::string& name, const std::string& more)
    : directory_(stage.directory()) {
    std::ofstream(directory_ + "/roomy.toml")
        << "schema = 1\nname = \"roomy\"\ntitle = \"Roomy\"\nas_of = 2030-01-01\n"
           "source = \"nobody\"\nconfidence = \"A\"\n"
           "[limits.weight]\nkind = \"fixed\"\nquota = 2000000000\nwindow = \"24h\"\n"
           "[limits.orders]\nkind = \"rolling\"\nquota = 1000000000\nwindow = \"1s\"\n"
           "per = \"account\"\n"
           "[limits.raw]\nkind = \"rolling\"\nquota = 1000000000\nwindow = \"1s\"\n"
           "[limits.pace]\nkind = \"spacing\"\nquota = 1\nwindow = \"10m\"\n"
        << more;
    std::ofstream(config()) << "schema = 1\ndirectory = \"" << directory_
                            << "\"\n[listen]\naddress = \"unix:" << socket() << "\"\n[budgets."
                            << name << "]\nprofile = \"roomy\"\n";
}

Daemon::Daemon(const DaemonPlace& place) : socket_(place.socket()), pid_(::fork()) {
    if (pid_ < 0) give_up("coordinatord could not be started");
    if (pid_ > 0) return;
    const int log = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(log, fd);
    execute({program("coordinatord"), "--config", place.config()});
}

void Daemon::wait_until_ready() const {
    const auto until = steady_clock::now() + 20s;
    while (ask(socket_, "/healthz").find(" 200 ") == std::string::npos) {
        if (steady_clock::now() > until || ::waitpid(pid_, nullptr, WNOHANG) == pid_) {
            give_up("coordinatord does not get ready");
        }
        std::this_thread::sleep_for(10ms);
    }
}

void Daemon::kill() {
    end(pid_);
}

double Daemon::processor_seconds() const {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/stat");
    std::string word;
    std::getline(file, word, ')');
    double user = 0;
    double system = 0;
    for (int field = 3; field < 14 && file >> word; ++field) {
    }
    if (!(file >> user >> system)) give_up("coordinatord has ended");
    return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double Daemon::memory_mb(const std::string& field) const {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(file, line);) {
        if (line.rfind(field + ':', 0) == 0) return std::stod(line.substr(field.size() + 1)) / 1024;
    }
    give_up("coordinatord has ended");
}

Audience::Audience(const DaemonPlace& place) : socket_(place.socket()) {
    start_top();
    thread_ = std::thread([this] { watch(); });
}

Audience::~Audience() {
    ends_ = true;
    thread_.join();
    end(top_);
    ::close(terminal_);
}

void Audience::start_top() {
    winsize size{24, 80, 0, 0};
    top_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
    if (top_ < 0) give_up("no terminal for ratectl top");
    if (top_ > 0) return;
    ::setenv("TERM", "xterm", 1);
    execute({program("ratectl"), "top", "--interval", "100ms"});
}

void Audience::watch() {
    std::array<pollfd, 4> told{};
    told[0] = {terminal_, POLLIN, 0};
    for (std::size_t i = 1; i < told.size(); ++i) {
        told[i] = {request(socket_, "/events"), POLLIN, 0};
    }
    std::array<char, 65536> part;
    auto scrape = steady_clock::now();
    while (!ends_) {
        if (steady_clock::now() >= scrape) {
            scrape += 1s;
            if (ask(socket_, "/metrics").find("ratecoord_") != std::string::npos) ++scrapes_;
        }
        if (::poll(told.data(), told.size(), 50) <= 0) continue;
        for (auto& one : told) {
            if (one.revents == 0) continue;
            const auto got = ::read(one.fd, part.data(), part.size());
            if (got <= 0) {
                one.events = 0;
                if (&one != told.data()) ::close(one.fd);
                one.fd = -1;  // as poll() has it: nobody
            } else {
                (&one == told.data() ? drawn_ : events_) += static_cast<std::size_t>(got);
            }
        }
    }
    for (std::size_t i = 1; i < told.size(); ++i) {
        if (told[i].fd >= 0) ::close(told[i].fd);
    }
}

}  // namespace bench
