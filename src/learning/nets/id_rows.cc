// SPDX-License-Identifier: Apache-2.0
#include "nets/id_rows.h"

#include <algorithm>
#include <string>
#include <utility>

namespace protium {
namespace {

RowSchema Resolved(int64_t numbers, int64_t categories) {
  RowSchema schema;
  if (numbers > 0) {
    schema.Add(
        {.name = std::string(kNumericField), .columns = std::vector<std::string>(size_t(numbers))});
  }
  schema.Add({.name = std::string(kCategoriesField),
              .element = RowElement::kInt32,
              .columns = std::vector<std::string>(size_t(categories))});
  return schema;
}

}  // namespace

IdRows::IdRows(int64_t numbers, int64_t categories, std::shared_ptr<const IdTables> ids)
    : numbers_(numbers),
      categories_(categories),
      ids_(std::move(ids)),
      schema_(Resolved(numbers, categories + int64_t(ids_->columns.size()))) {}

std::shared_ptr<const IdRows> IdRows::Of(const NetInputs& inputs) {
  if (inputs.ids == nullptr) return nullptr;
  return std::make_shared<const IdRows>(inputs.Width(kNumericField), inputs.Width(kCategoriesField),
                                        inputs.ids);
}

uint64_t IdRows::IdAt(const FieldRows<int32_t>& ids, int64_t row, int64_t column) {
  const int32_t* const halves = ids.at(row) + 2 * column;
  return uint64_t{uint32_t(halves[0])} | uint64_t{uint32_t(halves[1])} << 32;
}

PackedRows IdRows::Resolve(const PackedRows& rows, std::vector<std::byte>& memory) const {
  memory.resize(size_t(rows.size() * schema_.width()));
  const FieldRows<float> numbers = rows.floats(kNumericField);
  const FieldRows<int32_t> categories = rows.ints(kCategoriesField);
  const FieldRows<int32_t> ids = rows.ints(kIdsField);
  for (int64_t i = 0; i < rows.size(); ++i) {
    std::byte* const row = memory.data() + i * schema_.width();
    if (numbers_ > 0) std::copy_n(numbers.at(i), numbers_, reinterpret_cast<float*>(row));
    auto* to = reinterpret_cast<int32_t*>(row + schema_.Find(kCategoriesField)->offset);
    if (categories_ > 0) to = std::copy_n(categories.at(i), categories_, to);
    for (size_t c = 0; c < ids_->columns.size(); ++c) {
      *to++ = ids_->columns[c].Find(IdAt(ids, i, int64_t(c)));
    }
  }
  return {schema_, memory.data(), rows.size()};
}

}  // namespace protium
