// SPDX-License-Identifier: Apache-2.0
// One run as the page sees it: its folder, and the story of its events so far. Reading continues
// where the last request stopped, so that a request only costs what is new.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>

#include "page/story.h"
#include "run/list.h"

namespace protium {

// Any thread.
class LiveRun {
 public:
  explicit LiveRun(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path events() const { return folder_ / "events.jsonl"; }

  // Reads new events from events.jsonl, up to 64 MiB, and calls `read` with the story, while no
  // other thread has it. `behind`: bytes of events that are still unread; call again.
  Result<Json> WithStory(const std::function<Json(const RunStory&, int64_t behind)>& read);

 private:
  Status Refresh();

  const std::filesystem::path folder_;
  std::mutex mutex_;
  std::unique_ptr<RunStory> story_;
  int64_t next_ = 0;
};

// Returns "running", "cut off", ...; "gone" for a run whose folder no longer exists.
std::string StateOfRun(const std::filesystem::path& run);

}  // namespace protium
