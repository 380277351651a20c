// SPDX-License-Identifier: Apache-2.0
#include <ratecoord/order_ledger.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

#include "retry/chance.hpp"
#include "retry/ledger_line.hpp"

namespace ratecoord {
namespace {

constexpr std::array states{OrderState::placed,   OrderState::rejected,   OrderState::auth,
                            OrderState::limited,  OrderState::banned,     OrderState::busy,
                            OrderState::not_sent, OrderState::not_placed, OrderState::unknown,
                            OrderState::refused};

std::optional<OrderState> state_named(std::string_view name) noexcept {
    for (const OrderState state : states) {
        if (name == name_of(state)) return state;
    }
    return std::nullopt;
}

/// Nothing reached the venue: the id is as good as new.
bool is_free(const OrderLedger::Entry& entry) noexcept {
    return entry.is_settled &&
           (entry.state == OrderState::not_sent || entry.state == OrderState::refused);
}

Error error_of(const std::string& path, const char* what, int number) {
    const auto code = number == EACCES || number == EPERM    ? ErrorCode::permission_denied
                      : number == ENOSPC || number == EDQUOT ? ErrorCode::out_of_space
                                                             : ErrorCode::system;
    return {code,
            number,
            std::string("cannot ") + what + " the order ledger '" + path +
                "': " + std::strerror(number),
            {}};
}

}  // namespace

struct OrderLedger::Book {
    struct Line {
        Entry entry;
        std::uint64_t mark = 0;
    };

    std::string path;
    bool sync = false;
    int file = -1;
    std::atomic<bool> owes_halt{false};
    mutable std::mutex mutex;
    std::unordered_map<std::string, Line> lines;  // guarded by mutex, as what follows
    off_t read_to = 0;

    Book() = default;
    Book(const Book&) = delete;
    Book& operator=(const Book&) = delete;
    ~Book() {
        if (file >= 0) ::close(file);
    }

    /// L2: of several begins the first counts, whoever wrote it.
    bool apply(const retry::LedgerLine& line) {
        Line& known = lines[line.client_id];
        const bool is_new = known.mark == 0;
        if (line.is_begin) {
            if (!is_new && !is_free(known.entry)) return true;
            known.mark = line.mark;
            known.entry = {line.client_id, line.word, line.utc_ns, OrderState::unknown, false};
            return true;
        }
        const auto state = state_named(line.word);
        if (is_new || !state) return false;
        known.entry.state = *state;
        known.entry.is_settled = true;
        return true;
    }

    /// Whole lines from read_to on. False at one that cannot be read.
    Result<bool> read_on() {
        std::string text;
        std::array<char, 65536> part;
        off_t at = read_to;
        for (;;) {
            const ssize_t got = ::pread(file, part.data(), part.size(), at);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return tl::unexpected(error_of(path, "read", errno));
            if (got == 0) return true;
            text.append(part.data(), static_cast<std::size_t>(got));
            at += got;
            std::size_t begin = 0;
            for (auto end = text.find('\n'); end != std::string::npos;
                 end = text.find('\n', begin)) {
                const auto line =
                    retry::parse_ledger_line(std::string_view(text).substr(begin, end - begin));
                if (!line || !apply(*line)) return false;
                read_to += static_cast<off_t>(end + 1 - begin);
                begin = end + 1;
            }
            text.erase(0, begin);
        }
    }

    /// One write, so that lines of several processes never mix.
    Result<void> append(const retry::LedgerLine& line) {
        const std::string text = retry::to_text(line);
        ssize_t written = 0;
        do {
            written = ::write(file, text.data(), text.size());
        } while (written < 0 && errno == EINTR);
        if (written != static_cast<ssize_t>(text.size())) {
            const int number = written < 0 ? errno : ENOSPC;
            if (written > 0) undo(written);
            return tl::unexpected(error_of(path, "write to", number));
        }
        if (sync && ::fdatasync(file) != 0) return tl::unexpected(error_of(path, "sync", errno));
        auto read = read_on();
        if (!read) return tl::unexpected(read.error());
        if (!*read) return damaged();
        return {};
    }

    /// Takes the part of a line back that a full disk let through, if nobody wrote behind it.
    void undo(ssize_t written) const noexcept {
        struct stat now {};
        const off_t end = ::lseek(file, 0, SEEK_CUR);
        if (::fstat(file, &now) != 0 || now.st_size != end) return;
        static_cast<void>(::ftruncate(file, end - written));
    }

    tl::unexpected<Error> damaged() const {
        return fail(ErrorCode::segment_corrupt,
                    "the order ledger '" + path + "' has an unreadable line at byte " +
                        std::to_string(read_to),
                    "reconcile the orders of this account, then start with another file");
    }

    Result<void> attach(const std::string& wanted, bool synced) {
        path = wanted;
        sync = synced;
        file = ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file < 0) return tl::unexpected(error_of(path, "open", errno));
        struct stat status {};
        if (::fstat(file, &status) != 0) return tl::unexpected(error_of(path, "look at", errno));
        if (!S_ISREG(status.st_mode)) {
            return fail(ErrorCode::invalid_argument, "'" + path + "' is no regular file");
        }
        auto read = read_on();
        if (!read) return tl::unexpected(read.error());
        if (!*read) return damaged();
        // L3: what a crash cut off was never begun.
        if (read_to < status.st_size && ::ftruncate(file, read_to) != 0) {
            return tl::unexpected(error_of(path, "mend", errno));
        }
        return {};
    }

    template <class Wanted>
    std::vector<Entry> select(Wanted&& wanted) const {
        std::vector<Entry> entries;
        const std::scoped_lock held(mutex);
        for (const auto& [id, line] : lines) {
            if (wanted(line.entry)) entries.push_back(line.entry);
        }
        std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
            return std::tie(a.begun_utc_ns, a.client_id) < std::tie(b.begun_utc_ns, b.client_id);
        });
        return entries;
    }
};

OrderLedger::OrderLedger(std::unique_ptr<Book> book) noexcept : book_(std::move(book)) {}
OrderLedger::OrderLedger(OrderLedger&&) noexcept = default;
OrderLedger& OrderLedger::operator=(OrderLedger&&) noexcept = default;
OrderLedger::~OrderLedger() = default;

OrderLedger OrderLedger::in_memory() {
    return OrderLedger(std::make_unique<Book>());
}

Result<OrderLedger> OrderLedger::open(const std::string& path, Options options) {
    auto book = std::make_unique<Book>();
    if (auto attached = book->attach(path, options.sync); !attached) {
        return tl::unexpected(attached.error());
    }
    return OrderLedger(std::move(book));
}

Result<bool> OrderLedger::begin(std::string_view client_id, std::string_view symbol,
                                std::int64_t utc_ns) {
    retry::LedgerLine line{true, utc_ns, 0, std::string(client_id), std::string(symbol)};
    if (!retry::fill_random(std::as_writable_bytes(std::span(&line.mark, 1)))) {
        return fail(ErrorCode::system, "no random bytes for the order ledger", {}, errno);
    }
    line.mark |= 1;  // 0 marks a line that is not there
    const std::scoped_lock held(book_->mutex);
    const auto known = book_->lines.find(line.client_id);
    if (known != book_->lines.end() && !is_free(known->second.entry)) return false;
    if (book_->file < 0) {
        book_->apply(line);
    } else if (auto written = book_->append(line); !written) {
        return tl::unexpected(written.error());
    }
    return book_->lines[line.client_id].mark == line.mark;
}

Result<void> OrderLedger::end(std::string_view client_id, OrderState state) {
    const retry::LedgerLine line{false, 0, 0, std::string(client_id), name_of(state)};
    const std::scoped_lock held(book_->mutex);
    if (!book_->lines.contains(line.client_id)) {
        return fail(ErrorCode::invalid_argument,
                    "the order " + line.client_id + " was never begun");
    }
    if (book_->file >= 0) return book_->append(line);
    book_->apply(line);
    return {};
}

std::vector<OrderLedger::Entry> OrderLedger::unsettled() const {
    return book_->select([](const Entry& entry) { return !entry.is_settled; });
}

std::vector<OrderLedger::Entry> OrderLedger::unknown() const {
    return book_->select(
        [](const Entry& entry) { return entry.is_settled && entry.state == OrderState::unknown; });
}

std::size_t OrderLedger::size() const {
    const std::scoped_lock held(book_->mutex);
    return book_->lines.size();
}

bool OrderLedger::owes_halt() const noexcept {
    return book_->owes_halt.load(std::memory_order_relaxed);
}

void OrderLedger::owe_halt(bool owes) noexcept {
    book_->owes_halt.store(owes, std::memory_order_relaxed);
}

const char* name_of(OrderState state) noexcept {
    switch (state) {
        case OrderState::placed:
            return "placed";
        case OrderState::rejected:
            return "rejected";
        case OrderState::auth:
            return "auth";
        case OrderState::limited:
            return "limited";
        case OrderState::banned:
            return "banned";
        case OrderState::busy:
            return "busy";
        case OrderState::not_sent:
            return "not_sent";
        case OrderState::not_placed:
            return "not_placed";
        case OrderState::unknown:
            return "unknown";
        case OrderState::refused:
            return "refused";
    }
    return "unknown";
}

}  // namespace ratecoord
