// SPDX-License-Identifier: Apache-2.0
#include "search/known_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <utility>

#include "base/fault.h"
#include "frame/session_state.h"
#include "os/file.h"
#include "search/first_trials.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

Status RefusedFrom(std::string what, std::string fix) {
  return Fail({.exit = Exit::kUsage,
               .what = std::move(what),
               .where = "search.from",
               .fix = std::move(fix)});
}

// All its values are of the space, and nothing but what has a condition is left out.
bool LiesIn(const Space& space, const Json& values) {
  const bool kinds = std::ranges::find(space, "kind", &Dimension::path) != space.end();
  size_t found = 0;
  for (const Dimension& each : space) {
    const auto value = values.find(each.path);
    if (value == values.end()) {
      if (!kinds) return false;
      continue;
    }
    if (!Holds(each, *value)) return false;
    ++found;
  }
  return found == values.size();
}

Result<Json> ReadTable(const fs::path& run) {
  const fs::path file = run / "trials.json";
  if (!fs::exists(file)) {
    return RefusedFrom("there is no table of trials in " + run.string(),
                       "name the folder of a run with [search]; `protium runs` lists them");
  }
  PT_LET(const std::string text, ReadFile(file));
  return ParseJson(text);
}

// By what is required now. A search by one metric without requirements may have noted no others.
void Rejudge(const TrialOrder& order, Trial& trial) {
  if (trial.state != TrialState::kDone || !order.measures()) return;
  trial.violation.reset();
  trial.error.clear();
  if (!trial.measured && trial.value) trial.measured = Json{{order.first().name, *trial.value}};
  if (!order.Lacks(trial)) order.Judge(trial);
}

using Contents = std::map<std::string, std::string>;

// What identifies each file: its hash, or its size and time if it was too large for one.
template <class Files>
Contents ContentsOf(const Files& files) {
  Contents contents;
  for (const InputFile& each : files) {
    contents[each.path] =
        !each.sha256.empty() ? each.sha256 : fmt::format("{} {}", each.bytes, each.modified);
  }
  return contents;
}

}  // namespace

std::optional<fs::path> KnownTrials::FolderOf(const Json& values) const {
  const auto found = std::ranges::find(trials, values, &Trial::values);
  if (found == trials.end()) return std::nullopt;
  return run / "trials" / fmt::format("{:03}", found->number);
}

Result<KnownTrials> ReadKnownTrials(const std::string& from, const TrialOrder& order,
                                    const Space& space) {
  const std::string& metric = order.first().name;
  KnownTrials known{.run = from};
  if (from.empty()) return known;
  PT_LET(const Json table, ReadTable(known.run));
  const std::string by = TextAt(table, "metric");
  if (by != metric) {
    return RefusedFrom(
        fmt::format("the trials of {} are compared by {}, these by {}", from, by, metric),
        fmt::format("set metric = \"{}\", or leave from out", by));
  }
  for (const Json& each : table.value("trials", Json::array())) {
    Trial trial;
    PT_TRY(FieldsFromJson(each, "trials.json", trial));
    if (!LiesIn(space, trial.values)) continue;
    Rejudge(order, trial);
    known.trials.push_back(std::move(trial));
  }
  if (!known.trials.empty()) return known;
  return RefusedFrom("no trial of " + from + " lies in the space of this search",
                     "search the same options, or leave from out");
}

void BeginWith(const KnownTrials& known, const TrialOrder& order, Proposed& proposed) {
  if (known.trials.empty()) return;
  for (const Trial& each : known.trials) {
    if (each.state == TrialState::kDone && order.Lacks(each)) continue;
    proposed.known.push_back(
        {.at = proposed.tpe->PointOf(each.values), .outcome = order.OutcomeOf(each)});
  }
  const Trial* const best = BestOf(known.trials, order);
  proposed.first.resize(1);
  if (best != nullptr) proposed.first.front() = best->values;
  // The best one is tried again, the others are not.
  const int64_t points = proposed.tpe->CountPoints();
  if (points == 0) return;
  const auto tried = int64_t(known.trials.size()) - (best != nullptr ? 1 : 0);
  proposed.count = std::min(proposed.count, std::max<int64_t>(points - tried, 1));
}

bool ReadsTheSame(const KnownTrials& known, SessionState& session) {
  const Result<std::string> text = ReadFile(known.run / "inputs.json");
  if (!text.ok() || fs::exists(known.run / "sources.json")) return false;
  const Result<Json> json = ParseJson(*text);
  std::vector<InputFile> files;
  if (!json.ok() || !fields::Read(*json, "inputs.json", files).ok()) return false;
  return ContentsOf(files) == ContentsOf(std::views::values(session.inputs().files()));
}

}  // namespace protium
