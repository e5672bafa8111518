// SPDX-License-Identifier: Apache-2.0
// events.jsonl: what happened in a run, one JSON object per line, only ever appended to. It is the
// one source for `runs show`, curves and reports, and must stay readable after a crash at any
// point.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// The wall-clock time in UTC: "2026-01-31T08:15:00.123Z".
std::string TimeText();

class EventLog {
 public:
  // Opens or creates `file`. If a crash left the last line unfinished, a line break closes it, so
  // that it spoils no line but itself.
  static Result<std::unique_ptr<EventLog>> Open(const std::filesystem::path& file);
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  // Appends `event` with the key "time" in front. Any thread. On failure, such as a full disk
  // (Exit::kNoRoom), what was written of the line is cut off again. Not synced: a power failure may
  // cost the last lines.
  Status Append(const Json& event);

  // The first failure of Append(), for callers that could not act on it at the time.
  Status status() const;

 private:
  EventLog(int file, std::filesystem::path path);
  Status WriteLine(const std::string& line);

  const int file_;
  const std::filesystem::path path_;
  mutable std::mutex mutex_;
  Status first_failure_;
};

// Reads all events. Lines that are no JSON object, as a crash leaves them, and lines of more than
// 16 MiB are skipped. A missing file is an empty list.
Result<std::vector<Json>> ReadEvents(const std::filesystem::path& file);

}  // namespace protium
