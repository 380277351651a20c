// SPDX-License-Identifier: Apache-2.0
//
// The bot's diary: one JSON line an event, each in one write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <ratecoord/orders.hpp>

namespace bot {

class Log {
  public:
    /// Appends to `file`, or writes to standard output where it is empty. Throws
    /// std::runtime_error.
    explicit Log(const std::string& file);
    ~Log();
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    void permit(std::string_view operation, const ratecoord::Permit& permit);
    void send(std::string_view method, std::string_view target);
    void reply(const ratecoord::Reply& reply);
    void call(std::string_view operation, const ratecoord::CallResult& result);
    void order(const ratecoord::OrderResult& result, bool is_recovered);
    void note(std::string_view text);

  private:
    void write(const std::string& line);
    int file_ = 1;
};

}  // namespace bot
