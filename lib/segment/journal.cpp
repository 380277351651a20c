// SPDX-License-Identifier: Apache-2.0
#include "segment/journal.hpp"

#include <algorithm>
#include <cstring>

#include "segment/checksum.hpp"
#include "segment/words.hpp"

namespace ratecoord::segment {
namespace {

std::uint64_t sum(const JournalRecord& record) noexcept {
    return checksum(&record, offsetof(JournalRecord, checksum));
}

template <std::size_t Size>
void fill(std::array<char, Size>& to, std::string_view from) noexcept {
    std::memcpy(to.data(), from.data(), std::min(from.size(), Size - 1));
}

template <std::size_t Size>
std::string text_of(const std::array<char, Size>& from) {
    return {from.data(), ::strnlen(from.data(), Size)};
}

}  // namespace

std::uint64_t* Journal::next_word() const noexcept {
    return word_at(base_, geometry_.control + offsetof(Control, journal_next));
}

std::byte* Journal::at(std::uint64_t sequence) const noexcept {
    return base_ + geometry_.journal + sequence % journal_entries * sizeof(JournalRecord);
}

void Journal::append(core::Instant at_boot, Event event, std::uint32_t slot, std::string_view label,
                     std::string_view text) noexcept {
    JournalRecord record{};
    record.sequence = __atomic_fetch_add(next_word(), 1, __ATOMIC_RELAXED);
    record.at = at_boot;
    record.kind = static_cast<std::uint32_t>(event);
    record.slot = slot;
    fill(record.label, label);
    fill(record.text, text);
    record.checksum = sum(record);
    store_record(at(record.sequence), record);
}

std::uint64_t Journal::next() const noexcept {
    return load_acquire(next_word());
}

std::vector<JournalEntry> Journal::recent(std::size_t count) const {
    const auto next = this->next();
    const auto wanted = std::min<std::uint64_t>({count, journal_entries, next});
    std::vector<JournalEntry> entries;
    entries.reserve(wanted);
    for (auto sequence = next - wanted; sequence != next; ++sequence) {
        const auto record = load_record<JournalRecord>(at(sequence));
        if (sequence == 0 || record.sequence != sequence || record.checksum != sum(record))
            continue;
        entries.push_back({record.sequence, record.at, static_cast<Event>(record.kind), record.slot,
                           text_of(record.label), text_of(record.text)});
    }
    return entries;
}

}  // namespace ratecoord::segment
