// SPDX-License-Identifier: Apache-2.0
// The columns that rows were packed from, in the form that the checks of built-in nets take.
#pragma once

#include "protium/net_columns.h"
#include "tensor/net.h"

namespace protium {

// Columns by name; list columns with their length.
inline NetColumns ColumnsOf(const NetInputs& inputs) {
  NetColumns columns;
  for (const RowField& field : inputs.rows.fields()) {
    if (field.role != RowRole::kFeature) continue;
    if (field.list_length > 0) columns.vectors.push_back({field.name, field.list_length});
    if (field.name == kNumericField) columns.numeric = field.columns;
    if (field.name == kCategoriesField || field.name == kIdsField) {
      columns.categorical.insert(columns.categorical.end(), field.columns.begin(),
                                 field.columns.end());
    }
  }
  return columns;
}

}  // namespace protium
