// SPDX-License-Identifier: Apache-2.0
#include "app/run/search_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "terminal/text_table.h"
#include "terminal/values.h"
#include "trials/importance.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr size_t kShown = 5;  // Trials, unless the front has more.
constexpr std::array kStates = {"done", "pruned", "failed"};

int64_t CountOf(const TriedSearch& search, std::string_view state) {
  return std::ranges::count(search.trials, state, &TriedTrial::state);
}

// "train.optimizer.learning_rate" as "optimizer.learning_rate": headings are narrow.
std::string Brief(const std::string& path) {
  return path.starts_with("train.") ? path.substr(6) : path;
}

std::vector<const TriedTrial*> ShownTrials(const TriedSearch& search) {
  std::vector<const TriedTrial*> trials = search.BestFirst();
  const auto shown = [&](const TriedTrial* each) {
    const bool on_front = std::ranges::find(search.front, each->number) != search.front.end();
    return search.front.empty() ? each->state != "failed" : on_front;
  };
  std::erase_if(trials, [&](const TriedTrial* each) { return !shown(each); });
  if (search.front.empty()) trials.resize(std::min(trials.size(), kShown));
  return trials;
}

std::string TrialsTable(const TriedSearch& search) {
  std::vector<std::vector<std::string>> rows = {{"  trial"}};
  std::vector<bool> right = {true};
  for (const TriedObjective& each : search.objectives) rows[0].push_back(each.metric);
  right.resize(rows[0].size(), true);
  for (const TriedOption& each : search.options) {
    rows[0].push_back(Brief(each.path));
    right.push_back(each.range());
  }
  rows[0].emplace_back("");
  for (const TriedTrial* trial : ShownTrials(search)) {
    std::vector<std::string> row = {std::to_string(trial->number)};
    for (size_t i = 0; i < search.objectives.size(); ++i) {
      const bool known = i < trial->measured.size();
      const Json first = i == 0 && trial->value ? Json(*trial->value) : Json();
      row.push_back(ValueText(known ? Json(trial->measured[i]) : first));
    }
    for (const TriedOption& each : search.options) {
      row.push_back(ValueText(trial->values.value(each.path, Json())));
    }
    row.push_back(trial->pruned_at > 0           ? fmt::format("pruned at {}", trial->pruned_at)
                  : trial->number == search.best ? "the best"
                                                 : "");
    rows.push_back(std::move(row));
  }
  return FittedTable(std::move(rows), right);
}

std::string Percent(double share) {
  return fmt::format("{:.{}f} %", 100 * share, share < 0.0995 ? 1 : 0);
}

std::string ImportanceText(const TriedSearch& search) {
  const std::optional<Importance> found = ImportanceOf(search);
  if (!found) return {};
  std::vector<OptionImportance> order = found->options;
  std::ranges::stable_sort(order, std::greater<>(), &OptionImportance::share);
  std::string text = "  importance: ";
  for (const OptionImportance& each : order) {
    text += fmt::format("{}{} {}", &each == order.data() ? "" : ", ", Brief(each.path),
                        Percent(each.share));
  }
  return FittedLines(text + "\n");
}

}  // namespace

std::string SearchAsText(const fs::path& run) {
  const std::optional<TriedSearch> search = ReadTriedSearch(run);
  if (!search) return {};
  std::string counts;
  for (const char* state : kStates) {
    const int64_t count = CountOf(*search, state);
    if (count > 0) counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, state);
  }
  return fmt::format("  {} {}: {}{}\n{}{}", search->trials.size(),
                     search->trials.size() == 1 ? "trial" : "trials", counts,
                     search->front.empty() ? "" : "; those that no other is better than:",
                     TrialsTable(*search), ImportanceText(*search));
}

Json SearchFacts(const fs::path& run) {
  const std::optional<TriedSearch> search = ReadTriedSearch(run);
  if (!search) return Json::object();
  Json facts = {{"trials", search->trials.size()}};
  for (const char* state : kStates) facts[state] = CountOf(*search, state);
  const auto best = std::ranges::find(search->trials, search->best, &TriedTrial::number);
  if (best != search->trials.end()) {
    facts["best trial"] = best->number;
    if (best->value) facts["best " + search->first().metric] = *best->value;
    for (const auto& [path, value] : best->values.items()) facts["best " + path] = value;
  }
  if (const std::optional<Importance> found = ImportanceOf(*search)) {
    for (const OptionImportance& each : found->options) {
      facts["importance of " + each.path] = Percent(each.share);
    }
  }
  return facts;
}

}  // namespace protium
