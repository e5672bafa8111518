// SPDX-License-Identifier: Apache-2.0
// Decimals of a scored table: the model reads them as doubles, as it did in training, and the
// scored table retains the decimals.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "column/source.h"
#include "plan/node.h"
#include "protium/pipeline.h"

namespace protium {

class CarriedDecimals {
 public:
  // Finds the decimal columns of `table` that `learned` has as floating-point numbers.
  CarriedDecimals(const arrow::Schema& table, const arrow::Schema& learned);

  // Returns the table with a second copy of each such column, under a new name; `schema` is the
  // table's and becomes that of the result.
  Plan Beside(const Plan& table, SchemaPtr& schema) const;
  // Adds to `keep` the columns that Restored() needs; empty keeps all.
  Columns Kept(Columns keep) const;
  // Returns the scored rows, whose columns are `scored`, with the decimals back in their positions.
  Plan Restored(Plan rows, const arrow::Schema& scored) const;

 private:
  // The names in the table and the names of the copies.
  std::vector<std::pair<std::string, std::string>> names_;
};

}  // namespace protium
