// SPDX-License-Identifier: Apache-2.0
// Groups in both parts of a split: several rows about one patient are alike, and a model that has
// seen some of them predicts the others better than those of a patient whom it has never seen.
#pragma once

#include <arrow/record_batch.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <string>

#include "base/status.h"
#include "leaks/table_profile.h"

namespace protium {

// Whether a column of this name and type may name what rows are about: "patient_id", "userId",
// "customer".
bool MayNameGroups(const std::string& name, const arrow::DataType& type);

// Whether the values name things with several rows each, as "patient_id" does.
bool NamesGroups(const TableProfile& table, const ColumnProfile& column);

struct SharedGroups {
  int64_t groups = 0;       // In both parts together.
  int64_t rows = 0;         // In both parts.
  int64_t test_rows = 0;    // In the test part.
  int64_t shared_rows = 0;  // Those of them whose group has training rows, too.
  // The intraclass correlation of the label in the training rows: 0 if rows of a group are no more
  // alike than others, 1 if they are equal; 0, too, where it is within what chance makes.
  double alike = 0;

  // Whether there are few rows of each of many groups, which are alike, and many test rows have a
  // group that training has seen.
  bool telling() const;
};

// Reads the columns `group` and `label` of both parts; rows without a group are left out. With
// `classes` the label is one of several, and not an amount. Invalid if a column is missing.
Result<SharedGroups> FindSharedGroups(const arrow::RecordBatchVector& train,
                                      const arrow::RecordBatchVector& test,
                                      const std::string& group, const std::string& label,
                                      bool classes);

}  // namespace protium
