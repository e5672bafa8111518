// SPDX-License-Identifier: Apache-2.0
#include "pipeline/learned.h"

#include <arrow/type.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/fault.h"
#include "events/events.h"
#include "pipeline/kept_states.h"
#include "pipeline/profile.h"
#include "pipeline/stages_before.h"
#include "pipeline/train_rows.h"
#include "protium/events.h"

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
  std::optional<Objective> objective;
  std::optional<Baseline> baseline;
  std::optional<std::vector<SeriesScales>> scales;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("stages", stages);
    visit("objective", objective);
    visit("baseline", baseline);
    visit("scales", scales);
  }
};

// Fits the stages level by level. Each level:
//
// 1. collects the needs whose columns already exist and whose states are still missing, and runs
//    one pass for all of them (FindOut). This includes needs of later levels for existing columns,
//    and leaves out states that a stage can derive (Stage::OutputState), so a level often needs no
//    pass of its own;
// 2. lets its stages, and the estimator's label, learn from their states (LearnAt);
// 3. places again the stages that awaited columns that have just been named, which may add needs
//    (PlaceWhoWaited).
class Fitting {
 public:
  // `before`: what the stages learned for another model, which they keep; empty: they learn. With
  // `kept`, no pass is made: what is kept is described there.
  Fitting(SessionState& session, const Plan& rows, int64_t count, Chain& chain,
          std::vector<Json> before, Json* kept = nullptr)
      : session_(session), rows_(rows), chain_(chain), before_(std::move(before)), kept_(kept) {
    AddNeeds();
    const bool asked = session.options().profile.value_or(count <= kMostProfiledUnasked);
    if (asked && (kept_ != nullptr || !session.folder().empty())) profile_ = ProfileNeedOf(chain);
    if (!profile_.columns.empty()) AddAll({profile_.need});
    if (!chain.estimator) return;
    AddAll(LabelNeeds(chain.estimator->options, chain.estimator->loss));
    AddAll(ScaleNeeds(chain.estimator->errors));
  }

  bool lacks() const { return lacks_; }

  Status Run(Learned& learned) {
    for (int32_t level = 1; level <= chain_.levels(); ++level) {
      if (kept_ == nullptr) ReportFitted(level);
      PT_TRY(FindOut(level));
      if (lacks_) return Status::OK();
      PT_TRY(LearnAt(level, learned));
      PT_TRY(PlaceWhoWaited(level));
    }
    if (kept_ != nullptr) return Status::OK();
    // Not if a pass of this run was needed.
    if (!from_.empty() && std::ranges::find(from_, "") == from_.end()) {
      session_.call().Send(WorkTaken{.what = "fit", .run = from_.front()});
    }
    const auto& seen =
        profile_.columns.empty() ? std::optional<State>() : FindEntry(profile_.need).state;
    if (seen) return KeepProfile(session_, std::get<ColumnProfiles>(*seen), profile_);
    DropProfile(session_);
    return Status::OK();
  }

 private:
  struct Entry {
    Need need;
    std::optional<State> state;
  };

  // The need for the profile of the table's columns that fitting reads; it shares the first pass.
  static ProfileNeed ProfileNeedOf(const Chain& chain) {
    arrow::FieldVector fields;
    for (const std::string& name : chain.sources) {
      fields.push_back(arrow::field(name, chain.Find(name)->type));
    }
    return ProfileOf(chain.sources, arrow::Schema(std::move(fields)));
  }

  // Called again after stages were placed again; AddAll() adds no need twice.
  void AddNeeds() {
    if (!before_.empty()) return;
    for (const PlacedStage& each : chain_.stages) AddAll(each.stage->Needs());
  }

  // Places the stages that awaited columns which have just been named, so that they have needs,
  // too.
  Status PlaceWhoWaited(int32_t level) {
    const bool named =
        std::any_of(chain_.stages.begin(), chain_.stages.end(), [&](const PlacedStage& each) {
          return each.level == level && each.stage->learns_outputs();
        });
    if (!named) return Status::OK();
    PT_TRY(PlaceAgain(chain_, AnalyzeWith(session_)));
    AddNeeds();
    return Status::OK();
  }

  void AddAll(const std::vector<Need>& needs) {
    for (const Need& need : needs) {
      const auto same = [&](const Entry& entry) { return entry.need == need; };
      // Two stages that need the same state of a column share it.
      if (std::none_of(entries_.begin(), entries_.end(), same)) entries_.push_back({need, {}});
    }
  }

  void ReportFitted(int32_t level) {
    for (const PlacedStage& each : chain_.stages) {
      if (each.level != level) continue;
      session_.call().Send(StageFitted{each.stage->id(), level});
    }
  }

  // The first level at which the columns of a need exist.
  int32_t FindLevel(const Need& need) const {
    int32_t level = 1;
    for (const std::string& column : need.columns) {
      const StageColumn* const known = chain_.Find(column);
      const int32_t maker = known ? known->maker : -1;  // A part column is not in the chain.
      if (maker >= 0) level = std::max(level, chain_.stages[maker].level + 1);
    }
    return level;
  }

  // Returns the state of a need if the stage that makes its column can derive it without a pass. A
  // need of several columns may include a part column, which no stage makes; its first column is
  // always one of the chain.
  std::optional<State> StateFromMaker(const Need& need) const {
    const int32_t maker = chain_.Find(need.columns.front())->maker;
    if (maker < 0 || need.columns.size() != 1) return std::nullopt;
    const Stage& stage = *chain_.stages[maker].stage;
    const auto& outputs = stage.outputs();
    const auto at = std::find(outputs.begin(), outputs.end(), need.columns.front());
    return stage.OutputState(size_t(at - outputs.begin()), need.kind);
  }

  // Fills the missing states whose columns exist at this level: derives them if possible, the
  // others in one pass over the rows, with the lower stages applied in the form for rows that are
  // learned from.
  Status FindOut(int32_t level) {
    std::vector<Need> asked;
    Columns columns = LearnedFrom(chain_), wanted;
    for (Entry& entry : entries_) {
      if (entry.state || FindLevel(entry.need) != level) continue;
      entry.state = StateFromMaker(entry.need);
      if (entry.state) continue;
      asked.push_back(entry.need);
      wanted.insert(wanted.end(), entry.need.columns.begin(), entry.need.columns.end());
    }
    const Plan input =
        ApplyStages(chain_, rows_, columns, wanted, RowUse::kLearning, AnalyzeWith(session_));
    if (kept_ != nullptr) return TakeKept(input, asked);
    auto found = FindStates(session_, input, asked);
    if (!found.ok()) return WithSourceNames(chain_, found.status());
    if (!asked.empty()) from_.push_back(std::move(found->from));
    for (size_t i = 0; i < asked.size(); ++i) {
      FindEntry(asked[i]).state = std::move(found->states[i]);
    }
    return Status::OK();
  }

  Status TakeKept(const Plan& input, const std::vector<Need>& asked) {
    if (asked.empty()) return Status::OK();
    KeptStates found = LookForStates(session_, input, asked);
    if (!found.about.is_null()) kept_->push_back(std::move(found.about));
    lacks_ = !found.states;
    for (size_t i = 0; i < asked.size() && found.states; ++i) {
      FindEntry(asked[i]).state = std::move((*found.states)[i]);
    }
    return Status::OK();
  }

  Entry& FindEntry(const Need& need) {
    return *std::find_if(entries_.begin(), entries_.end(),
                         [&](const Entry& entry) { return entry.need == need; });
  }

  std::vector<State> CollectStates(const std::vector<Need>& needs) {
    std::vector<State> states;
    for (const Need& need : needs) states.push_back(*FindEntry(need).state);
    return states;
  }

  Status LearnOrKeep(size_t i) {
    Stage& stage = *chain_.stages[i].stage;
    return before_.empty() ? stage.Learn(CollectStates(stage.Needs())) : stage.Restore(before_[i]);
  }

  Status LearnAt(int32_t level, Learned& learned) {
    for (size_t i = 0; i < chain_.stages.size(); ++i) {
      PlacedStage& each = chain_.stages[i];
      if (each.level != level) continue;
      const Status status = LearnOrKeep(i);
      if (status.ok()) {
        for (const std::string& note : each.stage->notes()) {
          if (kept_ == nullptr) session_.call().Send(Note{note});
        }
        continue;
      }
      Fault fault = FaultOf(status);
      // The stage knows its column, but only this code knows its position in the list.
      fault.where = each.path + " (\"" + each.stage->id() + "\")";
      return Fail(std::move(fault));
    }
    if (!chain_.estimator || chain_.estimator->level != level) return Status::OK();
    const EstimatorOptions& options = chain_.estimator->options;
    const LossRow& loss = chain_.estimator->loss;
    const auto& type = chain_.Find(ListLabels(options).front())->type;
    PT_LET(learned, LearnLabel(options, loss, CollectStates(LabelNeeds(options, loss)), *type));
    if (learned.baseline && IsEarlier(learned.baseline->column)) {
      learned.baseline->intercept = 0;
      learned.baseline->slope = 1;
    }
    const auto& errors = chain_.estimator->errors;
    chain_.estimator->scales = LearnScales(errors, CollectStates(ScaleNeeds(errors)));
    return Status::OK();
  }

  // Whether a column comes from earlier rows: as a baseline it is a forecast as it is, not what a
  // line goes through.
  bool IsEarlier(const std::string& column) const {
    const StageColumn* const known = chain_.Find(column);
    return known != nullptr && known->maker >= 0 &&
           chain_.stages[size_t(known->maker)].stage->history() != nullptr;
  }

  SessionState& session_;
  const Plan& rows_;
  Chain& chain_;
  std::vector<Json> before_;  // By stage.
  Json* const kept_;
  bool lacks_ = false;  // Whether something is not kept.
  ProfileNeed profile_;
  std::vector<std::string> from_;  // The run of each pass: FoundStates::from.
  std::vector<Entry> entries_;     // Each need once, however many stages share it.
};

// Scoring divides by these values and uses them as indices, and stages.json can be edited.
Status CheckObjective(const Objective& objective) {
  bool whole = !objective.labels.empty();
  for (const ScaledLabel& label : objective.labels) whole = whole && label.deviation > 0;
  whole = whole && (objective.kind == TargetKind::kQuantiles) != objective.levels.empty();
  const size_t classes = objective.classes.size();
  if (objective.kind == TargetKind::kTwoClasses) whole = whole && classes == 2;
  if (objective.kind == TargetKind::kClasses) whole = whole && classes >= 2;
  if (whole) return objective.decision.Check();
  return Fail({.exit = Exit::kInput, .what = "the learned state of the label is damaged"});
}

// What the stages learned before; empty if they learn anew.
Result<std::vector<Json>> KeptOrAnew(SessionState& session, const Chain& chain,
                                     const StagesBefore& before) {
  Result<std::vector<Json>> kept = LearnedBefore(chain, before);
  if (before.required) return kept;
  if (kept.ok() && kept->empty()) return kept;
  session.call().Send(
      Note{kept.ok() ? "the stages keep what they learned for the model of train.from"
                     : "the stages learn anew, though weights of train.from belong to what they "
                       "had learned: " +
                           FaultOf(kept.status()).what});
  return kept.ok() ? kept : std::vector<Json>();
}

}  // namespace

Result<Learned> FitStages(SessionState& session, const Plan& rows, int64_t count, Chain& chain,
                          const std::optional<StagesBefore>& before) {
  std::vector<Json> kept;
  if (before) {
    PT_LET(kept, KeptOrAnew(session, chain, *before));
  }
  Learned learned;
  PT_TRY(Fitting(session, rows, count, chain, std::move(kept)).Run(learned));
  if (before && !before->required) {
    PT_TRY(KeepObjective(chain, *before, learned.objective));
  }
  return learned;
}

Result<std::optional<Learned>> LearnFromKept(SessionState& session, const Plan& rows, int64_t count,
                                             Chain& chain, Json& kept) {
  Learned learned;
  Fitting fitting(session, rows, count, chain, {}, &kept);
  PT_TRY(fitting.Run(learned));
  return fitting.lacks() ? std::nullopt : std::optional<Learned>(std::move(learned));
}

Analyze AnalyzeWith(SessionState& session) {
  return [&session](const Plan& plan) { return session.engine().Analyze(plan, session.call()); };
}

Json LearnedToJson(const Chain& chain, const Learned& learned) {
  LearnedEntry entry{.baseline = learned.baseline};
  if (chain.estimator) entry.objective = learned.objective;
  if (chain.estimator && !chain.estimator->scales.empty()) entry.scales = chain.estimator->scales;
  for (size_t i = 0; i < chain.stages.size(); ++i) {
    const Stage& stage = *chain.stages[i].stage;
    entry.stages.push_back({stage.id(), chain.options[i].kind, stage.learned()});
  }
  return FieldsToJson(entry);
}

Result<Learned> LearnedFromJson(const Json& json, Chain& chain, const Analyze& analyze) {
  LearnedEntry entry;
  PT_TRY(FieldsFromJson(json, "", entry));
  if (entry.stages.size() != chain.stages.size()) {
    return Fail({.exit = Exit::kInput,
                 .what = std::to_string(entry.stages.size()) +
                         " stages have learned, but the pipeline has " +
                         std::to_string(chain.stages.size())});
  }
  for (size_t i = 0; i < entry.stages.size(); ++i) {
    Stage& stage = *chain.stages[i].stage;
    if (entry.stages[i].id != stage.id() || entry.stages[i].kind != chain.options[i].kind) {
      return Fail({.exit = Exit::kInput,
                   .what = "stage \"" + entry.stages[i].id +
                           "\" has learned, but the pipeline has \"" + stage.id() + "\""});
    }
    // In order, since later stages can be placed only after a stage has named its columns.
    PT_TRY(stage.Restore(entry.stages[i].learned));
    if (stage.learns_outputs()) PT_TRY(PlaceAgain(chain, analyze));
  }
  Learned learned{.baseline = entry.baseline};
  if (!chain.estimator) return learned;
  chain.estimator->scales = entry.scales.value_or(std::vector<SeriesScales>());
  PT_TRY(CheckScales(chain.estimator->scales));
  learned.objective = entry.objective.value_or(Objective{});
  PT_TRY(CheckObjective(learned.objective));
  return learned;
}

}  // namespace protium
