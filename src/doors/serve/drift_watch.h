// SPDX-License-Identifier: Apache-2.0
// How far the rows of requests are from those that the served model learned from
// (pipeline/drift.h).
#pragma once

#include <arrow/record_batch.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/json.h"
#include "pipeline/drift.h"

namespace protium {

// Any thread.
class DriftWatch {
 public:
  // When so many rows are counted, every count is halved: older rows fade.
  static constexpr int64_t kMostRows = 20'000;

  // `kept` is a model's profile (ProfileToKeep()), or null: nothing is watched.
  explicit DriftWatch(const Json& kept);

  // Columns that are missing, or of another kind than in training, are not counted.
  void Add(const arrow::RecordBatch& rows);
  // The population stability index of each column, by name; nothing before 100 rows.
  std::map<std::string, double> Drifts() const;

 private:
  static constexpr int64_t kFewestRows = 100;
  struct Column {
    std::string name;
    DriftBins bins;
    std::vector<int64_t> rows;
  };
  void Fade();

  mutable std::mutex mutex_;
  std::vector<Column> columns_;
  int64_t rows_ = 0;
};

}  // namespace protium
