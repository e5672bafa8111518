// SPDX-License-Identifier: Apache-2.0
// Collects the results of a run: outputs, metrics, seconds. They become result.json.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/call.h"
#include "base/json.h"
#include "metrics/metrics.h"

namespace protium {

// Any thread. Lives in the session; its clock starts with the command.
class RunRecord {
 public:
  explicit RunRecord(Clock::time_point started) : started_(started) {}

  // Adds metrics to the built-in ones, before events mention them.
  void Know(std::vector<MetricSpec> metrics);
  // Takes what the results need from an event: the time of the first step, metrics of scored rows,
  // outputs. Ignores all other events.
  void On(const Json& event);

  // Sets `value` under a dotted key of results(): Set("metrics.validation", {...}).
  void Set(std::string_view key, Json value);
  // Whether `path` is an output of this run, which may therefore be written again.
  bool Wrote(const std::string& path) const;
  // Adds the time from `since` until this moment to "seconds.<what>".
  void AddSeconds(std::string_view what, Clock::time_point since);
  // Clears the metrics of scored rows: another table is about to be scored, and partitions of two
  // tables must not be merged.
  void BeginScoring();

  // A copy of what is known so far: "outputs", "output_rows" (by path), "model", "metrics",
  // "diagnostics" (by "validation" and "test", as metrics/diagnostics.h draws them), "importance"
  // (of columns, as train/importance.h measures it), "splits" (of a forest: the gain, cover and
  // number of its splits by column), "seconds", "workers", "shards", "steps", ...
  Json results() const;

 private:
  void AddOutput(const std::string& path, int64_t rows);
  void MergeScores(const Json& event);
  void MergeDiagnostics(const Json& state);

  const Clock::time_point started_;
  mutable std::mutex mutex_;
  std::vector<MetricSpec> metrics_;  // The program's own metrics.
  Json results_ = Json::object();
  Json scores_ = Json::object();  // Merged states of "model" and "baseline".
};

// The value at a dotted key ("a.b.c") in nested objects. Creates missing levels, and replaces
// anything on the way that is not an object by one.
Json& PlaceAt(Json& root, std::string_view key);

}  // namespace protium
