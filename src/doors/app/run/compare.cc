// SPDX-License-Identifier: Apache-2.0
#include "app/run/compare.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "app/run/model_place.h"
#include "app/run/search_report.h"
#include "run/folder.h"
#include "run/summary.h"
#include "sources/row_sum.h"
#include "terminal/text_table.h"
#include "terminal/values.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr const char* kNothing = "  nothing differs in settings, inputs, versions";

// Returns the leaves of both trees side by side, in the order of `a`, then those of `b` only: first
// those that differ, then, with `all`, the others too.
Json Differences(const Json& a, const Json& b, bool all) {
  std::map<std::string, std::pair<Json, Json>> sides;
  std::vector<std::string> order;
  for (const auto& [path, value] : Leaves(a)) {
    if (sides.emplace(path, std::pair(value, Json())).second) order.push_back(path);
  }
  for (const auto& [path, value] : Leaves(b)) {
    if (!sides.contains(path)) order.push_back(path);
    sides[path].second = value;
  }
  Json rows = Json::array();
  for (const std::string& path : order) {
    const auto& [left, right] = sides[path];
    if (all || left != right) rows.push_back({{"key", path}, {"a", left}, {"b", right}});
  }
  const auto differs = [](const Json& row) { return row["a"] != row["b"]; };
  std::stable_partition(rows.begin(), rows.end(), differs);
  return rows;
}

// The settings of a run, flat: {"train.epochs": 10, ...}.
Json SettingsIn(const Json& run) {
  Json flat = Json::object();
  const Json settings = run["job"].value("settings", Json::array());
  for (const Json& each : settings) flat[each.value("key", "")] = each.value("value", Json());
  return flat;
}

Json Read(const fs::path& file) {
  const Result<std::string> text = ReadTextFile(file);
  return text.ok() ? ParseJson(*text).ValueOr(Json()) : Json();
}

// What was noted of a run's sources (frame/source_facts.h), by what they are.
using NotedSources = std::map<std::string, Json>;
NotedSources SourcesIn(const fs::path& run) {
  NotedSources sources;
  const Json noted = Read(run / "sources.json");
  for (const Json& each : noted.is_object() ? noted.value("sources", Json::array()) : Json()) {
    if (each.is_object()) sources.emplace(each.value("source", ""), each);
  }
  return sources;
}

// What identifies the contents of a source. `other` is the other run's sum.
std::string FactsText(const Json& facts, const std::string& other) {
  const std::string position = facts.value("position", ""), sum = facts.value("sum", "");
  const int64_t rows = facts.value("rows", int64_t{0});
  std::vector<std::string> parts;
  if (rows >= 0) parts.push_back(fmt::format("{} rows", rows));
  const bool strange = !other.empty() && !AreOfOneKind(sum, other);
  if (!sum.empty()) parts.push_back("sum " + sum + (strange ? " (not comparable)" : ""));
  if (!position.empty()) parts.push_back("at " + position);
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Returns the contents of the run's input files, by path, and of its sources, by what they are.
Json InputsIn(const fs::path& run, const NotedSources& sources, const NotedSources& others) {
  Json flat = Json::object();
  for (const auto& [source, facts] : sources) {
    const auto found = others.find(source);
    flat[source] = FactsText(facts, found == others.end() ? "" : found->second.value("sum", ""));
  }
  const Json files = Read(run / "inputs.json");
  if (!files.is_array()) return flat;
  for (const Json& each : files) {
    if (each.is_object()) flat[each.value("path", "")] = each.value("sha256", Json());
  }
  return flat;
}

Json VersionsIn(const Json& run) { return run["job"].value("versions", Json::object()); }

// The hash of all parameters, without the file around them; null for a run without a model.
Json WeightsOf(const fs::path& run) {
  return ReadJson(ModelPlace(run) / "model.json").value("weights_sha256", Json());
}

Json CompareWeights(const fs::path& a, const fs::path& b) {
  const Json left = WeightsOf(a), right = WeightsOf(b);
  const bool both = left.is_string() && right.is_string();
  return {{"equal", both ? Json(left == right) : Json()}, {"a", left}, {"b", right}};
}

// Shortens a hash for people to compare.
std::string ShortHash(const Json& hash) {
  return hash.is_string() ? hash.get<std::string>().substr(0, 12) : "-";
}

std::string EqualText(const Json& equal) {
  if (equal.is_null()) return "weights";
  return equal.get<bool>() ? "weights, equal bit for bit" : "weights, not equal";
}

// Returns names for column headings. On a terminal their common beginning appears once, on the
// left: each full name is too wide for three columns.
std::vector<std::string> Heads(const std::string& a, const std::string& b) {
  if (isatty(STDOUT_FILENO) == 0) return {"", a, b};
  const auto [end, other] = std::ranges::mismatch(a, b);
  const size_t alike = std::string_view(a.begin(), end).rfind('-');
  if (a == b || alike == std::string_view::npos) return {"", a, b};
  return {a.substr(0, alike + 1) + "...", a.substr(alike + 1), b.substr(alike + 1)};
}

}  // namespace

Json CompareRuns(const fs::path& a, const fs::path& b) {
  const Json left = RunAsJson(a), right = RunAsJson(b);
  const NotedSources of_a = SourcesIn(a), of_b = SourcesIn(b);
  const auto results = [&](const char* part) {
    return Differences(left["result"].value(part, Json::object()),
                       right["result"].value(part, Json::object()), true);
  };
  return {{"runs", {a.filename().string(), b.filename().string()}},
          {"weights", CompareWeights(a, b)},
          {"settings", Differences(SettingsIn(left), SettingsIn(right), false)},
          {"inputs", Differences(InputsIn(a, of_a, of_b), InputsIn(b, of_b, of_a), false)},
          {"versions", Differences(VersionsIn(left), VersionsIn(right), false)},
          {"search", Differences(SearchFacts(a), SearchFacts(b), true)},
          {"metrics", results("metrics")},
          {"seconds", results("seconds")}};
}

std::string ComparedAsText(const Json& compared) {
  const Json& weights = compared["weights"];
  std::vector<std::vector<std::string>> rows = {
      Heads(ValueText(compared["runs"][0]), ValueText(compared["runs"][1])),
      {EqualText(weights["equal"]), ShortHash(weights["a"]), ShortHash(weights["b"])}};
  const size_t before = rows.size();
  for (const char* part : {"settings", "inputs", "versions", "search", "metrics", "seconds"}) {
    if (std::string(part) == "search" && rows.size() == before) rows.push_back({kNothing});
    if (compared[part].empty()) continue;
    rows.push_back({part});
    const bool inputs = std::string(part) == "inputs";
    for (const Json& row : compared[part]) {
      const auto text = [&](const char* side) {
        const bool hash = inputs && ValueText(row[side]).find(' ') == std::string::npos;
        return hash ? ShortHash(row[side]) : ValueText(row[side]);
      };
      rows.push_back({"  " + row["key"].get<std::string>(), text("a"), text("b")});
    }
  }
  return FittedTable(std::move(rows));
}

}  // namespace protium
