// SPDX-License-Identifier: Apache-2.0
// The runs of a folder, for requests that come often: summaries are kept until a file that they are
// made of changes, and the last runs that somebody looked at keep their stories.
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

  // {"folder", "runs": [...], "left_out"}: what SummaryOfRun() says of each, with "engine"; the
  // latest first, at most 5,000. At most a second old.
  std::shared_ptr<const Json> List();

  // The run of that name. Only names of folders that lie in the folder of runs are found: nothing
  // with a slash, no "..". Null: there is none.
  std::shared_ptr<LiveRun> Find(const std::string& name);

 private:
  struct Kept {
    std::string stamp;  // Of the files that the summary is made of.
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
  std::list<std::shared_ptr<LiveRun>> stories_;  // The one asked for last first.
};

}  // namespace protium
