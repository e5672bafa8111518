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

void TrialTable::DropAbove(int64_t number) {
  std::erase_if(trials_, [&](const Trial& each) { return each.number > number; });
}

Json TrialTable::ToJson() const {
  const OrderedMetric& first = order_.first();
  Json json = {{"metric", first.name}, {"higher_is_better", first.order.higher_is_better}};
  if (order_.several()) {
    for (const OrderedMetric& each : order_.metrics) json["objectives"].push_back(each.name);
    json["front"] = Json::array();
    for (const Trial* each : FrontOf(trials_, order_)) json["front"].push_back(each->number);
  }
  for (const Requirement& each : order_.require) json["require"].push_back(each.text);
  if (elapsed_) json["elapsed_seconds"] = *elapsed_;
  json["best"] = best() != nullptr ? Json(best()->number) : Json();
  if (population_ && best() != nullptr) {
    json["schedule"] = ScheduleOf(*population_, trials_, best()->number);
  }
  json["trials"] = Json::array();
  for (const Trial& each : trials_) json["trials"].push_back(FieldsToJson(each));
  return json;
}

std::string TrialTable::ToCsv() const {
  std::string text = "trial,state";
  for (const std::string& path : paths_) text += "," + Cell(path);
  const std::vector<std::string> names = order_.Names();
  text += "," + Cell(names.front()) + ",deviation,folds,best_epoch,pruned_at,seconds,error";
  for (size_t i = 1; i < names.size(); ++i) text += "," + Cell(names[i]);
  text += population_ ? ",parent,at_end\n" : "\n";
  for (const Trial& each : trials_) {
    text += std::to_string(each.number) + "," + CellOf(fields::Write(each.state));
    for (const std::string& path : paths_) text += "," + CellOf(each.values.value(path, Json()));
    text += "," + CellOf(Optional(each.value)) + "," + CellOf(Optional(each.deviation)) + "," +
            CellOf(each.folds) + "," + std::to_string(each.best_epoch) + "," +
            (each.pruned_at > 0 ? std::to_string(each.pruned_at) : "") + "," +
            CellOf(each.seconds) + "," + Cell(each.error);
    const Json measured = each.measured.value_or(Json::object());
    for (size_t i = 1; i < names.size(); ++i)
      text += "," + CellOf(measured.value(names[i], Json()));
    if (population_) {
      text += "," + (each.parent ? std::to_string(*each.parent) : "") + "," +
              CellOf(Optional(each.at_end));
    }
    text += "\n";
  }
  return text;
}

Status TrialTable::Save(const std::filesystem::path& folder) const {
  PT_TRY(WriteFile(folder / "trials.json", Pretty(ToJson())));
  return WriteFile(folder / "trials.csv", ToCsv());
}

double MeanOf(const std::vector<double>& values) { return Sum(values) / double(values.size()); }

void Summarise(Trial& trial) {
  const auto count = double(trial.folds.size());
  const double mean = MeanOf(trial.folds);
  trial.value = mean;
  if (trial.folds.size() < 2) return;
  std::vector<double> squares;
  for (const double value : trial.folds) squares.push_back((value - mean) * (value - mean));
  trial.deviation = std::sqrt(Sum(squares) / (count - 1));
}

}  // namespace protium
