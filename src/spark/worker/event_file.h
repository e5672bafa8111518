// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <mutex>

#include "base/json.h"
#include "os/fd.h"

namespace protium {

// The events of one task as lines of JSON in a file that the driver follows. Each line is written
// by one call, so that what is there of the file is whole lines. Any thread.
class EventFile {
 public:
  // Fails when a file could not be made at `path`; the file is made with the first event. An empty
  // path drops all events.
  static Result<std::unique_ptr<EventFile>> Make(std::filesystem::path path);

  void Write(const Json& event);
  // The first event that could not be written.
  Status status() const;

 private:
  explicit EventFile(std::filesystem::path path) : path_(std::move(path)) {}
  Status Append(const Json& event);

  const std::filesystem::path path_;
  mutable std::mutex mutex_;
  UniqueFd fd_;
  Status status_;
};

}  // namespace protium
