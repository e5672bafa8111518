// SPDX-License-Identifier: Apache-2.0
// What a run found out and made: outputs, metrics, seconds. It becomes result.json.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "base/call.h"
#include "base/json.h"

namespace protium {

// Any thread.
class RunRecord {
 public:
  explicit RunRecord(Clock::time_point started) : started_(started) {}

  // Takes from an event of the run what results are made of: the time of the first step, the
  // metrics of scored rows, outputs.
  void On(const Json& event);

  // Keeps `value` under a dotted key of results(): Set("metrics.validation", {...}).
  void Set(std::string_view key, Json value);
  bool Wrote(const std::string& path) const;
  void AddSeconds(std::string_view what, Clock::time_point since);
  // Forgets the metrics of rows scored so far: a new table is about to be scored.
  void BeginScoring();

  // "outputs", "output_rows" (by path), "model", "metrics", "seconds", "workers", "shards",
  // "steps"; what is known so far.
  Json results() const;

 private:
  void AddOutput(const std::string& path, int64_t rows);
  void MergeScores(const Json& event);

  const Clock::time_point started_;
  mutable std::mutex mutex_;
  Json results_ = Json::object();
  Json scores_ = Json::object();  // Merged states of "model" and "baseline".
};

// The place of a dotted key in nested objects, made when missing.
Json& PlaceAt(Json& root, std::string_view key);

}  // namespace protium
