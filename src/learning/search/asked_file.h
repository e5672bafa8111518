// SPDX-License-Identifier: Apache-2.0
// What a program has asked, reported and told (AskedSearch::SaveTo()), as lines of JSON: doing them
// again leads to the same search.
//
//   {"time", "search": {...}}                                 first: what decides the trials
//   {"time", "seconds", "ask": {"trial", "values"}}
//   {"time", "seconds", "report": {"trial", "step", "value"}}
//   {"time", "seconds", "tell": {"trial", "value" or "measured", "error"}}
//
// "seconds" have passed since the search began, in all programs. Numbers that JSON lacks are texts:
// "inf", "-inf", "nan". A kill loses nothing that was answered; a power failure may lose the last
// lines.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "os/fd.h"
#include "run/event_log.h"

namespace protium {

// A number as such a line has it.
Json SavedNumber(double value);
// NaN for anything else.
double ReadSavedNumber(const Json& json);

// One thread at a time.
class AskedFile {
 public:
  // Creates the file, or reads what it has of the same search. Refuses with Exit::kUsage, as
  // nothing happened, the file of another search or of anything else, and one that another process
  // has open.
  static Result<AskedFile> Open(const std::filesystem::path& path, const Json& search);

  const std::vector<Json>& lines() const { return lines_; }  // But the first.
  Status Append(const char* act, Json what, double seconds);
  // The file and line of lines()[index], for messages.
  std::string Where(size_t index) const;

 private:
  AskedFile(std::filesystem::path path, UniqueFd lock, std::unique_ptr<EventLog> log,
            std::vector<Json> lines)
      : path_(std::move(path)),
        lock_(std::move(lock)),
        log_(std::move(log)),
        lines_(std::move(lines)) {}

  std::filesystem::path path_;
  UniqueFd lock_;
  std::unique_ptr<EventLog> log_;
  std::vector<Json> lines_;
};

}  // namespace protium
