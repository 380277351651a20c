// SPDX-License-Identifier: Apache-2.0
#include "redis_peer.hpp"

#include <hiredis/hiredis.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>
#include <vector>

#include "stage.hpp"

extern char** environ;

namespace bench {
namespace {

using namespace std::chrono_literals;

// Two commands, the fewest that do it. Times in microseconds: Redis knows no finer ones.
constexpr const char* source = R"(
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local full_at = redis.call('MGET', KEYS[1], KEYS[2], KEYS[3])
for i = 1, 3 do
    full_at[i] = math.max(tonumber(full_at[i] or 0), now) + tonumber(ARGV[1])
    if full_at[i] - now > 1000000 then return 0 end
end
redis.call('MSET', KEYS[1], full_at[1], KEYS[2], full_at[2], KEYS[3], full_at[3])
return 1
)";

pid_t start_server(const std::string& directory, const std::string& socket) {
    std::string words[] = {"redis-server",
                           "--port",
                           "0",
                           "--unixsocket",
                           socket,
                           "--save",
                           "",
                           "--dir",
                           directory,
                           "--daemonize",
                           "no",
                           "--logfile",
                           directory + "/redis.log"};
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t pid = 0;
    if (::posix_spawnp(&pid, "redis-server", nullptr, nullptr, argv.data(), environ) != 0) {
        give_up("redis-server could not be started; ./dev bench-peers installs it");
    }
    return pid;
}

}  // namespace

RedisPeer::RedisPeer(const std::string& directory) {
    const auto socket = directory + "/redis.sock";
    server_ = start_server(directory, socket);
    connect(socket);
    load_script();
}

RedisPeer::~RedisPeer() {
    if (connection_ != nullptr) ::redisFree(connection_);
    if (server_ <= 0) return;
    ::kill(server_, SIGTERM);
    ::waitpid(server_, nullptr, 0);
}

void RedisPeer::connect(const std::string& socket) {
    for (int tries = 0; tries < 500; ++tries) {
        connection_ = ::redisConnectUnix(socket.c_str());
        if (connection_ != nullptr && connection_->err == 0) return;
        if (connection_ != nullptr) ::redisFree(connection_);
        connection_ = nullptr;
        std::this_thread::sleep_for(10ms);
    }
    ::kill(server_, SIGTERM);
    ::waitpid(server_, nullptr, 0);
    give_up("redis-server does not answer");
}

void RedisPeer::load_script() {
    auto* reply = static_cast<redisReply*>(::redisCommand(connection_, "SCRIPT LOAD %s", source));
    if (reply != nullptr && reply->type == REDIS_REPLY_STRING) script_ = reply->str;
    ::freeReplyObject(reply);
}

bool RedisPeer::try_acquire() {
    auto* reply = static_cast<redisReply*>(::redisCommand(
        connection_, "EVALSHA %s 3 bench:weight bench:orders bench:raw 0", script_.c_str()));
    const bool granted =
        reply != nullptr && reply->type == REDIS_REPLY_INTEGER && reply->integer == 1;
    ::freeReplyObject(reply);
    return granted;
}

}  // namespace bench
