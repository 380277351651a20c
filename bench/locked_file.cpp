// SPDX-License-Identifier: Apache-2.0
#include "locked_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "stage.hpp"

namespace bench {
namespace {

constexpr std::int64_t unit_ns = 1;
constexpr std::int64_t tolerance_ns = 1'000'000'000;

}  // namespace

LockedFile::LockedFile(const std::string& path)
    : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (file_ < 0 || ::ftruncate(file_, sizeof(Buckets)) != 0) give_up(path + " cannot be made");
    void* page = ::mmap(nullptr, sizeof(Buckets), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (page == MAP_FAILED) give_up(path + " cannot be mapped");
    buckets_ = static_cast<Buckets*>(page);
}

LockedFile::~LockedFile() {
    ::munmap(buckets_, sizeof(Buckets));
    ::close(file_);
}

bool LockedFile::draw(Buckets& buckets) {
    const auto now = ratecoord::BootClock::now().time_since_epoch().count();
    Buckets next = buckets;
    for (auto& full_at : next) {
        full_at = std::max(full_at, now) + unit_ns;
        if (full_at - now > tolerance_ns) return false;
    }
    buckets = next;
    return true;
}

bool LockedFile::try_acquire() {
    if (::flock(file_, LOCK_EX) != 0) give_up("flock failed");
    const bool granted = draw(*buckets_);
    if (::flock(file_, LOCK_UN) != 0) give_up("flock failed");
    return granted;
}

bool LockedFile::try_acquire_by_copy() {
    if (::flock(file_, LOCK_EX) != 0) give_up("flock failed");
    Buckets buckets{};
    bool granted = ::pread(file_, &buckets, sizeof buckets, 0) == sizeof buckets && draw(buckets);
    granted = granted && ::pwrite(file_, &buckets, sizeof buckets, 0) == sizeof buckets;
    if (::flock(file_, LOCK_UN) != 0) give_up("flock failed");
    return granted;
}

}  // namespace bench
