// SPDX-License-Identifier: Apache-2.0
#include "learn/learned.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/fault.h"
#include "learn/fit_task.h"
#include "run/events.h"

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

// Level by level, one pass over the rows each: a pass finds out what every later level wants to
// know of the columns that are there, so that a level often needs none of its own.
class Fitting {
 public:
  Fitting(SessionState& session, const Plan& rows, Chain& chain)
      : session_(session), rows_(rows), chain_(chain) {
    for (const PlacedStage& each : chain.stages) AddAll(each.stage->Needs());
    if (chain.estimator) AddAll(EstimatorNeeds(chain.estimator->options));
  }

  Status Run(Learned& learned) {
    for (int32_t level = 1; level <= chain_.levels(); ++level) {
      Tell(level);
      PT_TRY(FindOut(level));
      PT_TRY(LearnAt(level, learned));
    }
    return Status::OK();
  }

 private:
  struct Entry {
    Need need;
    std::optional<State> state;
  };

  void AddAll(const std::vector<Need>& needs) {
    for (const Need& need : needs) {
      const auto same = [&](const Entry& entry) { return entry.need == need; };
      if (std::none_of(entries_.begin(), entries_.end(), same)) entries_.push_back({need, {}});
    }
  }

  void Tell(int32_t level) {
    for (const PlacedStage& each : chain_.stages) {
      if (each.level != level) continue;
      session_.call().Tell(EventToJson(StageFitted{each.stage->id(), level}));
    }
  }

  // The first level at which the columns of a need are there.
  int32_t LevelOf(const Need& need) const {
    int32_t level = 1;
    for (const std::string& column : need.columns) {
      const int32_t maker = chain_.Find(column)->maker;
      if (maker >= 0) level = std::max(level, chain_.stages[maker].level + 1);
    }
    return level;
  }

  // The state of a need as the maker of its column knows it without a pass.
  std::optional<State> StateFromMaker(const Need& need) const {
    const int32_t maker = chain_.Find(need.columns.front())->maker;
    if (maker < 0 || need.columns.size() != 1) return std::nullopt;
    const Stage& stage = *chain_.stages[maker].stage;
    const auto& outputs = stage.outputs();
    const auto at = std::find(outputs.begin(), outputs.end(), need.columns.front());
    return stage.OutputState(size_t(at - outputs.begin()), need.kind);
  }

  Status FindOut(int32_t level) {
    std::vector<Need> asked;
    Columns columns = chain_.sources, wanted;
    for (Entry& entry : entries_) {
      if (entry.state || LevelOf(entry.need) != level) continue;
      entry.state = StateFromMaker(entry.need);
      if (entry.state) continue;
      asked.push_back(entry.need);
      wanted.insert(wanted.end(), entry.need.columns.begin(), entry.need.columns.end());
    }
    const Plan input = ApplyStages(chain_, rows_, columns, wanted);
    PT_LET(std::vector<State> states, Fit(session_.engine(), input, asked, session_.call()));
    for (size_t i = 0; i < asked.size(); ++i) EntryOf(asked[i]).state = std::move(states[i]);
    return Status::OK();
  }

  Entry& EntryOf(const Need& need) {
    return *std::find_if(entries_.begin(), entries_.end(),
                         [&](const Entry& entry) { return entry.need == need; });
  }

  std::vector<State> StatesOf(const std::vector<Need>& needs) {
    std::vector<State> states;
    for (const Need& need : needs) states.push_back(*EntryOf(need).state);
    return states;
  }

  Status LearnAt(int32_t level, Learned& learned) {
    for (PlacedStage& each : chain_.stages) {
      if (each.level != level) continue;
      const Status status = each.stage->Learn(StatesOf(each.stage->Needs()));
      if (status.ok()) continue;
      Fault fault = FaultOf(status);
      fault.where = each.path + " (\"" + each.stage->id() + "\")";
      return Fail(std::move(fault));
    }
    if (!chain_.estimator || chain_.estimator->level != level) return Status::OK();
    const TorchEstimatorOptions& options = chain_.estimator->options;
    return LearnEstimator(options, StatesOf(EstimatorNeeds(options)), learned);
  }

  SessionState& session_;
  const Plan& rows_;
  Chain& chain_;
  std::vector<Entry> entries_;  // Each need once.
};

}  // namespace

Result<Learned> FitStages(SessionState& session, const Plan& rows, Chain& chain) {
  Learned learned;
  PT_TRY(Fitting(session, rows, chain).Run(learned));
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
