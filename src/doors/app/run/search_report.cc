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
  return fmt::format("{:.{}f}%", 100 * share, share < 0.0995 ? 1 : 0);
}

// "  importance: ...", a line for each metric.
std::string ImportanceText(const TriedSearch& search) {
  std::string text;
  for (const auto& [objective, importance] : ImportanceByObjective(search)) {
    std::vector<OptionImportance> order = importance.options;
    std::ranges::stable_sort(order, std::greater<>(), &OptionImportance::share);
    std::string line = "  importance";
    if (search.objectives.size() > 1) line += " for " + search.objectives[objective].metric;
    for (const OptionImportance& each : order) {
      line += fmt::format("{} {} {}", &each == order.data() ? ":" : ",", Brief(each.path),
                          Percent(each.share));
    }
    text += FittedLines(line + "\n");
  }
  return text;
}

// "  epochs 1 to 4 (trial 3): optimizer.learning_rate 0.01", a line for each set of options.
std::string ScheduleText(const TriedSearch& search) {
  if (search.schedule.empty()) return {};
  std::string text = "  the best was trained with\n";
  for (const TriedPhase& each : search.schedule) {
    std::string line = each.first == each.last
                           ? fmt::format("    epoch {}", each.first)
                           : fmt::format("    epochs {} to {}", each.first, each.last);
    line += fmt::format(" (trial {})", each.trial);
    const char* comma = ": ";
    for (const auto& [path, value] : each.values.items()) {
      line += std::exchange(comma, ", ") + Brief(path) + " " + ValueText(value);
    }
    text += FittedLines(line + "\n");
  }
  return text;
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
  return fmt::format("  {} {}: {}{}\n{}{}{}", search->trials.size(),
                     search->trials.size() == 1 ? "trial" : "trials", counts,
                     search->front.empty() ? "" : "; the Pareto front:", TrialsTable(*search),
                     ScheduleText(*search), ImportanceText(*search));
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
  for (const auto& [objective, importance] : ImportanceByObjective(*search)) {
    const std::string of = objective == 0 ? "" : " for " + search->objectives[objective].metric;
    for (const OptionImportance& each : importance.options) {
      facts["importance of " + each.path + of] = Percent(each.share);
    }
  }
  return facts;
}

}  // namespace protium
