// SPDX-License-Identifier: Apache-2.0
// Packed rows with ids, as the layers of a net read them: numbers, and categories behind which the
// positions of the row's ids come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "rows/packed.h"
#include "tensor/id_tables.h"
#include "tensor/net.h"

namespace protium {

// Immutable: any thread.
class IdRows {
 public:
  // For rows with this many numbers and, besides ids, categories.
  IdRows(int64_t numbers, int64_t categories, std::shared_ptr<const IdTables> ids);
  // The same for the rows of these inputs; nullptr if they have no ids.
  static std::shared_ptr<const IdRows> Of(const NetInputs& inputs);

  // Copies rows to `memory`, which must outlive the result. Ids that are not stored have the
  // position kUnseenId.
  PackedRows Resolve(const PackedRows& rows, std::vector<std::byte>& memory) const;

  // The number of the column of ids among all ids, if a category of resolved rows is one; else -1.
  int64_t ColumnOf(int64_t category) const {
    return category < categories_ ? -1 : category - categories_;
  }
  const IdTables& tables() const { return *ids_; }
  std::shared_ptr<const IdTables> shared() const { return ids_; }
  // A cell of the field kIdsField of packed rows.
  static uint64_t IdAt(const FieldRows<int32_t>& ids, int64_t row, int64_t column);

 private:
  int64_t numbers_;
  int64_t categories_;
  std::shared_ptr<const IdTables> ids_;
  RowSchema schema_;  // Of resolved rows.
};

}  // namespace protium
