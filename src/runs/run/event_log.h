// SPDX-License-Identifier: Apache-2.0
// events.jsonl: what happened in a run, one JSON object per line, only ever appended to. It is the
// single source for `runs show`, curves and reports, and must stay readable after a crash at any
// point.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// The wall-clock time in UTC: "2026-01-31T08:15:00.123Z".
std::string TimeText();
// The same for a time in milliseconds since 1970.
std::string TimeText(int64_t millis);

// Parses a TimeText() to milliseconds since 1970; nullopt for any other text.
std::optional<double> ReadTimeText(const std::string& text);

class EventLog {
 public:
  // Opens or creates `file`. If a crash left the last line unfinished, adds a line break, so that
  // it damages no other line.
  static Result<std::unique_ptr<EventLog>> Open(const std::filesystem::path& file);
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  // Appends `event` with the key "time" in front. Any thread. On failure, such as a full disk
  // (Exit::kNoRoom), removes the part of the line that was written. Not synced: a power failure may
  // lose the last lines.
  Status Append(const Json& event);

  // The first failure of Append(), for callers that could not handle it at the time.
  Status status() const;

 private:
  EventLog(int file, std::filesystem::path path);
  Status WriteLine(const std::string& line);

  const int file_;
  const std::filesystem::path path_;
  mutable std::mutex mutex_;
  Status first_failure_;
};

// A piece of events.jsonl. `end` of an event is the byte behind its line, from which a reader
// continues after it.
struct EventAt {
  int64_t end = 0;
  Json event;
};
struct EventPiece {
  std::vector<EventAt> events;
  int64_t next = 0;     // Where the next piece begins.
  int64_t skipped = 0;  // Whole lines that are not events.
  bool more = false;    // There are more whole lines behind this piece.
};

// Reads the events from byte `from` on, as many as fit into `most_bytes` of the file but at least
// one line. Works while the file grows: a last line without its line break is left for the next
// call. Skips lines that are not JSON objects, as a crash leaves them, lines of more than 16 MiB,
// and the rest of a line if `from` is within it. A missing file is empty.
Result<EventPiece> ReadEventsFrom(const std::filesystem::path& file, int64_t from,
                                  int64_t most_bytes);

// Reads all events like ReadEventsFrom(), and also a last line that only lacks its line break.
Result<std::vector<Json>> ReadEvents(const std::filesystem::path& file);

}  // namespace protium
