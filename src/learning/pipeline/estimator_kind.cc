// SPDX-License-Identifier: Apache-2.0
#include "pipeline/estimator_kind.h"

#include <algorithm>

#include "base/fault.h"
#include "pipeline/stages_before.h"

namespace protium {

Result<RowExplanations> RowPredictor::Explain(const arrow::RecordBatch&, std::span<const int32_t>,
                                              const ExplainBy&) const {
  return Fail({.exit = Exit::kUsage, .what = "this kind of model cannot explain predictions"});
}

Status EstimatorKind::CheckIds(const AnyOptions&, const std::string& path) const {
  return Fail({.exit = Exit::kUsage,
               .what = "this kind of estimator does not read ids",
               .where = path + ".categorical",
               .why = "only nets have a row for each",
               .fix = "index the columns by a string_indexer or a hasher"});
}

Result<std::optional<StagesBefore>> EstimatorKind::KeptStages(const AnyOptions&) const {
  return std::optional<StagesBefore>();
}

Result<std::optional<FoundEstimator>> FindEstimator(const std::vector<StageOptions>& stages,
                                                    const Catalogue& catalogue) {
  for (size_t i = 0; i < stages.size(); ++i) {
    const auto row = std::ranges::find(catalogue.stages, stages[i].kind, &StageRow::name);
    if (row == catalogue.stages.end() || row->estimator == nullptr) continue;
    FoundEstimator found{.at = i, .kind = row->estimator, .own = stages[i].options};
    PT_LET(found.options, found.kind->Read(found.own, "pipeline." + std::to_string(i)));
    return found;
  }
  return std::optional<FoundEstimator>();
}

Result<std::optional<FoundEstimator>> FindEstimator(const std::vector<StageOptions>& stages,
                                                    const std::shared_ptr<const Catalogue>& own) {
  PT_LET(const Catalogue catalogue, WithBuiltIns(own));
  return FindEstimator(stages, catalogue);
}

bool IsEstimator(const Catalogue& catalogue, const std::string& kind) {
  const auto row = std::ranges::find(catalogue.stages, kind, &StageRow::name);
  return row != catalogue.stages.end() && row->estimator != nullptr;
}

bool IsEstimator(const Catalogue& catalogue, const Json& stage) {
  if (!stage.is_object() || !stage.contains("kind") || !stage["kind"].is_string()) return false;
  return IsEstimator(catalogue, stage["kind"].get<std::string>());
}

}  // namespace protium
