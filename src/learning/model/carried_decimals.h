// SPDX-License-Identifier: Apache-2.0
// Decimals of a scored table: the model reads them as doubles, as it learned from them, and the
// scored table still has the decimals.
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
  // Those columns of decimals of `table` that `learned` has as floating numbers.
  CarriedDecimals(const arrow::Schema& table, const arrow::Schema& learned);

  // The table with each of them a second time, under a name of its own; `schema` is the table's and
  // becomes that of the result.
  Plan Beside(const Plan& table, SchemaPtr& schema) const;
  // The columns to keep so that Restored() finds what it needs; empty keeps all.
  Columns Kept(Columns keep) const;
  // The scored rows, of the columns `scored`, with the decimals in their old places.
  Plan Restored(Plan rows, const arrow::Schema& scored) const;

 private:
  // The names in the table and those of the second columns.
  std::vector<std::pair<std::string, std::string>> names_;
};

}  // namespace protium
