// SPDX-License-Identifier: Apache-2.0
// Filters, projections, lookups and splits computed batch by batch where the rows are, without an
// engine: workers that read a kept table's files themselves run these steps on what they read. Only
// what every engine computes alike, to the bit, is accepted: the functions of row_values.h, lookups
// by texts, whole numbers and flags, and splits by columns whose text is the same everywhere.
#pragma once

#include <arrow/record_batch.h>

#include <memory>
#include <vector>

#include "base/json.h"
#include "plan/node.h"

namespace protium {

class KeyPositions;

// A list of steps over rows of known columns. The driver builds it (Add) and sends it as JSON;
// workers run it (Apply), which is const and may be called by several threads at once.
class RowSteps {
 public:
  // `input` are the columns of the rows.
  explicit RowSteps(SchemaPtr input) : schemas_{std::move(input)} {}

  // Adds a step. Returns false and adds nothing for a verb that an engine has to run or whose
  // expression or columns it has to check.
  bool Add(const Verb& verb);

  // The columns after the last step.
  const SchemaPtr& schema() const { return schemas_.back(); }
  bool empty() const { return steps_.empty(); }

  // Runs the steps on one batch with the columns of the constructor. May return an empty batch.
  Result<std::shared_ptr<arrow::RecordBatch>> Apply(
      std::shared_ptr<arrow::RecordBatch> batch) const;

  // Converts the steps to JSON and back. The JSON does not hold the schema: FromJson() checks every
  // step against `input`, and steps that do not fit are a bug (Exit::kBug).
  Json ToJson() const;
  static Result<RowSteps> FromJson(const Json& json, SchemaPtr input);

 private:
  struct Step {
    Verb verb;
    std::shared_ptr<const KeyPositions> positions = {};  // For a Lookup.
  };
  std::vector<Step> steps_;
  std::vector<SchemaPtr> schemas_;  // Before each step, and after the last.
};

}  // namespace protium
