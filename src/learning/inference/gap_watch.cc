// SPDX-License-Identifier: Apache-2.0
#include "inference/gap_watch.h"

#include <fmt/format.h>

namespace protium {

void GapWatch::Look(const arrow::RecordBatch& rows) {
  if (found_) return;
  // Rows of odd types are refused in scoring, with a message of their own.
  const auto gap = ends_.GapBefore(rows);
  if (!gap.ok() || !*gap || found_.exchange(true)) return;
  const std::lock_guard lock(mutex_);
  seen_ = fmt::format(
      "rows seem to be missing before those that are asked for: the model keeps rows up to {}, and "
      "a request begins on {}; it takes the kept ones for the rows just before. Train it again on "
      "newer rows",
      (*gap)->last, (*gap)->first);
}

std::optional<std::string> GapWatch::seen() const {
  if (!found_) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return seen_;
}

}  // namespace protium
