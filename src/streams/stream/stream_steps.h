// SPDX-License-Identifier: Apache-2.0
// What becomes of the events of a batch: SQL, then predictions. An event that these fail for is
// found and becomes a dead letter, so that it stops the stream at no time.
#pragma once

#include <arrow/record_batch.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/row_queries.h"
#include "flow/flow.h"
#include "stream/event_shape.h"
#include "stream/stream_model.h"

namespace protium {

struct StepsOptions {
  std::string sql;  // Empty: none.
  std::string table = "events";
  SchemaPtr columns;           // Of events.
  Columns output;              // The columns to write, in this order; empty: all.
  std::string version_column;  // Empty: none.
};

// What the job says of them, for events of these columns.
StepsOptions StepsOf(const EventShape& shape, const StreamOptions& options, SchemaPtr columns);

// How a second model's predictions differ from those of the first.
struct ShadowFacts {
  int64_t rows = 0;
  int64_t differ = 0;     // Rows with another prediction.
  double mean_apart = 0;  // The mean distance of predictions that are numbers.
};

struct StepsResult {
  std::shared_ptr<arrow::RecordBatch> rows;
  std::vector<DeadLetter> dead;
  std::vector<int64_t> failed;  // The events of these letters, by their numbers, ascending.
  std::optional<ShadowFacts> shadow;
};

// One thread.
class StreamSteps {
 public:
  explicit StreamSteps(StepsOptions options) : options_(std::move(options)) {}

  const StepsOptions& options() const { return options_; }

  // Prepares the SQL for these other tables, instead of those before. Mistakes in it are faults.
  Status UseTables(std::vector<MemoryTable> tables);
  // Checks that the rows have what the model reads, and returns the columns that are written. A
  // null model scores nothing.
  Result<SchemaPtr> Check(const LoadedModel* model) const;
  // Fails only for what no event is to blame for.
  Result<StepsResult> Apply(const arrow::RecordBatch& events, const LoadedModel* model,
                            const LoadedModel* shadow) const;

 private:
  struct Scored {
    std::shared_ptr<arrow::RecordBatch> prepared;   // Before predictions.
    std::shared_ptr<arrow::RecordBatch> predicted;  // The predictions alone; null without a model.
    std::shared_ptr<arrow::RecordBatch> rows;
  };
  Result<Scored> Score(const arrow::RecordBatch& events, const LoadedModel* model) const;
  // The rows with their predictions beside them.
  Result<std::shared_ptr<arrow::RecordBatch>> WithPredictions(const Scored& scored,
                                                              const LoadedModel& model) const;
  Result<std::shared_ptr<arrow::RecordBatch>> Output(
      const std::shared_ptr<arrow::RecordBatch>& rows) const;
  // Scores halves until those that fail are single events.
  Status ScoreParts(const arrow::RecordBatch& events, int64_t first, const LoadedModel* model,
                    std::vector<std::shared_ptr<arrow::RecordBatch>>& parts,
                    StepsResult& result) const;

  StepsOptions options_;
  std::unique_ptr<RowQueries> queries_;
  std::shared_ptr<const TableQuery> query_;  // Null without SQL, and where it changes nothing.
};

}  // namespace protium
