// SPDX-License-Identifier: Apache-2.0
#include "search/same_search.h"

#include <string>
#include <vector>

#include "base/digest.h"
#include "base/fault.h"
#include "os/file.h"

namespace protium {
namespace {

// What a method learns from; null if nothing.
Json TrialsOf(const KnownTrials& known) {
  if (known.trials.empty()) return {};
  Json trials = Json::array();
  for (const Trial& each : known.trials) trials.push_back(FieldsToJson(each));
  return Sha256Hex(Dump(trials));
}

Json Identity(const Search& search, const SettledSearch& settled) {
  const SearchOptions& options = search.options();
  MetricNames metrics;
  for (const OrderedMetric& each : settled.order.metrics) metrics.push_back(each.name);
  Json identity = {{"method", fields::Write(options.method)},
                   {"seed", options.seed},
                   {"lag", options.Lag()},
                   {"metric", ToJson(metrics)},
                   {"prune", PruningToJson(settled.prune)},
                   {"from", TrialsOf(settled.known)},
                   {"space", ToJson(options.space)}};
  if (!options.first.empty()) identity["first"] = options.first;
  if (!options.require.empty()) identity["require"] = options.require;
  if (const auto& population = settled.proposed.population) {
    identity["population"] = population->members();
    identity["every"] = population->every();
  }
  return identity;
}

// Whether a trial of such a search depends on others.
bool Depends(const Json& identity) {
  return identity.contains("population") || TextAt(identity, "method") == "tpe" ||
         !identity.value("prune", Json()).is_null();
}

// The dotted paths below `path` at which two objects differ.
void ListDifferences(const Json& was, const Json& is, const std::string& path,
                     std::vector<std::string>& differ) {
  for (const auto* each : {&was, &is}) {
    for (const auto& [key, value] : each->items()) {
      if (each == &is && was.contains(key)) continue;
      const Json a = was.value(key, Json()), b = is.value(key, Json());
      if (a == b) continue;
      if (key == "space" && a.is_object() && b.is_object()) {
        ListDifferences(a, b, path + key + ".", differ);
      } else {
        differ.push_back(path + key);
      }
    }
  }
}

}  // namespace

std::vector<std::string> DifferencesOf(const Json& was, const Json& is) {
  std::vector<std::string> differ;
  ListDifferences(was, is, "search.", differ);
  return differ;
}

Status CheckSameSearch(const Search& search, const SettledSearch& settled,
                       const std::filesystem::path& trials, bool resume) {
  const Json identity = Identity(search, settled);
  const std::filesystem::path file = trials / "search.json";
  if (!resume || !std::filesystem::exists(file)) {
    PT_TRY(MakeFolder(trials));
    return WriteFile(file, Pretty(identity));
  }
  PT_LET(const std::string text, ReadFile(file));
  PT_LET(const Json was, ParseJson(text));
  if (!Depends(was) && !Depends(identity)) {
    return WriteFile(file, Pretty(identity));
  }
  const std::vector<std::string> differ = DifferencesOf(was, identity);
  if (differ.empty()) return Status::OK();
  return Fail(
      {.exit = Exit::kUsage,
       .what = "the search differs from the one that this run began in: " + Dump(Json(differ)),
       .where = differ.front(),
       .why = "each trial depends on those before it",
       .fix = "resume with the same search (more trials are fine), or begin a new run"});
}

}  // namespace protium
