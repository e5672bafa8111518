// SPDX-License-Identifier: Apache-2.0
#include "stages/column_stage.h"

#include "base/fault.h"

namespace protium {

// If something was learned where nothing can be, the file is of another pipeline, so scoring stops.
Status CheckNothingLearned(const Json& learned, const std::string& id) {
  if (learned.is_array() && learned.empty()) return Status::OK();
  return Fail(
      {.exit = Exit::kInput,
       .what = "stage \"" + id + "\" learns nothing, but the model has something learned for it"});
}

Plan FormulaStage::Apply(Plan rows, const Columns& columns) const {
  std::vector<NamedExpr> added;
  for (size_t i = 0; i < outputs().size(); ++i) added.push_back({outputs()[i], ExprOf(i)});
  return WithColumns(std::move(rows), columns, std::move(added));
}

}  // namespace protium
