// SPDX-License-Identifier: Apache-2.0
// A stage whose outputs no expression of the engines can compute, such as counts of words or the
// pixels of an image. Workers apply it to Arrow batches, by the task "stages"
// (pipeline/batch_run.h): one implementation for all engines, hence the same bits. A worker makes
// the stage again from its options, its names and what it learned, so Compute() must depend only on
// these.
#pragma once

#include <arrow/type_fwd.h>

#include <filesystem>

#include "base/fault.h"
#include "stages/stage.h"

namespace protium {

class BatchStage : public Stage {
 public:
  using Stage::Stage;
  const BatchStage* batches() const final { return this; }

  // Returns the options in a form that any worker can use: relative paths become absolute, from
  // `base`.
  virtual Json OptionsFor(const std::filesystem::path& base, Json options) const { return options; }
  // How the engine reads input `i` for Compute(): unchanged by default.
  virtual Expr Reads(size_t i) const { return Col(inputs()[i]); }
  // How many rows are enough for a worker at a time, where each takes long; 0: rows are cheap.
  virtual int64_t rows_a_batch() const { return 0; }
  // Returns the outputs of one batch of rows, one array each, of the types that output_type()
  // returns. Row by row: the result must not depend on how rows are cut into batches.
  virtual Result<arrow::ArrayVector> Compute(const arrow::ArrayVector& inputs) const = 0;

  // Expressions cannot do it, see above.
  Plan Apply(Plan, const Columns&) const final {
    return MakePlan(
        Broken{Fail({.exit = Exit::kBug, .what = "stage \"" + id() + "\" has no SQL"})});
  }
};

}  // namespace protium
