// SPDX-License-Identifier: Apache-2.0
// The worker's end of the events that bypass Spark; spark_worker/event_tail.h is the driver's.
#pragma once

#include <filesystem>
#include <mutex>

#include "base/json.h"
#include "os/fd.h"

namespace protium {

// The events of one task, as lines of JSON in a file that the driver follows. One write() appends
// each line, so that a reader sees whole lines. Thread-safe.
class EventFile {
 public:
  // Fails with kEnvironment if no file could be made at `path`; the first event makes it. An empty
  // path drops all events. With `locked` the file is locked as long as this object exists, where
  // the file system supports it, so that readers see the end of this process.
  static Result<std::unique_ptr<EventFile>> Make(std::filesystem::path path, bool locked = false);

  // An error is stored for status(), and no further events are written.
  void Write(const Json& event);
  // Returns the error of the first event that could not be written.
  Status status() const;

 private:
  EventFile(std::filesystem::path path, bool locked) : path_(std::move(path)), locked_(locked) {}
  Status Append(const Json& event);

  const std::filesystem::path path_;
  const bool locked_;
  mutable std::mutex mutex_;
  UniqueFd fd_;
  Status status_;
};

}  // namespace protium
