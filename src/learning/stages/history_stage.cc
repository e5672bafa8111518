// SPDX-License-Identifier: Apache-2.0
#include "stages/history_stage.h"

#include <arrow/type.h>
#include <fmt/format.h>

#include <algorithm>

#include "plan/aggregates.h"
#include "plan/time_cut.h"

// Three SELECTs, one within the other: values as doubles and the time; the windows' results; the
// outputs. Names with two underscores in front exist only within them.

namespace protium {
namespace {

constexpr const char* kTime = "__time";

StageNames WithOrder(StageNames names, const HistoryOptions& options) {
  names.inputs.insert(names.inputs.end(), options.by.begin(), options.by.end());
  names.inputs.push_back(options.time);
  return names;
}

}  // namespace

std::string WindowCalls::Add(std::string call) {
  const auto found = std::ranges::find(calls_, call);
  const auto at = found - calls_.begin();
  if (found == calls_.end()) calls_.push_back(std::move(call));
  return "__call_" + std::to_string(at);
}

HistoryStage::HistoryStage(const HistoryOptions& options, StageNames names)
    : PlainStage(WithOrder(std::move(names), options)), time_(options.time), by_(options.by) {}

Status HistoryStage::CheckInput(size_t i, const arrow::DataType& type) const {
  if (i < num_values()) return CheckNumeric(type);
  if (i + 1 < inputs().size()) {
    return type.id() == arrow::Type::DATE32 ? Status::OK() : CheckCategories(type);
  }
  if (measures_time() && arrow::is_integer(type.id())) {
    return Status::TypeError("a date or a time, which a window of time needs");
  }
  return CheckTime(type);
}

void HistoryStage::NameOutputs(const std::vector<std::string>& endings) {
  outputs_each_ = endings.size();
  Columns outputs;
  for (size_t i = 0; i < num_values(); ++i) {
    for (const std::string& ending : endings) {
      outputs.push_back(fmt::format("{}__{}__{}", inputs()[i], id(), ending));
    }
  }
  SetOutputs(std::move(outputs));
}

std::string HistoryStage::Ordered() const {
  const std::string parts = by_.empty() ? "" : "PARTITION BY " + NameList(by_) + " ";
  return fmt::format("{}ORDER BY {}", parts, kTime);
}

std::string HistoryStage::Over(const std::string& frame) const {
  return fmt::format("OVER ({}{}{})", Ordered(), frame.empty() ? "" : " ", frame);
}

Plan HistoryStage::Apply(Plan rows, const Columns& columns) const {
  std::string values;
  for (size_t i = 0; i < num_values(); ++i) {
    values += fmt::format(", CAST({} AS DOUBLE) AS {}", NameList({inputs()[i]}), ValueName(i));
  }
  WindowCalls calls;
  const std::string before = calls.Add(fmt::format("lag({}) {}", kTime, Over("")));
  const std::string none = NoTimeInSql(time_, "the stage \"" + id() + "\"");
  const std::string twice = ErrorInSql(fmt::format(
      "column \"{}\" has the same value in two rows{}, and the stage \"{}\" needs their "
      "order",
      time_, by_.empty() ? "" : " of a group", id()));
  std::string outputs;
  for (size_t i = 0; i < this->outputs().size(); ++i) {
    outputs +=
        fmt::format(", CASE WHEN {1} IS NULL THEN {2} WHEN {0} = {1} THEN {3} ELSE {4} END AS {5}",
                    before, kTime, none, twice, SqlOf(i, calls), NameList({this->outputs()[i]}));
  }
  std::string windows;
  for (size_t i = 0; i < calls.all().size(); ++i) {
    windows += fmt::format(", {} AS __call_{}", calls.all()[i], i);
  }
  const std::string time = NameList({time_});
  const std::string moment =
      measures_time() ? fmt::format("unix_micros(CAST({} AS TIMESTAMP))", time) : time;
  std::string text = fmt::format(
      "SELECT {0}{1} FROM (SELECT *{2} FROM (SELECT *, {3} AS {4}{5} FROM rows) AS valued) AS "
      "windowed",
      NameList(columns), outputs, windows, moment, kTime, values);
  return MakePlan(Sql{.text = std::move(text),
                      .names = {"rows"},
                      .verb = fmt::format("\"{}\" over earlier rows", id()),
                      .without_ties = true},
                  {std::move(rows)});
}

}  // namespace protium
