// SPDX-License-Identifier: Apache-2.0
//
// The same three buckets in a Redis server of our own: one Lua script a request, over a unix
// socket.
//
// PROMISE  The server listens in the directory given and nowhere else, writes nothing to disk, and
//          ends with this object.
#pragma once

#include <sys/types.h>

#include <string>

struct redisContext;

namespace bench {

class RedisPeer {
  public:
    explicit RedisPeer(const std::string& directory);
    ~RedisPeer();
    RedisPeer(const RedisPeer&) = delete;
    RedisPeer& operator=(const RedisPeer&) = delete;

    /// Draws one unit from each of three buckets, or from none.
    bool try_acquire();

  private:
    void connect(const std::string& socket);
    void load_script();

    pid_t server_ = 0;
    redisContext* connection_ = nullptr;
    std::string script_;  ///< its hash
};

}  // namespace bench
