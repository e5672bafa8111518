// SPDX-License-Identifier: Apache-2.0
#include "serve/gap_watch.h"

#include <fmt/format.h>

#include "inference/behind_history.h"
#include "inference/roll_forward.h"

namespace protium {

Result<GapWatch> GapWatch::Make(const ModelState& state) {
  GapWatch watch;
  PT_LET(auto kept, ReadKeptRows(state));
  if (kept == nullptr) return watch;
  PT_LET(watch.ends_, KeptEnds::Make(std::move(kept), SeriesOf(state)));
  return watch;
}

std::optional<std::string> GapWatch::Look(const arrow::RecordBatch& rows) {
  if (!ends_ || said_) return std::nullopt;
  // Rows of odd types are refused in scoring, with a message of their own.
  const auto gap = ends_->GapBefore(rows);
  if (!gap.ok() || !*gap || said_.exchange(true)) return std::nullopt;
  return fmt::format(
      "rows seem to be missing before those that are asked for: the model keeps rows up to {}, and "
      "a request begins on {}; it takes the kept ones for the rows just before. Train it again on "
      "newer rows. This is said once\n",
      (*gap)->last, (*gap)->first);
}

}  // namespace protium
