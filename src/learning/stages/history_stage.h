// SPDX-License-Identifier: Apache-2.0
// Stages whose outputs for a row come from earlier rows of its group, in the order of time.
//
// 1. They read columns of the table, never those of other stages: they are applied first, to all
//    rows, before any is held out (pipeline/history.h).
// 2. A row sees only rows of earlier times, unless sees_own_row(); of two rows of a group no two
//    may have the same time, so the order has no ties. A row without a time fails the query.
// 3. Nothing depends on the order in which an engine adds: sums are sums of whole numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stages/column_stage.h"
#include "stages/row.h"

namespace protium {

// The options that all of them have.
struct HistoryOptions {
  std::string id;
  Inputs inputs;
  std::string time;
  Columns by;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id, {.help = kIdHelp});
    visit("inputs", inputs, {.help = "columns of the table: numbers, the label among them"});
    visit("time", time,
          {.help = "the column that orders rows: a date, a time or whole numbers, different in "
                   "every row of a group",
           .filled = "a column of the table"});
    visit("by", by,
          {.help = "rows with equal values in these are one series; unless set, all rows are"});
  }
};

// How far back the outputs of a row look: over so many rows, over so many microseconds, or, if
// neither is set, over all rows before it.
struct Reach {
  std::optional<int64_t> rows;
  std::optional<int64_t> micros;
  int64_t nearest = 1;  // The latest row that is looked at is at least so many rows before.
};

// Calls of window functions, each listed once.
class WindowCalls {
 public:
  // Returns the name of the column that holds the call's result.
  std::string Add(std::string call);
  const std::vector<std::string>& all() const { return calls_; }

 private:
  std::vector<std::string> calls_;
};

class HistoryStage : public PlainStage {
 public:
  HistoryStage(const HistoryOptions& options, StageNames names);
  // The columns whose earlier values it reads: the first of inputs(). Then come by() and time().
  size_t num_values() const { return inputs().size() - by_.size() - 1; }
  const Columns& by() const { return by_; }
  const std::string& time() const { return time_; }

  virtual Reach reach() const = 0;
  // Whether outputs of a row are made from its own values, too.
  virtual bool sees_own_row() const { return false; }

  const HistoryStage* history() const override { return this; }
  std::vector<size_t> inputs_of(size_t i) const override { return {InputOf(i)}; }
  Status CheckInput(size_t i, const arrow::DataType& type) const override;
  Plan Apply(Plan rows, const Columns& columns) const override;

 protected:
  // Names the outputs <input>__<id>__<ending>: for each input as many as there are endings.
  void NameOutputs(const std::vector<std::string>& endings);
  // Which input output `i` is made of, and which of the endings it has.
  size_t InputOf(size_t i) const { return i / outputs_each_; }
  size_t EndingOf(size_t i) const { return i % outputs_each_; }
  // Whether windows are measured in microseconds: then `time` is a date or a timestamp.
  virtual bool measures_time() const { return false; }
  // SQL of output `i`, a double, over the columns of `calls` and over ValueName().
  virtual std::string SqlOf(size_t i, WindowCalls& calls) const = 0;
  // The column of an input as a double, within a call.
  static std::string ValueName(size_t input) { return "__value_" + std::to_string(input); }
  // OVER (...): the rows of the group in the order of time, with a frame such as "ROWS BETWEEN 7
  // PRECEDING AND 1 PRECEDING", or "" for functions that take none.
  std::string Over(const std::string& frame) const;

 private:
  std::string Ordered() const;

  std::string time_;
  Columns by_;
  size_t outputs_each_ = 1;  // Of an input.
};

template <class S, class Options>
StageRow MakeHistoryRow(std::string name, std::string help) {
  StageRow row = MakeStageRow<S, Options>(std::move(name), std::move(help));
  row.reads_history = true;
  return row;
}

}  // namespace protium
