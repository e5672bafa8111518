// SPDX-License-Identifier: Apache-2.0
// events.jsonl: what happened in a run, one JSON object per line, only ever appended to. It is the
// one source for `runs show`, curves and reports, and must stay readable after a crash at any
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
// The same of so many milliseconds since 1970.
std::string TimeText(int64_t millis);

// The milliseconds since 1970 of a TimeText(); none if the text is no such.
std::optional<double> ReadTimeText(const std::string& text);

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

// A piece of events.jsonl. `end` of an event is the byte behind its line: the place from which a
// reader that has taken it goes on.
struct EventAt {
  int64_t end = 0;
  Json event;
};
struct EventPiece {
  std::vector<EventAt> events;
  int64_t next = 0;     // Where the next piece begins.
  int64_t skipped = 0;  // Whole lines that are no event.
  bool more = false;    // There are whole lines behind this piece.
};

// Reads the events from byte `from` on, as much of them as fits into `most_bytes` of the file but
// at least one line. Works while the file grows: a last line without its line break waits for the
// next call. Lines that are no JSON object, as a crash leaves them, and lines of more than 16 MiB
// are skipped. Where `from` lies within a line, its rest is skipped likewise. A missing file is
// empty.
Result<EventPiece> ReadEventsFrom(const std::filesystem::path& file, int64_t from,
                                  int64_t most_bytes);

// Reads all events, as ReadEventsFrom() does, and a last line that is whole but for its line break.
Result<std::vector<Json>> ReadEvents(const std::filesystem::path& file);

}  // namespace protium
