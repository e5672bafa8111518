// SPDX-License-Identifier: Apache-2.0
// The rows that a model keeps, and those that have come since.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "inference/roll_forward.h"

namespace protium {

// `kept` are rows of ReadKeptRows(), and so is the result. `newer` has the same columns and maybe
// others; one that is missing is NULL, unless it is a time or tells series apart, which is a fault
// of Exit::kInput, as are values that do not fit. From the first time of a series in `newer` on,
// its rows take the place of kept ones.
Result<std::shared_ptr<arrow::RecordBatch>> WithNewer(const arrow::RecordBatch& kept,
                                                      const arrow::RecordBatch& newer,
                                                      const SeriesColumns& series);

// Time that passes between the rows that a model keeps and those that come behind them.
struct HistoryGap {
  int64_t series = 0;  // That have one, of so many.
  int64_t of = 0;
  std::string last, first;  // The kept and the given row on either side of the longest one.
};

// Whether rows seem to be missing between `kept` and the earliest given row of each series, which
// `first` has: more time than between any two kept rows of the series. A stage such as lag counts
// rows, and takes the kept ones for those just before. nullopt: no row seems to be missing.
Result<std::optional<HistoryGap>> GapBefore(const arrow::RecordBatch& first,
                                            const arrow::RecordBatch& kept,
                                            const SeriesColumns& series);

}  // namespace protium
