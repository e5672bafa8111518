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

// Refuses what `listed`, the key `key` of the output, names beyond `known`.
Status CheckNamed(const std::string& output, const char* key, const Columns& listed,
                  const Columns& known) {
  for (size_t i = 0; i < listed.size(); ++i) {
    if (std::ranges::count(known, listed[i]) > 0) continue;
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("output \"{}\" needs column \"{}\", which does not exist",
                                     output, listed[i]),
                 .where = fmt::format("outputs.{}.{}.{}", output, key, i),
                 .fix = Suggest(listed[i], known)});
  }
  return Status::OK();
}

}  // namespace

Status CheckOutputColumns(const Job& job, const Columns& table) {
  PT_LET(const Columns made, PredictedColumns(job));
  Columns known = table;
  known.insert(known.end(), made.begin(), made.end());
  for (const auto& [name, output] : job.file.outputs.all) {
    PT_TRY(CheckNamed(name, "columns", output.columns, known));
    PT_TRY(CheckNamed(name, "upsert", output.upsert, known));
  }
  return Status::OK();
}

}  // namespace protium
