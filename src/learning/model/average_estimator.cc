// SPDX-License-Identifier: Apache-2.0
// The estimator "average": several estimators, each trained as it is alone (train_average.h), whose
// outputs are blended by weights that the validation rows decide.
#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "base/nearest.h"
#include "metrics/seasons.h"
#include "model/average_options.h"
#include "model/forest_config.h"
#include "model/row_average.h"
#include "nets/layers.h"
#include "pipeline/chain.h"
#include "pipeline/estimator.h"
#include "protium/stage_options.h"

namespace protium {

StageRow AverageRow();
StageRow TorchEstimatorRow();
StageRow TreeEstimatorRow();

namespace {

// Options of `train` that all members share, beside those that a member may set.
constexpr const char* kSharedTrain[] = {"validation", "metrics", "best", "baseline"};

std::string At(const std::string& at, size_t member) { return at + "of." + std::to_string(member); }

Status IsShared(const std::string& name, const std::string& where) {
  return Fail({.exit = Exit::kUsage,
               .what = "the members of an average share \"" + name + "\"",
               .where = where + "." + name,
               .fix = "set it once, beside `of`"});
}

Json SharedOf(const AverageOptions& average) {
  EstimatorOptions common = average.common;
  common.id.clear();
  return FieldsToJson(common);
}

// The member's own options over the shared ones.
Result<Json> OptionsOf(const AverageOptions& average, size_t member, const std::string& where) {
  Json options = SharedOf(average);
  for (const auto& [key, value] : average.of[member].options.items()) {
    if (key == "train" && value.is_object()) {
      for (const auto& [name, own] : value.items()) {
        if (std::ranges::count(kSharedTrain, name) > 0) return IsShared(name, where + ".train");
        options["train"][name] = own;
      }
    } else if (options.contains(key)) {
      return IsShared(key, where);
    } else {
      options[key] = value;
    }
  }
  return options;
}

// Of complete options, what is the member's own.
Json OwnOf(const AverageOptions& average, Json options) {
  const Json shared = SharedOf(average);
  for (const auto& [key, value] : shared.items()) {
    if (key != "train") options.erase(key);
  }
  for (const char* name : kSharedTrain) options["train"].erase(name);
  return options;
}

Status CheckMember(const AverageMember& member, const std::string& where) {
  const Choice predicts = member.kind->Predicts(member.options);
  if (predicts.name != kForest && !IsLayered(predicts.name)) {
    return Fail({.exit = Exit::kUsage,
                 .what = "an average cannot blend the net " + predicts.name,
                 .where = where + ".net",
                 .why = "only LibTorch computes it",
                 .fix = "tabular_mlp, tabm, linear or wide_and_deep"});
  }
  if (!member.kind->Continues(member.options).empty()) {
    return Fail({.exit = Exit::kUsage,
                 .what = "an average does not continue a kept training",
                 .where = where + ".train.continues",
                 .fix = "leave it out, or train its members by themselves"});
  }
  const Json from = member.options.ToJson()["train"].value("from", Json::object());
  if (from.value("model", "").empty()) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "the members of an average begin anew",
               .where = where + ".train.from",
               .fix = "leave it out"});
}

Status CheckOfAverage(const AverageOptions& options, const std::string& at) {
  const auto fails = [&](const std::string& what, const std::string& where,
                         const std::string& fix) {
    return Fail({.exit = Exit::kUsage, .what = what, .where = at + where, .fix = fix});
  };
  if (options.of.size() < 2) {
    return fails("an average blends at least two estimators", "of",
                 "of = [\"tree_estimator\", \"torch_estimator\"]");
  }
  if (options.common.loss.name == "lambdarank") {
    return fails("an average does not blend rankings", "loss",
                 "take the tree_estimator out of `of`, and use it alone");
  }
  if (!SeasonsOf(options.common.train.metrics).empty()) {
    return fails("an average does not measure mase", "train.metrics",
                 "take it out, or train the members by themselves");
  }
  if (!options.common.train.validation.HoldsOut()) {
    return fails("validation rows decide how much each member of an average counts",
                 "train.validation", "train.validation = { share = 0.1 }");
  }
  if (FitsDecision(options.common)) {
    return fails("an average fits neither calibration nor threshold",
                 options.common.calibration != Calibration::kNone ? "calibration" : "threshold",
                 "leave it out, or give the threshold as a number");
  }
  if (options.common.gang.gpus_per_worker > 0) {
    return fails("an average is trained on the CPU", "gang.gpus_per_worker", "leave it out");
  }
  return Status::OK();
}

class AverageKind : public EstimatorKindOf<AverageOptions> {
 public:
  // Rows are held out in any case: they decide the weights.
  AnyOptions ForAllRows(const AnyOptions& own, int64_t) const override { return own; }
  Json DescribeTraining(const AnyOptions& own) const override {
    const AverageOptions options = Typed(own);
    return {{"workers", options.common.gang.workers.max}, {"members", options.of.size()}};
  }
  Status CheckColumns(const AnyOptions& own, const NetColumns& columns, const std::string& path,
                      const Catalogue& catalogue) const override {
    const AverageOptions options = Typed(own);
    for (size_t m = 0; m < options.of.size(); ++m) {
      PT_LET(const AverageMember member, MemberOf(options, m, path + "."));
      PT_TRY(member.kind->CheckColumns(member.options, columns, At(path + ".", m), catalogue));
    }
    return Status::OK();
  }

  // Only its members are trained.
  std::string task() const override { return kForestTask; }
  bool NeedsLibTorch(const Chain& chain, bool) const override {
    return !chain.ExtensionFiles().empty();
  }
  bool elastic() const override { return true; }
  void Configure(const AnyOptions&, TrainConfig&) const override {}

  Choice Predicts(const AnyOptions& own) const override {
    const AverageOptions options = Typed(own);
    Json of = Json::array();
    for (size_t m = 0; m < options.of.size(); ++m) {
      const AverageMember member = *MemberOf(options, m, "");
      of.push_back(ToJson(member.kind->Predicts(member.options)));
    }
    return {kAverage, {{"of", of}}};
  }
  ExplainsFrom ExplainedFrom(const AnyOptions& own) const override {
    const AverageOptions options = Typed(own);
    const bool trees = std::ranges::all_of(
        options.of, [](const Choice& each) { return each.name == kTreeEstimator; });
    return trees ? ExplainsFrom::kItself : ExplainsFrom::kBackground;
  }
  Result<std::shared_ptr<const RowPredictor>> Open(
      const NetConfig& config, const std::filesystem::path& weights) const override {
    return OpenRowAverage(config, weights);
  }

 protected:
  Result<AverageOptions> CompleteOwn(AverageOptions options, const std::string& path,
                                     const Catalogue& catalogue) const override {
    const std::string at = path.empty() ? "" : path + ".";
    PT_TRY(CompleteNamed(catalogue.losses, "loss", at + "loss", options.common.loss));
    PT_TRY(CheckOfAverage(options, at));
    PT_TRY(CompleteLearning(options.common, path, catalogue));
    PT_TRY(CheckFields(options, path));
    PT_TRY(CheckBest(options.common, at));
    PT_TRY(CheckInputs(options.common, at));
    for (size_t m = 0; m < options.of.size(); ++m) {
      PT_LET(AverageMember member, MemberOf(options, m, at));
      PT_LET(EstimatorOptions common, member.kind->Read(member.options, At(at, m)));
      PT_TRY(member.kind->Complete(common, member.options, At(at, m), catalogue));
      PT_TRY(CheckMember(member, At(at, m)));
      options.of[m].options = OwnOf(options, member.options.ToJson());
    }
    return options;
  }
};

}  // namespace

Result<AverageMember> MemberOf(const AverageOptions& average, size_t member,
                               const std::string& at) {
  const std::string& name = average.of[member].name;
  AverageMember out{.stage = name};
  if (name == kTreeEstimator) out.kind = TreeEstimatorRow().estimator;
  if (name == kTorchEstimator) out.kind = TorchEstimatorRow().estimator;
  if (out.kind == nullptr) {
    const std::vector<std::string> known = {kTreeEstimator, kTorchEstimator};
    return Fail({.exit = Exit::kUsage,
                 .what = "an average cannot blend a \"" + name + "\"",
                 .where = At(at, member) + ".name",
                 .fix = Suggest(name, known)});
  }
  PT_LET(Json options, OptionsOf(average, member, At(at, member)));
  out.options = std::move(options);
  PT_TRY(out.kind->Read(out.options, At(at, member)).status());
  return out;
}

size_t CountMembers(const Choice& average) {
  const Json of = average.options.value("of", Json::array());
  return of.is_array() ? of.size() : 0;
}

NetConfig MemberConfig(const NetConfig& average, size_t member) {
  NetConfig own = average;
  own.net = {};
  // Written by Predicts(); a name that nobody knows is refused when the member is opened.
  (void)FromJson(average.net.options["of"][member], "", own.net);
  return own;
}

StageRow AverageRow() {
  return MakeEstimatorRow<AverageKind, AverageOptions>(
      kAverageEstimator, "trains several estimators and blends them; adds their predictions");
}

}  // namespace protium
