// SPDX-License-Identifier: Apache-2.0
//
// Attaching to any bytes at all, and using what could be attached.
//
// The first byte says how the rest is meant: a whole file; or strokes {offset:24, length:8, bytes}
// over a sound segment, on request with the checksums made to match, so that only the clamps stand
// between a forged state and the arithmetic; made before the attach or after it.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>

#include <ratecoord/budget.hpp>

#include "../support/scratch_directory.hpp"
#include "fuzz.hpp"
#include "segment/checksum.hpp"
#include "segment/segment.hpp"

using namespace ratecoord;
using namespace ratecoord::segment;
using namespace std::chrono_literals;

namespace {

constexpr std::uint8_t raw_bit = 1;
constexpr std::uint8_t header_bit = 2;
constexpr std::uint8_t state_bit = 4;
constexpr std::uint8_t later_bit = 8;
constexpr int units = 10;

LimitDefinition limit(const char* name, LimitKind kind, std::uint64_t quota) {
    LimitDefinition definition;
    definition.name = name;
    definition.kind = kind;
    definition.quota = quota;
    definition.window = 365 * 24h;
    return definition;
}

/// A limit of its own kind each; of `scarce` there are `units` and, in practice, never more.
std::vector<LimitDefinition> definitions() {
    auto scarce = limit("scarce", LimitKind::bucket, units + 1);
    scarce.burst = units + 1;
    scarce.slack = 1h;
    auto keyed = limit("keyed", LimitKind::fixed, 1'000'000);
    keyed.window = 1min;
    keyed.per = "account";
    return {scarce, limit("weight", LimitKind::rolling, 1'000'000'000), keyed};
}

struct Stage {
    testing::ScratchDirectory directory;
    Place place = directory.place();
    std::string sound;
    Geometry geometry;

    Stage() {
        const OpenOptions options{
            .clients = 2, .reservations = 8, .limits = 4, .keys = 2, .full = true};
        auto budget = Budget::open("budget", definitions(), options);
        fuzz::require(budget.has_value(), "a sound segment can be made");
        geometry = map_file(place, Access::read_only).value().geometry;
        Reservation reservation;
        const auto cost = budget->cost({{"weight", 1}, {"keyed", 1, "main"}});
        fuzz::require(cost.has_value() && budget->try_acquire(*cost).has_value(), "and used");
        *budget = Budget::attach("budget").value();  // the first client is gone
        std::ifstream in(place.path(), std::ios::binary);
        sound = {std::istreambuf_iterator<char>(in), {}};
    }
};

Stage& stage() {
    static Stage stage;
    return stage;
}

void put(std::string_view bytes, int flags) {
    const auto path = stage().place.path();
    ::unlink(path.c_str());
    const int fd = ::open(path.c_str(), flags, 0600);
    fuzz::require(::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
                  "the file could be written");
    ::close(fd);
}

/// Takes one stroke off `text`; false where none is left.
bool take_stroke(std::string_view& text, std::size_t& at, std::string_view& bytes) {
    if (text.size() < 4) return false;
    const auto digit = [&](std::size_t i) {
        return static_cast<std::size_t>(static_cast<unsigned char>(text[i]));
    };
    const auto size = stage().sound.size();
    at = (digit(0) | digit(1) << 8 | digit(2) << 16) % size;
    bytes = text.substr(4, std::min(digit(3), size - at));
    text.remove_prefix(4 + bytes.size());
    return true;
}

/// Makes the checksum of the published state fit it, if root means a buffer at all.
void reseal_state(std::string& file) {
    const auto& g = stage().geometry;
    std::uint64_t root = 0;
    std::memcpy(&root, file.data() + g.control + offsetof(Control, root), sizeof root);
    if (Root::buffer(root) >= g.buffers) return;
    auto* const head = file.data() + g.buffer(Root::buffer(root));
    StateCopy copy(g.capacity);
    std::memcpy(copy.state().head, head + sizeof(BufferHead), g.state.bytes);
    if (!copy.counts_fit()) return;
    const auto version = Root::version(root);
    const BufferHead sealed{.checksum = checksum(copy.state(), version), .version = version};
    std::memcpy(head, &sealed, sizeof sealed);
}

std::string file_of(std::string_view strokes, std::uint8_t mode) {
    std::string file = stage().sound;
    std::size_t at = 0;
    std::string_view bytes;
    while (take_stroke(strokes, at, bytes)) std::copy(bytes.begin(), bytes.end(), &file[at]);
    if ((mode & header_bit) != 0) {
        segment::Header header{};
        std::memcpy(&header, file.data(), sizeof header);
        seal(header);
        std::memcpy(file.data(), &header, sizeof header);
    }
    if ((mode & state_bit) != 0) reseal_state(file);
    return file;
}

void scribble(std::string_view strokes) {
    const int fd = ::open(stage().place.path().c_str(), O_RDWR);
    std::size_t at = 0;
    std::string_view bytes;
    while (take_stroke(strokes, at, bytes)) {
        const auto wrote = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
        fuzz::require(wrote == static_cast<ssize_t>(bytes.size()),
                      "the file could be scribbled on");
    }
    ::close(fd);
}

void look() {
    static_cast<void>(read_snapshot("budget"));
    const auto observer = Observer::open(stage().place);
    if (!observer) return;
    const auto& view = observer->view();
    auto copy = view.make_copy();
    if (view.snapshot(copy)) static_cast<void>(view.definitions(copy));
    for (const auto& client : view.clients()) static_cast<void>(client.label.size());
    static_cast<void>(view.client_totals());
    static_cast<void>(view.journal(journal_entries));
    static_cast<void>(view.key_name(1));
}

/// Units of `scarce` that were given.
int use(Budget& budget) {
    int given = 0;
    const auto scarce = budget.cost({{"scarce", 1}});
    for (int i = 0; scarce && i < units + 2; ++i) {
        const auto decision = budget.try_acquire(*scarce);
        if (!decision) break;
        given += *decision ? 1 : 0;
    }
    const auto keyed = budget.cost({{"weight", 3}, {"keyed", 1, "main"}});
    if (keyed) {
        static_cast<void>(budget.try_acquire(*keyed));
        static_cast<void>(budget.acquire(*keyed, 100us));
        Reservation reservation;
        static_cast<void>(budget.reserve(*keyed, BootClock::now() + 1h, reservation));
        static_cast<void>(budget.confirm(reservation));
        static_cast<void>(budget.cancel(reservation));
    }
    static_cast<void>(budget.observe_remaining({"weight"}, 1000));
    static_cast<void>(budget.observe_used({"keyed", 1, "main"}, 7, BootClock::now()));
    static_cast<void>(budget.pause(PauseKind::cooldown, BootClock::now() + 1ms));
    static_cast<void>(budget.snapshot());
    static_cast<void>(budget.sweep());
    static_cast<void>(budget.set(definitions(), true));
    static_cast<void>(budget.set(std::vector{limit("weight", LimitKind::rolling, 1'000'000)}));
    static_cast<void>(budget.halt("x"));
    static_cast<void>(budget.unhalt("x"));
    static_cast<void>(budget.reset(true));
    return given;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const auto mode = data[0];
    const auto rest = fuzz::text_of(data + 1, size - 1);
    const bool is_raw = (mode & raw_bit) != 0;
    const bool is_later = !is_raw && (mode & later_bit) != 0;
    const auto file =
        is_raw ? std::string(rest) : file_of(is_later ? std::string_view{} : rest, mode);
    put(file, O_CREAT | O_EXCL | O_WRONLY);
    if (auto budget = Budget::attach("budget")) {
        if (is_later) scribble(rest);
        const int given = use(*budget);
        // A forged state may say anything; one that was only damaged gives nothing beyond the rule.
        const bool is_forged = (mode & state_bit) != 0 || is_later || is_raw;
        fuzz::require(is_forged || given <= units, "no unit comes out of a damaged segment");
    }
    look();
    return 0;
}
