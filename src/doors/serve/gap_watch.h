// SPDX-License-Identifier: Apache-2.0
// Whether rows are asked for that do not follow those which the served model keeps: a model that
// has grown old looks back to rows that are not the ones just before.
#pragma once

#include <arrow/record_batch.h>

#include <atomic>
#include <optional>
#include <string>

#include "inference/newer_rows.h"
#include "model/model_state.h"

namespace protium {

// Any thread.
class GapWatch {
 public:
  GapWatch() = default;
  // Of a model that reads no earlier rows it never says anything.
  static Result<GapWatch> Make(const ModelState& state);
  GapWatch(GapWatch&& other) : ends_(std::move(other.ends_)), said_(other.said_.load()) {}

  // The first time that rows come behind a gap, a sentence for people; nothing after that, so that
  // a log stays short.
  std::optional<std::string> Look(const arrow::RecordBatch& rows);

 private:
  std::optional<KeptEnds> ends_;
  std::atomic<bool> said_ = false;
};

}  // namespace protium
