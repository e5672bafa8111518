// SPDX-License-Identifier: Apache-2.0
#include "job/output_columns.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/fault.h"
#include "base/nearest.h"
#include "pipeline/estimator.h"
#include "pipeline/estimator_kind.h"
#include "pipeline/objective.h"

namespace protium {

namespace {

// Returns the columns that the estimator adds, which outputs may also name. The label's type is
// unknown here and does not matter for names.
Result<Columns> PredictedColumns(const Job& job) {
  Columns made;
  if (!job.estimator) return made;
  PT_LET(const Catalogue catalogue, WithBuiltIns(job.catalogue));
  PT_LET(const auto estimator, FindEstimator(job.pipeline->stages(), catalogue));
  PT_LET(const LossRow loss, LossRowOf(estimator->options, "", catalogue));
  for (const auto& field : PredictedFields(estimator->options, loss.kind, arrow::utf8())) {
    made.push_back(field->name());
  }
  return made;
}

}  // namespace

Status CheckOutputColumns(const Job& job, const Columns& table) {
  PT_LET(const Columns made, PredictedColumns(job));
  for (const auto& [name, output] : job.file.outputs.all) {
    for (size_t i = 0; i < output.columns.size(); ++i) {
      const std::string& column = output.columns[i];
      const auto among = [&](const Columns& names) {
        return std::find(names.begin(), names.end(), column) != names.end();
      };
      if (among(made) || among(table)) continue;
      std::vector<std::string> known = table;
      known.insert(known.end(), made.begin(), made.end());
      return Fail({.exit = Exit::kInput,
                   .what = fmt::format("output \"{}\" needs column \"{}\", which does not exist",
                                       name, column),
                   .where = fmt::format("outputs.{}.columns.{}", name, i),
                   .fix = Suggest(column, known)});
    }
  }
  return Status::OK();
}

}  // namespace protium
