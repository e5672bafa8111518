// SPDX-License-Identifier: Apache-2.0
// A run as exporters see it, read from its folder.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "trials/tried.h"

namespace protium {

struct SeriesPoint {
  int64_t step = 0;
  double time = 0;  // Seconds since 1970.
  double value = 0;
};

// When a trial began and ended: the "time" of its events; empty for one that is not known.
struct TrialSpan {
  std::string began;
  std::string ended;
};

struct RunFacts {
  std::string id;
  Json run = Json::object();       // run.json, with "state" as `protium runs` reports it.
  Json result = Json::object();    // result.json
  Json settings = Json::object();  // Flat: {"train.epochs": 10}
  // "train/loss", "train/learning_rate", "validation/rmse", ... by step, in order. If a run went
  // back to a checkpoint, the repeated steps replace the earlier ones.
  std::map<std::string, std::vector<SeriesPoint>> series;
  std::vector<Json> events;
  std::optional<TriedSearch> search;                    // Of a search with trials.
  std::map<int64_t, std::vector<double>> trial_curves;  // By number; see CurveOfTrial().
  std::map<int64_t, TrialSpan> trial_spans;
};

// A folder without a readable run.json is a fault of Exit::kInput; everything else may be missing.
Result<RunFacts> ReadRunFacts(const std::filesystem::path& run);

// The "time" of an event or of run.json in seconds since 1970; 0 for text that is not a time.
double SecondsOf(const std::string& time);

}  // namespace protium
