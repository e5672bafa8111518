// SPDX-License-Identifier: Apache-2.0
// The rows that a model keeps, and those that have come since.
#pragma once

#include <arrow/record_batch.h>

#include <cstdint>
#include <map>
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

// The rows of `kept`, those of ReadKeptRows(), that `rows` may look back to, which come behind them
// or take their place from some time on: of each series of `rows` the last ones before its first
// time. All of them where it is not certain which belong to which series.
Result<std::shared_ptr<arrow::RecordBatch>> KeptBefore(
    const std::shared_ptr<arrow::RecordBatch>& kept, const arrow::RecordBatch& rows,
    const SeriesColumns& series);

// Time that passes between the rows that a model keeps and those that come behind them.
struct HistoryGap {
  int64_t series = 0;  // That have one, of so many.
  int64_t of = 0;
  std::string last, first;  // The kept and the given row on either side of the longest one.
};

// Where the rows that a model keeps end. Immutable: any thread.
class KeptEnds {
 public:
  static Result<KeptEnds> Make(std::shared_ptr<arrow::RecordBatch> kept, SeriesColumns series);

  // Whether rows seem to be missing between the kept ones and the earliest of `rows` in each
  // series: more time than between any two kept rows of the series. A stage such as lag counts
  // rows, and takes the kept ones for those just before. nullopt: no row seems to be missing.
  Result<std::optional<HistoryGap>> GapBefore(const arrow::RecordBatch& rows) const;

 private:
  // The kept rows of one series, which come in the order of time.
  struct Times {
    int64_t last = 0, place = -1;
    int64_t step = 0;  // The most time between two of them.
    void Add(int64_t time, int64_t at);
  };
  std::shared_ptr<arrow::RecordBatch> kept_;
  SeriesColumns series_;
  std::map<std::string, Times> times_;
};

}  // namespace protium
