// SPDX-License-Identifier: Apache-2.0
// events.jsonl: what happened in a run, one JSON object a line, only ever appended to.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// The time of the clock on the wall as "2026-01-31T08:15:00.123Z".
std::string TimeText();

class EventLog {
 public:
  // Opens or makes `file`. A last line that a crash left unfinished is closed, so that what is
  // appended stays readable.
  static Result<std::unique_ptr<EventLog>> Open(const std::filesystem::path& file);
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  // Appends `event` with the key "time" in one write. Any thread. When the disk is full the line is
  // taken back whole, and the fault says so.
  Status Append(const Json& event);

  // The first failure of Append, for callers that could not look at each.
  Status status() const;

 private:
  EventLog(int file, std::filesystem::path path);
  Status WriteLine(const std::string& line);

  const int file_;
  const std::filesystem::path path_;
  mutable std::mutex mutex_;
  Status first_failure_;
};

// Reads all events; lines that are no JSON object (a crash in mid-line) are skipped. A missing file
// is an empty list.
Result<std::vector<Json>> ReadEvents(const std::filesystem::path& file);

}  // namespace protium
