// SPDX-License-Identifier: Apache-2.0
//
// What the herd asks for: kinds of requests, what each costs, and how often it is drawn.
//
//     weight=1:50,weight=5:30,weight=2+orders=1:20      share 50, 30 and 20
//
// UNITS    Shares are whole numbers, relative to their sum; costs in units of the limits.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace herd {

struct CostPart {
    std::string limit;
    std::uint64_t units = 1;

    bool operator==(const CostPart&) const = default;
};

struct RequestKind {
    std::vector<CostPart> cost;
    std::uint64_t share = 1;
};

// Which key of a limit belongs to whom: the keys go round over the workers.
struct KeyRing {
    std::string limit;
    std::vector<std::string> keys;

    const std::string& of_worker(unsigned worker) const { return keys[worker % keys.size()]; }
};

// The ring of `limit`, or null where it is not keyed.
const KeyRing* ring_of(const std::vector<KeyRing>& rings, std::string_view limit);

// The cost as a query string, a header value or a JSON object.
std::string as_query(const std::vector<CostPart>& cost);
std::string as_header(const std::vector<CostPart>& cost);
std::string as_json(const std::vector<CostPart>& cost);

// Draws kinds by their shares. Same seed, same sequence.
class Mix {
  public:
    Mix(const std::vector<RequestKind>& kinds, std::uint64_t seed);

    std::size_t draw() { return places_(random_); }

  private:
    std::mt19937_64 random_;
    std::discrete_distribution<std::size_t> places_;
};

// The kind that worker `worker` of `workers` sticks to, so that the shares come out over all.
std::size_t kind_of_worker(const std::vector<RequestKind>& kinds, unsigned worker,
                           unsigned workers);

}  // namespace herd
