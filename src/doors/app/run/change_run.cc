// SPDX-License-Identifier: Apache-2.0
#include "app/run/change_run.h"

#include <fmt/format.h>

#include "base/fault.h"
#include "events/events.h"
#include "gang/task.h"
#include "job/settings.h"
#include "protium/fields.h"
#include "protium/search.h"
#include "protium/trees.h"
#include "recipe/depends_on_steps.h"
#include "run/event_log.h"
#include "run/run_view.h"
#include "search/space.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr const char* kEpochs = "train.epochs";
constexpr const char* kRounds = "trees.rounds";
constexpr std::string_view kGang = "gang.";
constexpr std::string_view kSearch = "search.";

Status Refused(const std::string& set, std::string what, std::string why, std::string fix) {
  return Fail({.exit = Exit::kUsage,
               .what = std::move(what),
               .where = "--set " + set,
               .why = std::move(why),
               .fix = std::move(fix),
               .kept = "the run as it was"});
}

// What ends a search: no trial depends on it.
bool IsBudget(const std::string& path) {
  return path == "search.trials" || path == "search.seconds" || path == "search.target" ||
         path == "search.patience";
}

Status CheckKey(const Assignment& said, const std::string& set) {
  const bool longer = said.path == kEpochs || said.path == kRounds;
  if (!longer && !said.path.starts_with(kGang) && !IsBudget(said.path)) {
    return Refused(set,
                   "resume can set train.epochs, trees.rounds, gang.* and, of a search, trials, "
                   "seconds, target and patience alone",
                   "any other change would affect what has been trained",
                   "protium run JOB --set " + set + "  starts a new run");
  }
  if (longer && !said.value.is_number_integer()) {
    return Refused(set, said.path + " must be a whole number", "",
                   fmt::format("--set {}=20", said.path));
  }
  return Status::OK();
}

// Returns the only estimator of a saved job, or null.
Json* EstimatorIn(Json& job) {
  if (!job.is_object() || !job.contains("pipeline")) return nullptr;
  Json* found = nullptr;
  for (Json& stage : job["pipeline"]) {
    if (stage.is_object() && stage.contains("train")) found = &stage;
  }
  return found;
}

// Returns why the steps already made would have been different; empty if they would not.
std::string WhyOthers(const TrainOptions& train, const fs::path& run) {
  if (train.warm_up.share > 0) return "the warm-up is a share of all steps";
  if (DependsOnSteps(train)) {
    return fmt::format("the schedule \"{}\" depends on the number of all steps",
                       train.schedule.name);
  }
  const auto events = ReadEvents(run / "events.jsonl");
  const int64_t steps = events.ok() ? MakeRunView(*events).steps : 0;
  if (steps == 0 || train.warm_up.steps <= steps) return {};
  return fmt::format("the warm-up of {} steps is longer than the {} steps of the run",
                     train.warm_up.steps, steps);
}

Status CheckMore(int64_t made, const Assignment& said, const std::string& set) {
  if (said.value.get<int64_t>() > made) return Status::OK();
  return Refused(set,
                 fmt::format("the run has {} {}; resume can only add more", made,
                             said.path == kRounds ? "rounds" : "epochs"),
                 "", fmt::format("--set {}={} or more", said.path, made + 1));
}

// Sets more epochs if the steps already made would have been the same.
Status AddEpochs(const Assignment& said, const std::string& set, const fs::path& run,
                 Json& estimator) {
  TrainOptions train;
  PT_TRY(FieldsFromJson(estimator["train"], "train", train));
  PT_TRY(CheckMore(train.epochs, said, set));
  if (const std::string why = WhyOthers(train, run); !why.empty()) {
    return Refused(set, "the steps already taken would have had other learning rates", why,
                   "protium run JOB --set " + set + "  starts a new run");
  }
  estimator["train"]["epochs"] = said.value;
  return Status::OK();
}

// Sets more rounds of trees, which no earlier round depends on.
Status AddRounds(const Assignment& said, const std::string& set, Json& estimator) {
  TreeOptions trees;
  PT_TRY(FieldsFromJson(estimator["trees"], "trees", trees));
  PT_TRY(CheckMore(trees.rounds, said, set));
  estimator["trees"]["rounds"] = said.value;
  return Status::OK();
}

Status TrainOn(const Assignment& said, const std::string& set, const fs::path& run, const Json& job,
               Json& estimator) {
  if (job.value("search", Json()).is_object() || job.value("folds", Json()).is_object()) {
    return Refused(set, "a run with [search] or [folds] cannot be trained further",
                   "its results were measured with the original length",
                   "--set search.trials=N gives a search more trials; protium run JOB --set " +
                       set + "  starts a new run");
  }
  if (estimator.contains("of")) {
    return Refused(set, "the members of an average cannot be trained further", "",
                   "change `of` in the job, and run it again");
  }
  const bool trees = estimator.contains("trees");
  if (trees != (said.path == kRounds)) {
    return Refused(set, trees ? "trees have rounds, not epochs" : "a net has epochs, not rounds",
                   "", fmt::format("--set {}=N", trees ? kRounds : kEpochs));
  }
  return trees ? AddRounds(said, set, estimator) : AddEpochs(said, set, run, estimator);
}

Status CheckMoreTrials(const SearchOptions& search, const Assignment& said,
                       const std::string& set) {
  if (search.method == SearchMethod::kGrid) {
    return Refused(set, "a grid has all its trials", "",
                   "protium run JOB  with more values in [search.space] starts a run of its own");
  }
  PT_LET(const int64_t made, CountTrials(search, "search"));
  if (said.value > made) return Status::OK();
  return Refused(set, fmt::format("the search has {} trials; resume can only add more", made), "",
                 fmt::format("--set search.trials={} or more", made + 1));
}

// Gives a search more trials, or another budget: those that it has made stay as they are.
Status SetBudget(const Assignment& said, const std::string& set, Json& job) {
  if (!job.value("search", Json()).is_object()) {
    return Refused(set, "the run has no [search]", "",
                   "protium run JOB  with [search] in the job starts one");
  }
  SearchOptions before, after;
  PT_TRY(FieldsFromJson(job["search"], "search", before));
  Json search = job["search"];
  search[said.path.substr(kSearch.size())] = said.value;
  PT_TRY(FieldsFromJson(search, "search", after));
  if (said.path == "search.trials") PT_TRY(CheckMoreTrials(before, said, set));
  job["search"] = std::move(search);
  return Status::OK();
}

// Changes the gang: who trains does not decide the weights.
Status SetGang(const Assignment& said, Json& estimator) {
  Json gang = estimator.value("gang", Json::object());
  gang[said.path.substr(kGang.size())] = said.value;
  GangSpec checked;
  PT_TRY(FieldsFromJson(gang, "gang", checked));
  estimator["gang"] = std::move(gang);
  return Status::OK();
}

}  // namespace

Status ChangeRun(const std::vector<std::string>& sets, const fs::path& run, Json& description) {
  for (const std::string& set : sets) {
    PT_LET(const Assignment said, ReadAssignment(set));
    PT_TRY(CheckKey(said, set));
    Json& job = description["job"];
    Json* const estimator = description["kind"] == "job" ? EstimatorIn(job) : nullptr;
    if (estimator == nullptr) {
      return Refused(set, "only runs of a job with an estimator can be changed", "", "");
    }
    PT_TRY(IsBudget(said.path)            ? SetBudget(said, set, job)
           : said.path.starts_with(kGang) ? SetGang(said, *estimator)
                                          : TrainOn(said, set, run, job, *estimator));
    for (Json& each : description["settings"]) {
      if (each.value("key", "") != said.path) continue;
      each["value"] = said.value;
      each["from"] = "--set " + set;
    }
  }
  return Status::OK();
}

}  // namespace protium
