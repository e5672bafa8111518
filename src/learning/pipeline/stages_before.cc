// SPDX-License-Identifier: Apache-2.0
#include "pipeline/stages_before.h"

#include <fmt/format.h>

#include <string>

#include "base/fault.h"
#include "metrics/metrics.h"

namespace protium {
namespace {

Status Differs(const Chain& chain, const std::string& what) {
  return Fail({.exit = Exit::kInput,
               .what = "training cannot go on from this model: " + what,
               .where = chain.estimator->path + ".train.from",
               .why = "what it learned is exact about the columns that its own stages made",
               .fix = "use the stages of the model's pipeline.json, or leave train.from out"});
}

std::string IdOf(const Json& stage) { return stage.value("id", ""); }

// Returns the first option that differs; both have all of them.
std::string FirstDifference(const Json& was, const Json& is) {
  for (const auto& [name, value] : is.items()) {
    if (!was.contains(name) || was[name] != value) return name;
  }
  return "kind";
}

Status CheckStage(const Chain& chain, const Json& was, const Json& is) {
  if (was == is) return Status::OK();
  if (IdOf(was) != IdOf(is)) {
    return Differs(chain, fmt::format("it has the stage \"{}\" where the pipeline has \"{}\"",
                                      IdOf(was), IdOf(is)));
  }
  const std::string option = FirstDifference(was, is);
  const Json missing;
  return Differs(chain, fmt::format("its stage \"{}\" has {} = {}, and here it is {}", IdOf(is),
                                    option, Dump(was.contains(option) ? was[option] : missing),
                                    Dump(is.contains(option) ? is[option] : missing)));
}

Status Damaged(const Chain& chain) {
  return Differs(chain, "its stages.json does not fit its pipeline.json");
}

}  // namespace

Result<std::vector<Json>> LearnedBefore(const Chain& chain, const StagesBefore& before) {
  const Json pipeline = StagesToJson(chain.options);
  if (!before.pipeline.is_array() || before.pipeline.empty()) return Damaged(chain);
  const size_t stages = chain.stages.size(), had = before.pipeline.size() - 1;
  for (size_t i = 0; i < std::min(stages, had); ++i) {
    PT_TRY(CheckStage(chain, before.pipeline[i], pipeline[i]));
  }
  if (stages > had) {
    return Differs(chain, "it has no stage \"" + IdOf(pipeline[had]) + "\"");
  }
  if (had > stages) {
    return Differs(chain, "the pipeline lacks its stage \"" + IdOf(before.pipeline[stages]) + "\"");
  }
  std::vector<Json> learned;
  const Json entries = before.stages.is_object() ? before.stages.value("stages", Json()) : Json();
  if (!entries.is_array() || entries.size() != stages) return Damaged(chain);
  for (const Json& entry : entries) {
    if (!entry.is_object() || !entry.contains("learned")) return Damaged(chain);
    learned.push_back(entry["learned"]);
  }
  return learned;
}

Status KeepObjective(const Chain& chain, const StagesBefore& before, Objective& objective) {
  const Json known = before.stages.is_object() ? before.stages.value("objective", Json()) : Json();
  Objective was;
  if (!known.is_object() || !FieldsFromJson(known, "", was).ok()) return Damaged(chain);
  if (was.classes != objective.classes) {
    return Fail({.exit = Exit::kInput,
                 .what = "training cannot go on from this model: it predicts other classes",
                 .where = chain.estimator->path + ".train.from",
                 .why = fmt::format("its classes are {}, and those of the rows are {}",
                                    Dump(Json(was.classes)), Dump(Json(objective.classes))),
                 .fix = "give rows of all its classes, and of no other, or leave train.from out"});
  }
  if (!OfNumbers(objective.kind) || was.kind != objective.kind) return Status::OK();
  if (was.labels.size() != objective.labels.size()) return Status::OK();
  for (size_t i = 0; i < was.labels.size(); ++i) {
    ScaledLabel& label = objective.labels[i];
    if (label.log1p != was.labels[i].log1p || !(was.labels[i].deviation > 0)) continue;
    label.mean = was.labels[i].mean;
    label.deviation = was.labels[i].deviation;
  }
  return Status::OK();
}

}  // namespace protium
