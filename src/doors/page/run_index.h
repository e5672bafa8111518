// SPDX-License-Identifier: Apache-2.0
// The runs of a folder, for frequent requests: summaries are cached until one of their files
// changes, and the stories of the most recently viewed runs are retained.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "page/live_run.h"

namespace protium {

// Any thread.
class RunIndex {
 public:
  explicit RunIndex(std::filesystem::path runs) : runs_(std::move(runs)) {}

  // Returns {"folder", "runs": [...], "left_out"}: SummaryOfRun() of each, with "engine"; latest
  // first, at most 5,000. At most a second old.
  std::shared_ptr<const Json> List();

  // Finds the run of that name. Only folders directly in the folder of runs are found: nothing with
  // a slash, no "..". Null if there is none.
  std::shared_ptr<LiveRun> Find(const std::string& name);

 private:
  struct Kept {
    std::string stamp;  // Of the files that the summary is made from.
    Json summary;
  };
  Json MakeList();
  Json SummaryOf(const RunEntry& entry);

  const std::filesystem::path runs_;
  std::mutex mutex_;
  std::map<std::string, Kept> kept_;
  std::shared_ptr<const Json> list_;
  std::chrono::steady_clock::time_point listed_{};
  std::mutex stories_mutex_;
  std::list<std::shared_ptr<LiveRun>> stories_;  // The most recently requested one is first.
};

}  // namespace protium
