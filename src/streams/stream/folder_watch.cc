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
  if (seen.file != file) seen = {file, now};
  return writers == Writers::kUnknown && now - seen.since >= kSettled;
}

Result<std::vector<FoundFile>> FolderWatch::List(const Known& known) {
  changed_ = false;
  std::error_code error;
  fs::directory_iterator entries(folder_, error);
  if (error) return SystemFault("list " + folder_.string(), error.value());
  std::vector<FoundFile> whole;
  std::map<std::string, Seen> before = std::exchange(unfinished_, {});
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    if (IsUnfinishedName(name) || ::fnmatch(pattern_.c_str(), name.c_str(), 0) != 0) continue;
    const std::optional<FoundFile> file = Look(folder_, name);
    if (!file || known(*file)) continue;
    if (const auto seen = before.find(name); seen != before.end()) unfinished_.insert(*seen);
    if (!IsWhole(*file)) continue;
    unfinished_.erase(name);
    // It may have grown between the two looks.
    if (const auto now = Look(folder_, name); now == file) whole.push_back(*file);
  }
  if (error) return SystemFault("list " + folder_.string(), error.value());
  std::sort(whole.begin(), whole.end());
  return whole;
}

Status FolderWatch::Sleep(milliseconds most, const std::stop_token& stop) {
  // A request to stop is noticed within this time.
  const milliseconds nap = std::min(most, stop.stop_possible() ? milliseconds(50) : most);
  const int fds[] = {events_.get()};
  PT_LET(const auto ready, WaitReadable(fds, Clock::now() + nap));
  if (ready.empty()) return Status::OK();
  std::array<char, 16 << 10> events;
  while (::read(events_.get(), events.data(), events.size()) > 0) changed_ = true;
  return Status::OK();
}

Result<std::vector<FoundFile>> FolderWatch::Wait(const Known& known, milliseconds patience,
                                                 const std::stop_token& stop) {
  const auto end = SteadyClock::now() + patience;
  auto listed = SteadyClock::time_point();
  while (true) {
    const auto now = SteadyClock::now();
    const milliseconds between = unfinished_.empty() ? kBetweenListings : kBetweenLooks;
    if (changed_ || now - listed >= between) {
      listed = now;
      PT_LET(auto whole, List(known));
      if (!whole.empty()) return whole;
    }
    if (stop.stop_requested() || now >= end) return std::vector<FoundFile>();
    const auto left = std::chrono::ceil<milliseconds>(std::min(end, listed + between) - now);
    PT_TRY(Sleep(std::max(left, milliseconds(1)), stop));
  }
}

}  // namespace protium
