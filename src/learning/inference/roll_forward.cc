// SPDX-License-Identifier: Apache-2.0
#include "inference/roll_forward.h"

#include <arrow/api.h>
#include <arrow/compute/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "column/batches.h"
#include "pipeline/history.h"
#include "pipeline/objective.h"
#include "stages/history_stage.h"

namespace protium {
namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

// The labels of all rows: those that were given, and predictions as they come.
class KnownLabels {
 public:
  explicit KnownLabels(const arrow::DoubleArray& given) {
    for (int64_t i = 0; i < given.length(); ++i) {
      missing_.push_back(given.IsNull(i));
      values_.push_back(given.IsNull(i) ? std::nullopt : std::optional(given.Value(i)));
    }
  }
  bool missing(size_t row) const { return missing_[row]; }
  void Predicted(size_t row, std::optional<double> value) {
    if (missing_[row]) values_[row] = value;
  }
  std::shared_ptr<arrow::Array> Column() const {
    arrow::DoubleBuilder builder;
    for (const auto& value : values_) (void)builder.AppendOrNull(value);
    return builder.Finish().ValueOrDie();
  }

 private:
  std::vector<bool> missing_;  // As given.
  std::vector<std::optional<double>> values_;
};

// The round in which each row can be predicted: one after that of the last prediction which it
// reads. `rows` are one series in the order of time.
void PlaceInRounds(std::span<const size_t> rows, const SeriesColumns& series,
                   const KnownLabels& labels, std::vector<int64_t>& rounds) {
  const auto nearest = size_t(std::max(series.nearest, int64_t{1}));
  int64_t after = 0;  // The last prediction that row i reads.
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i >= nearest && labels.missing(rows[i - nearest])) after = rounds[rows[i - nearest]] + 1;
    rounds[rows[i]] = after;
  }
}

// Rows by their series and the order of time in them.
class SeriesOrder {
 public:
  static Result<SeriesOrder> Make(const BatchPtr& rows, const SeriesColumns& series) {
    SeriesOrder made;
    PT_LET(const std::vector<std::string> names, SeriesNames(*rows, series));
    const auto column = rows->GetColumnByName(series.time);
    made.order_.resize(column == nullptr ? 0 : names.size());  // Without it scoring is refused.
    if (made.order_.empty()) return made;
    PT_LET(made.times_, SeriesTimesOf(*column));
    std::iota(made.order_.begin(), made.order_.end(), size_t{0});
    std::ranges::sort(made.order_, {}, [&](size_t row) {
      return std::pair<const std::string&, int64_t>(names[row], made.TimeOf(row));
    });
    for (size_t i = 0; i < made.order_.size(); ++i) {
      const bool begins = i == 0 || names[made.order_[i]] != names[made.order_[i - 1]];
      if (begins) made.begins_.push_back(i);
    }
    return made;
  }

  bool empty() const { return order_.empty(); }
  size_t num_series() const { return begins_.size(); }
  // The rows of a series, by time.
  std::span<const size_t> Of(size_t series) const {
    const size_t end = series + 1 < begins_.size() ? begins_[series + 1] : order_.size();
    return std::span(order_).subspan(begins_[series], end - begins_[series]);
  }
  int64_t TimeOf(size_t row) const { return times_->Value(int64_t(row)); }

 private:
  std::vector<size_t> order_, begins_;
  std::shared_ptr<arrow::Int64Array> times_;
};

std::vector<int64_t> RoundsOf(int64_t rows, const SeriesOrder& order, const SeriesColumns& series,
                              const KnownLabels& labels) {
  std::vector<int64_t> rounds(static_cast<size_t>(rows));
  for (size_t s = 0; s < order.num_series(); ++s) {
    PlaceInRounds(order.Of(s), series, labels, rounds);
  }
  return rounds;
}

// Which rows are scored in a round, and which of the rows before them they look back to. Of a
// window of time the row just before it is read, too: given rows count instead of kept ones from
// their first time on, so that without it a kept row could appear in the window.
std::vector<bool> ReadInRound(int64_t round, const std::vector<int64_t>& rounds,
                              const SeriesOrder& order, const LookBack& back) {
  std::vector<bool> read(rounds.size());
  for (size_t i = 0; i < rounds.size(); ++i) {
    read[i] = (order.empty() || back.all) ? rounds[i] <= round : rounds[i] == round;
  }
  for (size_t s = 0; s < order.num_series() && !back.all; ++s) {
    const auto rows = order.Of(s);
    std::optional<size_t> wanted;  // The next one behind row i.
    bool before_window = false;    // Whether the row before its window has been seen.
    for (size_t i = rows.size(); i-- > 0;) {
      if (rounds[rows[i]] == round) {
        wanted = i;
        before_window = back.micros == 0;
        continue;
      }
      if (!wanted) continue;
      const int64_t micros = order.TimeOf(rows[*wanted]) - order.TimeOf(rows[i]);
      const bool within =
          int64_t(*wanted - i) <= back.rows || (back.micros > 0 && micros <= back.micros);
      if (within || !std::exchange(before_window, true)) read[rows[i]] = true;
    }
  }
  return read;
}

// Puts the rows of results back into the order of the rows that they are for.
class ScoredRounds {
 public:
  explicit ScoredRounds(size_t rows) : places_(rows) {}

  Status Add(BatchPtr scored, const std::vector<size_t>& rows) {
    if (scored->num_rows() != int64_t(rows.size())) {
      return Fail({.exit = Exit::kBug, .what = "a round has other rows than were asked for"});
    }
    for (const size_t row : rows) places_[row] = next_++;
    batches_.push_back(std::move(scored));
    return Status::OK();
  }
  Result<BatchPtr> InGivenOrder() const {
    PT_LET(const BatchPtr all, Together(batches_.front()->schema(), batches_));
    return RowsAt(all, places_);
  }

 private:
  std::vector<int64_t> places_;
  int64_t next_ = 0;
  arrow::RecordBatchVector batches_;
};

// What the result of a round says about the labels of its rows.
Status TakePredictions(const arrow::Array& predictions, const std::vector<size_t>& rows,
                       KnownLabels& labels) {
  PT_LET(const auto cast, arrow::compute::Cast(predictions, arrow::float64()));
  const auto& values = static_cast<const arrow::DoubleArray&>(*cast);
  for (size_t i = 0; i < rows.size() && int64_t(i) < values.length(); ++i) {
    const bool none = values.IsNull(int64_t(i));
    labels.Predicted(rows[i], none ? std::nullopt : std::optional(values.Value(int64_t(i))));
  }
  return Status::OK();
}

// The place of the median among quantiles; 0 for anything else.
int FedBy(const ModelState& state) {
  const std::vector<double>& levels = state.net.objective.levels;
  const auto median = std::ranges::find(levels, 0.5);
  return median == levels.end() ? 0 : int(median - levels.begin());
}

Status CannotRoll(const std::string& label, std::string why, std::string fix) {
  return Fail({.exit = Exit::kUsage,
               .what = "the model's predictions cannot take the place of \"" + label + "\"",
               .why = std::move(why),
               .fix = std::move(fix)});
}

}  // namespace

SeriesColumns SeriesOf(const ModelState& state) {
  SeriesColumns series;
  std::optional<int64_t> nearest;
  series.back.all = false;
  const Columns labels =
      state.chain->estimator ? ListLabels(state.chain->estimator->options) : Columns();
  const std::vector<const HistoryStage*> predicts = HistoryPredictionsRead(*state.chain);
  for (const PlacedStage& placed : state.chain->stages) {
    const HistoryStage* const stage = placed.stage->history();
    if (stage == nullptr) continue;
    series.by = stage->by();
    series.time = stage->time();
    const Reach reach = stage->reach();
    series.back.all = series.back.all || (!reach.rows && !reach.micros);
    series.back.rows = std::max(series.back.rows, reach.rows.value_or(0));
    series.back.micros = std::max(series.back.micros, reach.micros.value_or(0));
    for (size_t i = 0; i < stage->num_values(); ++i) {
      const std::string& value = stage->inputs()[i];
      if (std::ranges::count(series.values, value) == 0) series.values.push_back(value);
      // What only measures predictions, such as a baseline, needs no label in their place.
      const bool read = std::ranges::count(predicts, stage) > 0;
      if (!read || std::ranges::count(labels, value) == 0) continue;
      series.label = value;
      nearest = std::min(nearest.value_or(INT64_MAX), reach.nearest);
    }
  }
  series.nearest = nearest.value_or(1);
  series.fed = FedBy(state);
  return series;
}

Result<std::vector<std::string>> SeriesNames(const arrow::RecordBatch& rows,
                                             const SeriesColumns& series) {
  std::vector<std::string> names(size_t(rows.num_rows()));
  for (const std::string& column : series.by) {
    const auto values = rows.GetColumnByName(column);
    for (size_t i = 0; values != nullptr && i < names.size(); ++i) {
      PT_LET(const auto value, values->GetScalar(int64_t(i)));
      const std::string text = value->is_valid ? value->ToString() : "";
      names[i] += fmt::format("{}:{} ", value->is_valid ? int64_t(text.size()) : -1, text);
    }
  }
  return names;
}

Result<std::shared_ptr<arrow::Int64Array>> SeriesTimesOf(const arrow::Array& column) {
  std::shared_ptr<arrow::Array> times = arrow::MakeArray(column.data());
  if (!arrow::is_integer(column.type_id())) {
    PT_LET(times, arrow::compute::Cast(*times, arrow::timestamp(arrow::TimeUnit::MICRO)));
  }
  PT_LET(times, arrow::compute::Cast(*times, arrow::int64()));
  return std::static_pointer_cast<arrow::Int64Array>(times);
}

Result<std::optional<std::string>> RolledLabel(const ModelState& state) {
  const SeriesColumns series = SeriesOf(state);
  if (!series.label) return std::optional<std::string>();
  const Objective& objective = state.net.objective;
  if (objective.labels.size() > 1) {
    return CannotRoll(*series.label, "it predicts several labels, and only one would go forward",
                      "train a model for each label");
  }
  if (objective.kind == TargetKind::kQuantiles) {
    if (std::ranges::count(objective.levels, 0.5) > 0) return series.label;
    return CannotRoll(*series.label,
                      "of quantiles the median goes forward, and the model predicts none",
                      "train it with 0.5 among loss.levels");
  }
  const auto& first = *AddedColumns(state)->field(0)->type();
  const bool number = arrow::is_integer(first.id()) || arrow::is_floating(first.id());
  const bool one = objective.kind == TargetKind::kValues || OfClasses(objective.kind);
  if (number && one) return series.label;
  return CannotRoll(*series.label, "they are not one number for each row",
                    "predict without going forward, no further than the shortest lag");
}

Result<BatchPtr> WithNumbers(const arrow::RecordBatch& rows, const std::string& name) {
  const int at = rows.schema()->GetFieldIndex(name);
  const auto field = arrow::field(name, arrow::float64());
  if (at < 0) {
    PT_LET(const auto nulls, arrow::MakeArrayOfNull(arrow::float64(), rows.num_rows()));
    return rows.AddColumn(rows.num_columns(), field, nulls);
  }
  const auto numbers = arrow::compute::Cast(*rows.column(at), arrow::float64());
  if (numbers.ok()) return rows.SetColumn(at, field, *numbers);
  return Fail({.exit = Exit::kInput,
               .what = "\"" + name + "\" holds a value that is not a number",
               .why = numbers.status().message()});
}

Result<BatchPtr> RollSeries(const BatchPtr& rows, const SeriesColumns& series,
                            const ScoreBehind& score, const std::stop_token& stop) {
  const int at = rows->schema()->GetFieldIndex(*series.label);
  KnownLabels labels(static_cast<const arrow::DoubleArray&>(*rows->column(at)));
  PT_LET(const SeriesOrder order, SeriesOrder::Make(rows, series));
  const std::vector<int64_t> rounds = RoundsOf(rows->num_rows(), order, series, labels);
  const int64_t last = rounds.empty() ? 0 : *std::ranges::max_element(rounds);
  ScoredRounds scored(rounds.size());
  for (int64_t round = 0; round <= last; ++round) {
    if (stop.stop_requested()) return Status::Cancelled("predicting was stopped");
    std::vector<int64_t> known;
    std::vector<size_t> wanted;
    arrow::BooleanBuilder is_wanted;
    const std::vector<bool> read = ReadInRound(round, rounds, order, series.back);
    for (size_t i = 0; i < rounds.size(); ++i) {
      if (!read[i]) continue;
      known.push_back(int64_t(i));
      PT_TRY(is_wanted.Append(rounds[i] == round));
      if (rounds[i] == round) wanted.push_back(i);
    }
    PT_LET(const auto mask, is_wanted.Finish());
    PT_LET(const auto labelled, rows->SetColumn(at, rows->schema()->field(at), labels.Column()));
    PT_LET(const BatchPtr behind, RowsAt(labelled, known));
    PT_LET(BatchPtr made, score(behind, static_cast<const arrow::BooleanArray&>(*mask)));
    PT_TRY(TakePredictions(*made->column(series.fed), wanted, labels));
    PT_TRY(scored.Add(std::move(made), wanted));
  }
  return scored.InGivenOrder();
}

}  // namespace protium
