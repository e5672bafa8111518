// SPDX-License-Identifier: Apache-2.0
#include "stream/folder_watch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/fault.h"

namespace protium {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

namespace {

constexpr milliseconds kBetweenListings{1000};
constexpr int kListingsShare = 50;         // Listings take no more than this part of the time.
constexpr milliseconds kBetweenLooks{20};  // At files that somebody still writes.
constexpr milliseconds kSettled{1000};

bool IsUnfinishedName(std::string_view name) {
  if (name.starts_with('.') || name.starts_with('_')) return true;
  const std::array endings = {".tmp", ".part", ".partial", ".crdownload", ".swp"};
  return std::ranges::any_of(endings, [&](const char* each) { return name.ends_with(each); });
}

int64_t Nanoseconds(const statx_timestamp& time) {
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

// A regular file as it is now; none for anything else.
std::optional<FoundFile> Look(const fs::path& folder, const std::string& name) {
  struct statx found {};
  const unsigned wanted = STATX_BASIC_STATS | STATX_BTIME;
  if (::statx(AT_FDCWD, (folder / name).c_str(), 0, wanted, &found) != 0) return {};
  if (!S_ISREG(found.stx_mode)) return {};
  const bool born = (found.stx_mask & STATX_BTIME) != 0;
  return FoundFile{.changed_ns = Nanoseconds(found.stx_mtime),
                   .name = name,
                   .bytes = int64_t(found.stx_size),
                   .inode = int64_t(found.stx_ino),
                   .born_ns = born ? Nanoseconds(found.stx_btime) : 0};
}

enum class Writers { kNone, kSome, kUnknown };

Writers WritersOf(const fs::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return Writers::kUnknown;
  if (::fcntl(fd.get(), F_SETLEASE, F_RDLCK) == 0) {
    (void)::fcntl(fd.get(), F_SETLEASE, F_UNLCK);
    return Writers::kNone;
  }
  return errno == EAGAIN ? Writers::kSome : Writers::kUnknown;
}

}  // namespace

Result<std::unique_ptr<FolderWatch>> FolderWatch::Make(const fs::path& folder,
                                                       std::string pattern) {
  std::unique_ptr<FolderWatch> watch(new FolderWatch(folder, std::move(pattern)));
  watch->events_ = UniqueFd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  const uint32_t what = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ATTRIB | IN_ONLYDIR;
  // Without inotify, which has its limits, listings find everything.
  if (watch->events_.get() >= 0 &&
      ::inotify_add_watch(watch->events_.get(), folder.c_str(), what) < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return SystemFault("watch " + folder.string(), errno);
    watch->events_ = UniqueFd();
  }
  return watch;
}

bool FolderWatch::IsWhole(const FoundFile& file) {
  const Writers writers = WritersOf(folder_ / file.name);
  if (writers == Writers::kNone) return true;
  const auto now = SteadyClock::now();
  Seen& seen = unfinished_.try_emplace(file.name, Seen{file, now}).first->second;
  if (seen.file != file) seen = {.file = file, .since = now, .grows = true};
  seen.has_writer = writers == Writers::kSome;
  return writers == Writers::kUnknown && now - seen.since >= kSettled;
}

bool FolderWatch::settling() const {
  const auto settles = [](const auto& each) {
    return !each.second.grows && !each.second.has_writer;
  };
  return std::ranges::any_of(unfinished_, settles);
}

void FolderWatch::Consider(const std::string& name, const Known& known,
                           std::vector<FoundFile>& whole) {
  if (IsUnfinishedName(name) || ::fnmatch(pattern_.c_str(), name.c_str(), 0) != 0) return;
  const std::optional<FoundFile> file = Look(folder_, name);
  if (!file || known(*file)) {
    unfinished_.erase(name);
    return;
  }
  if (!IsWhole(*file)) return;
  // It may have grown between the two looks.
  if (const auto now = Look(folder_, name); now != file) return;
  unfinished_.erase(name);
  whole.push_back(*file);
}

Result<std::vector<FoundFile>> FolderWatch::List(const Known& known) {
  const auto began = SteadyClock::now();
  touched_.clear();
  std::error_code error;
  fs::directory_iterator entries(folder_, error);
  std::vector<FoundFile> whole;
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    Consider(entries->path().filename().string(), known, whole);
  }
  if (error) return SystemFault("list " + folder_.string(), error.value());
  const auto now = SteadyClock::now();
  list_at_ =
      now + std::max<SteadyClock::duration>(kBetweenListings, kListingsShare * (now - began));
  return whole;
}

std::vector<FoundFile> FolderWatch::LookAgain(const Known& known) {
  std::set<std::string> names = std::exchange(touched_, {});
  for (const auto& [name, seen] : unfinished_) names.insert(name);
  std::vector<FoundFile> whole;
  for (const std::string& name : names) Consider(name, known, whole);
  return whole;
}

void FolderWatch::Hear() {
  alignas(inotify_event) std::array<char, 16 << 10> events;
  ssize_t bytes = 0;
  while ((bytes = ::read(events_.get(), events.data(), events.size())) > 0) {
    for (ssize_t at = 0; at < bytes;) {
      const auto* const event = reinterpret_cast<const inotify_event*>(events.data() + at);
      if (event->len > 0) touched_.insert(event->name);
      // Some were lost, or the folder itself is another.
      if (event->len == 0) list_at_ = {};
      at += ssize_t(sizeof(inotify_event)) + event->len;
    }
  }
}

Status FolderWatch::Sleep(SteadyClock::time_point until, const std::stop_token& stop) {
  // A request to stop is noticed within this time.
  constexpr milliseconds kNap{50};
  const auto now = SteadyClock::now();
  const auto left = std::max(std::chrono::ceil<milliseconds>(until - now), milliseconds(1));
  const int fds[] = {events_.get()};
  return WaitReadable(fds, Clock::now() + (stop.stop_possible() ? std::min(left, kNap) : left))
      .status();
}

Result<std::vector<FoundFile>> FolderWatch::Wait(const Known& known, milliseconds patience,
                                                 const std::stop_token& stop) {
  const auto end = SteadyClock::now() + patience;
  // Without inotify only a listing finds what has come.
  if (events_.get() < 0) list_at_ = {};
  while (true) {
    Hear();
    const auto now = SteadyClock::now();
    std::vector<FoundFile> whole;
    if (now >= list_at_) {
      PT_LET(whole, List(known));
    } else {
      whole = LookAgain(known);
    }
    if (!whole.empty()) {
      std::sort(whole.begin(), whole.end());
      return whole;
    }
    if (stop.stop_requested() || now >= end) return whole;
    const auto next = unfinished_.empty() ? list_at_ : std::min(list_at_, now + kBetweenLooks);
    PT_TRY(Sleep(std::min(end, next), stop));
  }
}

}  // namespace protium
