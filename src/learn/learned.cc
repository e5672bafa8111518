// SPDX-License-Identifier: Apache-2.0
#include "learn/learned.h"

#include <cmath>
#include <utility>

#include "base/fault.h"
#include "learn/fit_task.h"

namespace protium {
namespace {

struct StageEntry {
  std::string id;
  std::string kind;
  Json learned = Json::array();
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("kind", kind);
    visit("learned", learned);
  }
};

struct LearnedEntry {
  std::vector<StageEntry> stages;
  LabelScale label_scale;
  std::optional<Baseline> baseline;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("stages", stages);
    visit("label_scale", label_scale);
    visit("baseline", baseline);
  }
};

// The needs of one level, each once, and who asked for them.
class Pass {
 public:
  // Gives the places of `needs` among all().
  std::vector<size_t> Ask(const std::vector<Need>& needs) {
    std::vector<size_t> places;
    for (const Need& need : needs) {
      places.push_back(std::find(all_.begin(), all_.end(), need) - all_.begin());
      if (places.back() == all_.size()) all_.push_back(need);
    }
    return places;
  }
  const std::vector<Need>& all() const { return all_; }

 private:
  std::vector<Need> all_;
};

std::vector<Need> EstimatorNeeds(const TorchEstimatorOptions& options) {
  std::vector<Need> needs;
  if (options.label_scale == Scale::kStandard)
    needs.push_back({StateKind::kMoments, {options.label}});
  if (!options.train.baseline.empty()) {
    needs.push_back({StateKind::kLine, {options.train.baseline, options.label}});
  }
  return needs;
}

Status NoLabel(const std::string& label) {
  return Fail({.exit = Exit::kInput,
               .what = "label \"" + label + "\" has no finite value in the training rows"});
}

Result<LabelScale> ScaleOf(const Moments& moments, const std::string& label) {
  const double mean = moments.Mean(), deviation = moments.Deviation();
  if (moments.count() == 0 || !std::isfinite(mean) || !std::isfinite(deviation)) {
    return NoLabel(label);
  }
  return LabelScale{mean, deviation > 0 ? deviation : 1};
}

Status LearnEstimator(const TorchEstimatorOptions& options, const std::vector<State>& states,
                      Learned& learned) {
  for (const State& state : states) {
    if (const auto* moments = std::get_if<Moments>(&state)) {
      PT_LET(learned.label_scale, ScaleOf(*moments, options.label));
    } else if (const auto* line = std::get_if<Line>(&state)) {
      learned.baseline = Baseline{options.train.baseline, line->Intercept(), line->Slope()};
      const bool finite = std::isfinite(line->Intercept()) && std::isfinite(line->Slope());
      if (line->count() == 0 || !finite) return NoLabel(options.label);
    }
  }
  return Status::OK();
}

std::vector<State> Pick(const std::vector<State>& states, const std::vector<size_t>& places) {
  std::vector<State> picked;
  for (const size_t place : places) picked.push_back(states[place]);
  return picked;
}

Status FitLevel(Session& session, const Plan& rows, Chain& chain, int32_t level, Learned& learned) {
  Pass pass;
  std::vector<std::pair<PlacedStage*, std::vector<size_t>>> asked;
  for (PlacedStage& each : chain.stages) {
    if (each.level != level) continue;
    asked.emplace_back(&each, pass.Ask(each.stage->Needs()));
    session.call().Tell({{"event", "fit"}, {"stage", each.stage->id()}, {"level", level}});
  }
  std::vector<size_t> by_estimator;
  const bool estimator = chain.estimator && chain.estimator->level == level;
  if (estimator) by_estimator = pass.Ask(EstimatorNeeds(chain.estimator->options));
  Columns columns = chain.sources, wanted;
  for (const Need& need : pass.all()) {
    wanted.insert(wanted.end(), need.columns.begin(), need.columns.end());
  }
  const Plan input = ApplyStages(chain, rows, columns, wanted);
  PT_LET(const std::vector<State> states, Fit(session.engine(), input, pass.all(), session.call()));
  for (auto& [placed, places] : asked) {
    const Status status = placed->stage->Learn(Pick(states, places));
    if (status.ok()) continue;
    Fault fault = FaultOf(status);
    fault.where = placed->path + " (\"" + placed->stage->id() + "\")";
    return Fail(std::move(fault));
  }
  if (!estimator) return Status::OK();
  return LearnEstimator(chain.estimator->options, Pick(states, by_estimator), learned);
}

}  // namespace

Result<Learned> FitStages(Session& session, const Plan& rows, Chain& chain) {
  Learned learned;
  for (int32_t level = 1; level <= chain.levels(); ++level) {
    PT_TRY(FitLevel(session, rows, chain, level, learned));
  }
  return learned;
}

Json LearnedToJson(const Chain& chain, const Learned& learned) {
  LearnedEntry entry{.label_scale = learned.label_scale, .baseline = learned.baseline};
  for (size_t i = 0; i < chain.stages.size(); ++i) {
    const Stage& stage = *chain.stages[i].stage;
    entry.stages.push_back({stage.id(), std::string(KindOf(chain.options[i])), stage.learned()});
  }
  return FieldsToJson(entry);
}

Result<Learned> LearnedFromJson(const Json& json, Chain& chain) {
  LearnedEntry entry;
  PT_TRY(FieldsFromJson(json, "", entry));
  if (entry.stages.size() != chain.stages.size()) {
    return Fail({.exit = Exit::kInput,
                 .what = std::to_string(entry.stages.size()) +
                         " stages learned, the pipeline has " +
                         std::to_string(chain.stages.size())});
  }
  for (size_t i = 0; i < entry.stages.size(); ++i) {
    Stage& stage = *chain.stages[i].stage;
    if (entry.stages[i].id != stage.id() || entry.stages[i].kind != KindOf(chain.options[i])) {
      return Fail({.exit = Exit::kInput,
                   .what = "stage \"" + entry.stages[i].id +
                           "\" learned where the pipeline has \"" + stage.id() + "\""});
    }
    PT_TRY(stage.Restore(entry.stages[i].learned));
  }
  return Learned{entry.label_scale, entry.baseline};
}

}  // namespace protium
