// SPDX-License-Identifier: Apache-2.0
#include "app/gang/log_tail.h"

#include <condition_variable>
#include <fstream>
#include <utility>

#include "events/events.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr auto kTailPause = std::chrono::milliseconds(100);
// Bytes read from one log at a time.
constexpr size_t kPart = 64 << 10;

}  // namespace

LogTail::LogTail(fs::path folder, bool only_first, std::function<void(const Printed&)> print)
    : only_first_(only_first), print_(std::move(print)) {
  std::error_code error;
  for (const auto& item : fs::directory_iterator(folder, error)) {
    before_[item.path().string()] = int64_t(item.file_size(error));
  }
  thread_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex own;
    std::condition_variable_any wake;
    std::unique_lock lock(own);
    while (!wake.wait_for(lock, stop, kTailPause, [&] { return stop.stop_requested(); }))
      Look(false);
  });
}

LogTail::~LogTail() {
  thread_.request_stop();
  thread_.join();
  Look(true);
}

void LogTail::On(const GangPlaced& event) {
  const std::lock_guard lock(mutex_);
  for (const RankPlaced& rank : event.ranks) {
    const std::string& path = rank.log;
    if (path.empty() || logs_.contains(path) || (only_first_ && rank.rank != 0)) continue;
    logs_[path] = {.rank = rank.rank, .read = before_[path]};
  }
}

void LogTail::Look(bool last) {
  const std::lock_guard lock(mutex_);
  std::string part(kPart, '\0');
  for (auto& [path, log] : logs_) {
    std::ifstream in(path, std::ios::binary);
    in.seekg(log.read);
    std::string lines;
    while (in.read(part.data(), std::streamsize(part.size())) || in.gcount() > 0) {
      log.cutter.Add({part.data(), size_t(in.gcount())}, lines);
      log.read += in.gcount();
    }
    if (last) log.cutter.Finish(lines);
    if (lines.empty()) continue;
    print_({log.rank, 2, lines});
  }
}

}  // namespace protium
