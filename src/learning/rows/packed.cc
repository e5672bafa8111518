// SPDX-License-Identifier: Apache-2.0
#include "rows/packed.h"

#include <fmt/format.h>

#include "base/fault.h"

namespace protium {

Status CheckCategories(const PackedRows& rows, std::span<const int64_t> cardinalities) {
  if (cardinalities.empty()) return Status::OK();
  const RowField& field = *rows.schema().Find(kCategoriesField);
  const FieldRows<int32_t> categories = rows.ints(kCategoriesField);
  const int32_t least = field.missing ? kMissingCategory : 0;
  for (int64_t i = 0; i < rows.size(); ++i) {
    const int32_t* row = categories.at(i);
    for (size_t c = 0; c < cardinalities.size(); ++c) {
      if (row[c] >= least && row[c] < cardinalities[c]) continue;
      return Fail({.exit = Exit::kInput,
                   .what = fmt::format("column {} holds category {}, but the model has 0 to {}",
                                       field.columns[c], row[c], cardinalities[c] - 1),
                   .where = field.columns[c],
                   .fix = "index the column with a string_indexer"});
    }
  }
  return Status::OK();
}

}  // namespace protium
