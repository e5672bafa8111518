// SPDX-License-Identifier: Apache-2.0
#include "stream/batches.h"

#include <fmt/format.h>

#include <utility>

#include "base/json.h"
#include "column/batches.h"
#include "column/cells.h"

namespace protium {

Result<std::shared_ptr<arrow::RecordBatch>> Without(
    const std::shared_ptr<arrow::RecordBatch>& batch, const std::vector<int64_t>& numbers) {
  if (numbers.empty()) return batch;
  std::vector<std::shared_ptr<arrow::RecordBatch>> parts;
  int64_t at = 0;
  for (const int64_t number : numbers) {
    parts.push_back(batch->Slice(at, number - at));
    at = number + 1;
  }
  parts.push_back(batch->Slice(at));
  return Together(batch->schema(), parts);
}

DeadLetter LetterOf(const arrow::RecordBatch& events, int64_t row, int64_t number,
                    std::string reason) {
  Json object = Json::object();
  for (int i = 0; i < events.num_columns(); ++i) {
    object[events.schema()->field(i)->name()] = CellJson(*events.column(i), row);
  }
  return {.place = fmt::format("event {} of the batch", number + 1),
          .reason = std::move(reason),
          .bytes = Dump(object)};
}

}  // namespace protium
