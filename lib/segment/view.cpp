// SPDX-License-Identifier: Apache-2.0
#include "segment/view.hpp"

#include <cstdio>
#include <cstring>

#include "segment/words.hpp"

namespace ratecoord::segment {
namespace {

template <std::size_t Size>
std::string text_of(const std::array<char, Size>& from) {
    return {from.data(), ::strnlen(from.data(), Size)};
}

std::uint64_t relaxed(const std::uint64_t* word) noexcept {
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

}  // namespace

View::View(const Mapping& mapping) noexcept
    : mapping_(&mapping),
      published_(mapping.base(), mapping.geometry),
      slots_(mapping.base(), mapping.geometry, mapping.file.get()) {}

std::string View::id() const {
    std::array<char, 33> text{};
    std::snprintf(text.data(), text.size(), "%016llx%016llx",
                  static_cast<unsigned long long>(header().segment_id[0]),
                  static_cast<unsigned long long>(header().segment_id[1]));
    return text.data();
}

Result<void> View::snapshot(StateCopy& into) const {
    if (published_.snapshot(into) == ReadEnd::good) return {};
    return fail(ErrorCode::segment_corrupt,
                path() + " holds a state that fails its checks; no permit can be given",
                "'ratectl destroy NAME --unusable', then create it anew; saved stops are kept");
}

Result<Definitions> View::definitions(StateCopy& snapshot) const {
    std::vector<core::LimitRecord> records(std::size_t{2} * capacity().limits);
    for (int attempt = 0; attempt < 16; ++attempt) {
        const auto& head = *snapshot.state().head;
        if (read_definitions(base(), geometry(), head, records)) {
            const auto middle = records.begin() + capacity().limits;
            return Definitions{{records.begin(), records.begin() + head.limits_in_use},
                               {middle, middle + head.limits_in_use}};
        }
        // The copy may have been written anew since the snapshot: look at a later one.
        const auto version = head.definitions_version;
        if (auto done = this->snapshot(snapshot); !done) return tl::unexpected(done.error());
        if (snapshot.state().head->definitions_version == version) break;
    }
    return fail(ErrorCode::segment_corrupt, path() + " holds definitions that fail their checks",
                "'ratectl destroy NAME --unusable', then create it anew; saved stops are kept");
}

ClientInfo View::client(std::uint16_t slot) const {
    const auto record = slots_.record(slot);
    ClientInfo info;
    info.slot = {slot, record.generation};
    info.label = text_of(record.label);
    info.pid = record.pid;
    info.pid_namespace = record.pid_namespace;
    info.uid = record.uid;
    info.attached_at = record.attached_at;
    info.alive = record.in_use != 0 && !slots_.is_dead(slot);
    info.counters = record.counters;
    for (std::uint16_t limit = 0; limit < capacity().limits; ++limit) {
        info.limits.push_back(limit_counts(slot, limit));
    }
    return info;
}

std::vector<ClientInfo> View::clients() const {
    std::vector<ClientInfo> found;
    for (std::uint16_t slot = 0; slot < geometry().holders(); ++slot) {
        if (slots_.record(slot).in_use != 0) found.push_back(client(slot));
    }
    return found;
}

std::array<std::uint64_t, client_counters> View::client_totals() const noexcept {
    std::array<std::uint64_t, client_counters> totals{};
    for (std::uint32_t slot = 0; slot < geometry().slots; ++slot) {
        const auto counters = slots_.record(static_cast<std::uint16_t>(slot)).counters;
        for (std::size_t which = 0; which < totals.size(); ++which)
            totals[which] += counters[which];
    }
    return totals;
}

LimitCounts View::limit_counts(std::uint32_t slot, std::uint16_t limit) const noexcept {
    const auto row = (std::uint64_t{slot} * capacity().limits + limit) * limit_counters;
    LimitCounts counts{};
    for (std::size_t which = 0; which < counts.size(); ++which) {
        counts[which] = relaxed(word_at(base(), geometry().limit_counters + (row + which) * 8));
    }
    return counts;
}

LimitCounts View::limit_totals(std::uint16_t limit) const noexcept {
    LimitCounts totals{};
    if (limit >= capacity().limits) return totals;
    for (std::uint32_t slot = 0; slot < geometry().slots; ++slot) {
        const auto counts = limit_counts(slot, limit);
        for (std::size_t which = 0; which < totals.size(); ++which) totals[which] += counts[which];
    }
    return totals;
}

std::uint64_t View::counter(BudgetCounter which) const noexcept {
    return relaxed(
        word_at(base(), geometry().budget_counters + static_cast<std::uint64_t>(which) * 8));
}

KeyInfo View::key_name(std::uint16_t key) const {
    if (key >= capacity().keys) return {};
    const auto record =
        load_record<KeyName>(base() + geometry().key_names + std::uint64_t{key} * sizeof(KeyName));
    if (record.in_use == 0) return {};
    return {text_of(record.dimension), text_of(record.name), record.generation};
}

std::vector<JournalEntry> View::journal(std::size_t count) const {
    return Journal(base(), geometry()).recent(count);
}

std::uint64_t View::journal_next() const noexcept {
    return Journal(base(), geometry()).next();
}

bool View::is_linked() const noexcept {
    struct stat status {};
    return ::stat(mapping_->path.c_str(), &status) == 0 && status.st_dev == mapping_->device &&
           status.st_ino == mapping_->inode;
}

Result<Observer> Observer::open(const Place& place) {
    auto mapping = map_file(place, Access::read_only);
    if (!mapping) return tl::unexpected(mapping.error());
    return Observer(std::make_unique<Mapping>(std::move(*mapping)));
}

}  // namespace ratecoord::segment
