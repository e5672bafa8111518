// SPDX-License-Identifier: Apache-2.0
// Whether rows are asked for that do not follow those which a model keeps: a model that has grown
// old looks back to rows that are not the ones just before.
#pragma once

#include <arrow/record_batch.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "inference/newer_rows.h"

namespace protium {

// Any thread.
class GapWatch {
 public:
  explicit GapWatch(KeptEnds ends) : ends_(std::move(ends)) {}

  void Look(const arrow::RecordBatch& rows);
  // A sentence for people about the first gap that was seen.
  std::optional<std::string> seen() const;

 private:
  const KeptEnds ends_;
  std::atomic<bool> found_ = false;
  mutable std::mutex mutex_;
  std::optional<std::string> seen_;
};

}  // namespace protium
