// SPDX-License-Identifier: Apache-2.0
// A state (state.h): how often each number occurs in each group of rows. A group is identified by
// the texts of its columns, see GroupKey().
#pragma once

#include <arrow/type_fwd.h>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "protium/expr.h"
#include "statistics/number_counts.h"

namespace protium {

// NULL and NaN are left out. Emits one row per group and number. At most 10,000 groups, whose
// results become literals in SQL, and 20 million pairs of a group and a number (Exit::kNoRoom).
class GroupNumbers {
 public:
  // The columns of the key, as strings, and last the numbers, as doubles.
  Status Add(std::span<const std::shared_ptr<arrow::Array>> columns);
  Status Emit(const EmitRow& emit) const;
  Status Merge(const StateRow& row);
  // By key; without groups that have no number.
  const std::map<std::string, NumberCounts>& groups() const { return groups_; }
  NumberCounts All() const;  // Over all groups.

 private:
  Status Count(const std::string& key, double number, int64_t count);

  std::map<std::string, NumberCounts> groups_;
  int64_t pairs_ = 0;
};

// The key of a row's group as engines compute it: the texts of the columns joined by U+001F, with
// U+001E for NULL, so that NULLs are a group of their own.
Expr GroupKey(const Columns& by);

}  // namespace protium
