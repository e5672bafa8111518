// SPDX-License-Identifier: Apache-2.0
// The rows of a job in which leaks are looked for: few, in memory, and such that equal rows of both
// parts of the split are among them.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "job/frames.h"

namespace protium {

// At most about so many rows of both parts together.
inline constexpr int64_t kMostLeakRows = 20'000;

// What the job's estimator learns.
struct AimedLabel {
  std::string label;
  bool classes = false;          // And not an amount.
  std::set<std::string> others;  // Columns that it reads beside its inputs, such as weights.
  std::optional<SplitOptions> held_out;  // Of the training rows, for validation.
};
// None without an estimator, or if that predicts something else than one label.
Result<std::optional<AimedLabel>> FindAimedLabel(const Job& job);

// Which rows of a table are taken: `share` of them, by the hash of the columns `by`.
struct LeakRows {
  Columns by;
  double share = 1;
};
// Reads these columns of the rows, without progress on the terminal. Where the engine is in this
// process, of the first million rows, or fewer of many columns: more would take longer than anyone
// waits for a warning.
Result<arrow::RecordBatchVector> ReadSample(const DataFrame& frame, const Columns& columns,
                                            const LeakRows& rows);

struct LeakSample {
  Columns inputs;     // Those whose values can be compared.
  bool whole = true;  // Whether these are all inputs.
  // With the label, the inputs, and columns that may name groups. `train` has no validation rows.
  // `test` is empty without a split, `validation` if none are held out.
  arrow::RecordBatchVector train, validation, test;
  SchemaPtr schema;  // Null: there is nothing to look at.
  double share = 1;  // Of the rows.

  int64_t Rows() const;
};
// `rows`: how many both parts have.
Result<LeakSample> ReadLeakSample(const Job& job, const JobFrames& frames, const AimedLabel& aimed,
                                  int64_t rows);

}  // namespace protium
