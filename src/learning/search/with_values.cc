// SPDX-License-Identifier: Apache-2.0
#include "search/with_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "base/nearest.h"
#include "model/preview.h"
#include "pipeline/estimator_kind.h"
#include "search/space.h"

namespace protium {
namespace {

using Steps = std::vector<std::string>;

// Names of an estimator's options without naming the estimator, as in job files, and its kind.
constexpr const char* kKind = "kind";
constexpr const char* kOfEstimator[] = {"train", "gang", "net", "trees", "loss", kKind};

Steps Cut(std::string_view path) {
  Steps steps;
  while (true) {
    const size_t dot = path.find('.');
    steps.emplace_back(path.substr(0, dot));
    if (dot == path.npos) return steps;
    path.remove_prefix(dot + 1);
  }
}

std::string Join(const Steps& steps) { return fmt::format("{}", fmt::join(steps, ".")); }

// The dotted paths of all options below `node`; lists are leaves.
void ListPaths(const Json& node, const std::string& path, std::vector<std::string>& paths) {
  paths.push_back(path);
  if (!node.is_object()) return;
  for (const auto& [key, value] : node.items()) ListPaths(value, path + "." + key, paths);
}

// Where a value goes: the options of a stage, and the steps below them.
struct Target {
  size_t stage = 0;
  Steps steps;
};

class Paths {
 public:
  Paths(const Json& pipeline, const Catalogue& catalogue) : pipeline_(pipeline) {
    for (size_t i = 0; i < pipeline.size(); ++i) {
      if (IsEstimator(catalogue, pipeline[i])) estimators_.push_back(i);
    }
  }

  // nullopt: the path does not exist.
  std::optional<Target> Find(const std::string& path) const {
    Steps steps = Cut(path);
    if (std::ranges::find(kOfEstimator, steps.front()) != std::end(kOfEstimator)) {
      if (estimators_.size() != 1) return std::nullopt;
      return Target{estimators_.front(), std::move(steps)};
    }
    if (steps.front() != "pipeline" || steps.size() < 3) return std::nullopt;
    const std::optional<size_t> stage = FindStage(steps[1]);
    if (!stage) return std::nullopt;
    steps.erase(steps.begin(), steps.begin() + 2);
    return Target{*stage, std::move(steps)};
  }

  // Lists the existing paths, for suggestions.
  std::vector<std::string> Known() const {
    std::vector<std::string> paths;
    for (const size_t i : estimators_) {
      if (estimators_.size() != 1) continue;
      for (const char* name : kOfEstimator) {
        ListPaths(pipeline_[i].value(name, Json()), name, paths);
      }
    }
    for (size_t i = 0; i < pipeline_.size(); ++i) {
      const std::string id = pipeline_[i].value("id", "");
      const std::string stage = "pipeline." + (id.empty() ? std::to_string(i) : id);
      for (const auto& [key, value] : pipeline_[i].items()) {
        if (key != "kind" && key != "id") paths.push_back(stage + "." + key);
      }
    }
    return paths;
  }

 private:
  std::optional<size_t> FindStage(const std::string& name) const {
    for (size_t i = 0; i < pipeline_.size(); ++i) {
      if (pipeline_[i].value("id", Json()) == name) return i;
    }
    size_t index = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
    const bool whole = error == std::errc() && end == name.data() + name.size();
    return whole && index < pipeline_.size() ? std::optional(index) : std::nullopt;
  }

  const Json& pipeline_;
  std::vector<size_t> estimators_;
};

// Refuses a path that does not exist. People leave out the first step ("epochs"), and think of
// settings that all trials share ("split.test").
Status Nowhere(const Paths& paths, const std::string& path, const std::string& where) {
  const std::vector<std::string> known = paths.Known();
  Fault fault{.exit = Exit::kUsage,
              .what = fmt::format("there is no option \"{}\" that a search could vary", path),
              .where = where,
              .fix = Suggest(path, known)};
  const auto longer = std::ranges::find_if(
      known, [&](const std::string& each) { return each.ends_with("." + path); });
  if (longer != known.end()) fault.fix = fmt::format("did you mean \"{}\"?", *longer);
  if (fault.fix.empty()) {
    fault.why = "trials share the tables and the SQL: only options of the pipeline can differ";
    fault.fix = "a path begins with train, net, trees, loss, gang, kind, or pipeline.ID";
  }
  return Fail(std::move(fault));
}

// Removes what the options of a kind do not have: a trial of another kind than the pipeline's takes
// only what both share, and of the space only what is for it.
void KeepKnown(const std::vector<DescribedField>& fields, Json& options) {
  if (!options.is_object()) return;
  for (auto at = options.begin(); at != options.end();) {
    const auto found = std::ranges::find(fields, at.key(), &DescribedField::name);
    const bool known = found != fields.end();
    if (known && !found->type.fields.empty()) KeepKnown(found->type.fields, *at);
    at = known || at.key() == kKind ? std::next(at) : options.erase(at);
  }
}

// Where the space ranges over kinds of estimators, fits each estimator to the trial's kind.
void FitToKinds(const Json& values, const Catalogue& catalogue, Json& stages) {
  if (!values.contains(kKind)) return;
  for (size_t i = 0; i < stages.size(); ++i) {
    const std::string kind = stages[i].value(kKind, "");
    const auto row = std::ranges::find(catalogue.stages, kind, &StageRow::name);
    if (row == catalogue.stages.end() || row->estimator == nullptr) continue;
    KeepKnown(row->options, stages[i]);
  }
}

Status CheckKind(const Json& values, const Catalogue& catalogue, const std::string& path) {
  if (!values.contains(kKind) || IsEstimator(catalogue, values)) return Status::OK();
  std::vector<std::string> kinds;
  for (const StageRow& row : catalogue.stages) {
    if (row.estimator != nullptr) kinds.push_back(row.name);
  }
  return Fail({.exit = Exit::kUsage,
               .what = "there is no estimator " + Dump(values[kKind]),
               .where = path + "." + kKind,
               .fix = "one of: " + Dump(Json(kinds))});
}

// Sets `value` at `steps` below `options`. Another name replaces a choice completely: options of
// the old choice would not fit.
bool Put(Json& options, const Steps& steps, const Json& value) {
  Json* node = &options;
  for (size_t i = 0; i < steps.size(); ++i) {
    // optimizer = "adam" is short for { name = "adam" }.
    if (node->is_string()) *node = Json{{"name", *node}};
    if (node->is_null()) *node = Json::object();
    if (!node->is_object()) return false;
    const bool last = i + 1 == steps.size();
    if (last && steps[i] == "name" && node->value("name", Json()) != value) *node = Json::object();
    node = &(*node)[steps[i]];
  }
  *node = value;
  return true;
}

// Paths of few steps first; among equals, names before other options.
std::vector<std::string> InOrder(const Json& values) {
  std::vector<std::string> paths;
  for (const auto& [path, value] : values.items()) paths.push_back(path);
  std::ranges::stable_sort(paths, {}, [](const std::string& path) {
    return std::pair(std::ranges::count(path, '.'), !path.ends_with(".name"));
  });
  return paths;
}

// Gives a fault about the options of the trial's pipeline the path of the value that it comes from:
// the longest one that is a prefix of the fault's `where`, or has it as a prefix.
Status OfTrial(const Status& status, const Json& values, const Paths& paths,
               const std::string& path) {
  Fault fault = FaultOf(status);
  std::string of;
  for (const auto& [name, value] : values.items()) {
    const auto target = paths.Find(name);
    if (!target) continue;
    const std::string place = fmt::format("pipeline.{}.{}", target->stage, Join(target->steps));
    const bool close = fault.where.starts_with(place) || place.starts_with(fault.where);
    if (close && name.size() > of.size()) of = name;
  }
  fault.where = of.empty() ? path : path + "." + of;
  const std::string trial = "in the trial with " + ValuesText(values);
  fault.why = fault.why.empty() ? trial : fault.why + "; " + trial;
  return Fail(std::move(fault));
}

}  // namespace

Result<Pipeline> WithValues(const Pipeline& pipeline, const Json& values,
                            const std::shared_ptr<const Catalogue>& own, const std::string& path) {
  const Json given = StagesToJson(pipeline.stages());
  PT_LET(const Catalogue catalogue, WithBuiltIns(own));
  const Paths paths(given, catalogue);
  Json list = given;
  for (const std::string& name : InOrder(values)) {
    const std::optional<Target> target = paths.Find(name);
    if (!target || !Put(list[target->stage], target->steps, values[name])) {
      return Nowhere(paths, name, path + "." + name);
    }
  }
  PT_TRY(CheckKind(values, catalogue, path));
  FitToKinds(values, catalogue, list);
  Result<Pipeline> changed = PipelineFromJson(list, own);
  if (changed.ok() || values.empty()) return changed;
  return OfTrial(changed.status(), values, paths, path);
}

}  // namespace protium
