// SPDX-License-Identifier: Apache-2.0
#include "search/trials.h"

#include <algorithm>
#include <cmath>

#include "base/exact_sum.h"
#include "os/file.h"

namespace protium {
namespace {

// RFC 4180: quotes around a cell that needs them; quotes inside are doubled.
std::string Cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string CellOf(const Json& value) {
  if (value.is_null()) return {};
  return Cell(value.is_string() ? value.get<std::string>() : Dump(value));
}

Json Optional(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

double Sum(const std::vector<double>& values) {
  ExactSum sum;
  for (const double value : values) sum.Add(value);
  return sum.Rounded();
}

}  // namespace

void TrialTable::Add(Trial trial) {
  const auto after =
      std::ranges::find_if(trials_, [&](const Trial& each) { return each.number > trial.number; });
  trials_.insert(after, std::move(trial));
}

const Trial* TrialTable::best() const {
  const Trial* best = nullptr;
  for (const Trial& each : trials_) {
    if (each.state != TrialState::kDone || !each.value) continue;
    const bool better = best == nullptr || order_.LossOf(*each.value) < order_.LossOf(*best->value);
    if (better) best = &each;
  }
  return best;
}

Json TrialTable::ToJson() const {
  Json json = {{"metric", metric_}, {"higher_is_better", order_.higher_is_better}};
  json["best"] = best() != nullptr ? Json(best()->number) : Json();
  json["trials"] = Json::array();
  for (const Trial& each : trials_) json["trials"].push_back(FieldsToJson(each));
  return json;
}

std::string TrialTable::ToCsv() const {
  std::string text = "trial,state";
  for (const std::string& path : paths_) text += "," + Cell(path);
  text += "," + Cell(metric_) + ",deviation,folds,best_epoch,pruned_at,seconds,error\n";
  for (const Trial& each : trials_) {
    text += std::to_string(each.number) + "," + CellOf(fields::Write(each.state));
    for (const std::string& path : paths_) text += "," + CellOf(each.values.value(path, Json()));
    text += "," + CellOf(Optional(each.value)) + "," + CellOf(Optional(each.deviation)) + "," +
            CellOf(each.folds) + "," + std::to_string(each.best_epoch) + "," +
            (each.pruned_at > 0 ? std::to_string(each.pruned_at) : "") + "," +
            CellOf(each.seconds) + "," + Cell(each.error) + "\n";
  }
  return text;
}

Status TrialTable::Save(const std::filesystem::path& folder) const {
  PT_TRY(WriteFile(folder / "trials.json", Pretty(ToJson())));
  return WriteFile(folder / "trials.csv", ToCsv());
}

void Summarise(Trial& trial) {
  const auto count = double(trial.folds.size());
  const double mean = Sum(trial.folds) / count;
  trial.value = mean;
  if (trial.folds.size() < 2) return;
  std::vector<double> squares;
  for (const double value : trial.folds) squares.push_back((value - mean) * (value - mean));
  trial.deviation = std::sqrt(Sum(squares) / (count - 1));
}

}  // namespace protium
