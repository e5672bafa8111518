// SPDX-License-Identifier: Apache-2.0
#include "pipeline/fit_task.h"

#include <arrow/api.h>

#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "base/fault.h"
#include "protium/events.h"

// In the driver, Fit() projects the rows to the columns that are needed, runs the task and merges
// what comes back. In a worker, FitTask() reads its partition to the end, adds each batch to every
// state, and emits the states as rows. A state of millions of texts becomes as many rows, so
// nothing has to fit into one message.

namespace protium {
namespace {

constexpr int64_t kRowsPerBatch = 16384;  // Rows of states emitted at a time.
constexpr int kMorePasses = 2;            // After passes that lost a worker.

struct FitConfig {
  std::vector<Need> needs;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("needs", needs);
  }
};

// Collects rows of states into batches.
class StateWriter {
 public:
  explicit StateWriter(const std::function<Status(const arrow::RecordBatch&)>& send)
      : send_(send) {}

  Status Add(int32_t need, const StateRow& row) {
    PT_TRY(need_.Append(need));
    PT_TRY(row.text ? text_.Append(*row.text) : text_.AppendNull());
    PT_TRY(row.number ? number_.Append(*row.number) : number_.AppendNull());
    PT_TRY(count_.Append(row.count));
    return need_.length() < kRowsPerBatch ? Status::OK() : Flush();
  }

  Status Flush() {
    const int64_t rows = need_.length();
    if (rows == 0) return Status::OK();
    arrow::ArrayVector columns(4);
    PT_TRY(need_.Finish(&columns[0]));
    PT_TRY(text_.Finish(&columns[1]));
    PT_TRY(number_.Finish(&columns[2]));
    PT_TRY(count_.Finish(&columns[3]));
    return send_(*arrow::RecordBatch::Make(StateSchema(), rows, std::move(columns)));
  }

 private:
  const std::function<Status(const arrow::RecordBatch&)>& send_;
  arrow::Int32Builder need_;
  arrow::StringBuilder text_;
  arrow::DoubleBuilder number_;
  arrow::Int64Builder count_;
};

// Adds a batch to a state, by the columns of its need.
Status AddBatch(const Need& need, const arrow::RecordBatch& batch, State& state) {
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (const std::string& name : need.columns) {
    columns.push_back(batch.GetColumnByName(name));
    if (!columns.back()) return Status::KeyError("no column \"", name, "\" in the input of fit");
  }
  const auto add = [&](auto& each) -> Status {
    if constexpr (requires { each.Add(std::span(std::as_const(columns))); }) {
      const bool whole = std::is_same_v<std::decay_t<decltype(each)>, ColumnProfiles>;
      if (columns.size() >= 2 || whole) return each.Add(std::span(std::as_const(columns)));
    } else if constexpr (requires { each.Add(*columns[0]); }) {
      // Checked, since the config was sent from another process: a state's Add() determines how
      // many columns it needs.
      if (columns.size() == 1) return each.Add(*columns[0]);
    } else if constexpr (requires { each.Add(*columns[0], *columns[0]); }) {
      if (columns.size() == 2) return each.Add(*columns[0], *columns[1]);
    } else if (columns.size() == 3) {
      return each.Add(*columns[0], *columns[1], *columns[2]);
    }
    return Status::Invalid("a need of ", columns.size(), " columns");
  };
  const Status added = std::visit(add, state);
  return Annotate(added, "column \"" + need.columns[0] + "\"");
}

// The form in which a state reads one of its columns: counted categories and lists in their own
// type, grouping columns as text, everything else as double.
enum class Form { kItself, kText, kNumber };
Form FormOf(const Need& need, size_t column) {
  switch (need.kind) {
    case StateKind::kTexts:
    case StateKind::kTokens:
    case StateKind::kPositive:
    case StateKind::kProducts:
    case StateKind::kProfile:
      return Form::kItself;
    case StateKind::kGroups:
      return column == 0 ? Form::kText : Form::kNumber;
    case StateKind::kGroupNumbers:
      return column + 1 < need.columns.size() ? Form::kText : Form::kNumber;
    default:
      return Form::kNumber;
  }
}

Expr InForm(Form form, const std::string& column) {
  if (form == Form::kItself) return Col(column);
  return MakeCall(form == Form::kText ? "cast_string" : "cast_double", {Col(column)});
}

// Projects `rows` to only the columns of the needs, with numbers as doubles, and renames the
// columns in `needs` accordingly. The names are c0, c1, ... because one column may be needed both
// as text and as a number, and is then projected twice. The engine casts, so that workers see one
// numeric type.
Plan NeededColumns(const Plan& rows, std::vector<Need>& needs) {
  Project project;
  std::vector<std::pair<std::string, Form>> seen;
  for (Need& need : needs) {
    for (size_t i = 0; i < need.columns.size(); ++i) {
      std::string& column = need.columns[i];
      const std::pair<std::string, Form> key(column, FormOf(need, i));
      auto at = std::find(seen.begin(), seen.end(), key) - seen.begin();
      const std::string name = "c" + std::to_string(at);
      if (at == std::ptrdiff_t(seen.size())) {
        seen.push_back(key);
        project.columns.push_back({name, InForm(key.second, column)});
      }
      column = name;
    }
  }
  return MakePlan(std::move(project), {rows});
}

// The columns of a batch of state rows.
struct StateColumns {
  const arrow::Int32Array* need = nullptr;
  const arrow::StringArray* text = nullptr;
  const arrow::DoubleArray* number = nullptr;
  const arrow::Int64Array* count = nullptr;

  StateRow Row(int64_t i) const {
    StateRow row{.count = count->Value(i)};
    if (text->IsValid(i)) row.text = text->GetString(i);
    if (number->IsValid(i)) row.number = number->Value(i);
    return row;
  }
};

}  // namespace

// A StateRow, and the position of its need.
SchemaPtr StateSchema() {
  return arrow::schema({arrow::field("need", arrow::int32()), arrow::field("text", arrow::utf8()),
                        arrow::field("number", arrow::float64()),
                        arrow::field("count", arrow::int64())});
}

Status EmitStates(const std::vector<State>& states,
                  const std::function<Status(const arrow::RecordBatch&)>& send) {
  StateWriter writer(send);
  for (size_t i = 0; i < states.size(); ++i) {
    const EmitRow emit = [&](const StateRow& row) { return writer.Add(int32_t(i), row); };
    PT_TRY(std::visit([&](const auto& state) { return state.Emit(emit); }, states[i]));
  }
  return writer.Flush();
}

// The batch comes from another process, on Spark through another language's runtime: its schema and
// its need numbers are checked before it is cast or used as an index.
Status MergeStates(const arrow::RecordBatch& batch, std::vector<State>& states) {
  if (!batch.schema()->Equals(*StateSchema(), false)) {
    return Status::Invalid("task fit returned ", batch.schema()->ToString());
  }
  const StateColumns columns{static_cast<const arrow::Int32Array*>(batch.column(0).get()),
                             static_cast<const arrow::StringArray*>(batch.column(1).get()),
                             static_cast<const arrow::DoubleArray*>(batch.column(2).get()),
                             static_cast<const arrow::Int64Array*>(batch.column(3).get())};
  for (int64_t i = 0; i < batch.num_rows(); ++i) {
    const int32_t need = columns.need->Value(i);
    if (need < 0 || size_t(need) >= states.size()) return Status::Invalid("a state of no need");
    PT_TRY(std::visit([&](auto& state) { return state.Merge(columns.Row(i)); }, states[need]));
  }
  return Status::OK();
}

Status FitTask(TaskContext& context) {
  PT_LET(const Json json, ParseJson(context.config()));
  FitConfig config;
  PT_TRY(FieldsFromJson(json, "fit", config));
  std::vector<State> states;
  for (const Need& need : config.needs) states.push_back(MakeState(need.kind));
  while (true) {
    PT_LET(const std::shared_ptr<arrow::RecordBatch> batch, context.input().Next());
    if (!batch) break;
    // Incomplete states are worthless, so there is nothing to save.
    if (context.stop().stop_requested()) return Status::Cancelled("stopped while fitting");
    for (size_t i = 0; i < states.size(); ++i) {
      PT_TRY(AddBatch(config.needs[i], *batch, states[i]));
    }
  }
  return EmitStates(states, [&](const arrow::RecordBatch& batch) { return context.Emit(batch); });
}

namespace {

Result<std::vector<State>> FitOnce(Engine& engine, const Plan& pass, const std::vector<Need>& needs,
                                   const Call& call) {
  std::vector<State> states;
  for (const Need& need : needs) states.push_back(MakeState(need.kind));
  PT_LET(const BatchStreamPtr stream, engine.Execute(pass, call));
  while (true) {
    PT_LET(const std::shared_ptr<arrow::RecordBatch> batch, stream->Next());
    if (!batch) return states;
    PT_TRY(MergeStates(*batch, states));
  }
}

// Replaces the short column names of tasks by the names in `needs`, which users know.
Status WithNames(const Status& status, const std::vector<Need>& brief,
                 const std::vector<Need>& needs) {
  Fault fault = FaultOf(status);
  for (size_t n = 0; n < needs.size(); ++n) {
    for (size_t i = 0; i < needs[n].columns.size(); ++i) {
      const std::string before = "column \"" + brief[n].columns[i] + "\"";
      if (!fault.what.starts_with(before)) continue;
      fault.what.replace(0, before.size(), "column \"" + needs[n].columns[i] + "\"");
      return Fail(std::move(fault));
    }
  }
  return status;
}

// If a worker stops responding, only what it had read is lost: the pass is run again.
bool WorthAnotherPass(const Status& status, const Call& call) {
  return !status.ok() && FaultOf(status).exit == Exit::kStalled && !call.stop.stop_requested() &&
         Clock::now() < call.deadline;
}

}  // namespace

Result<std::vector<State>> Fit(Engine& engine, const Plan& rows, const std::vector<Need>& needs,
                               const Call& call) {
  if (needs.empty()) return std::vector<State>();
  FitConfig config{needs};
  const Plan input = NeededColumns(rows, config.needs);
  const Plan pass = MakePlan(MapTask{.task = "fit",
                                     .config = Dump(FieldsToJson(config)),
                                     .output = StateSchema(),
                                     .role = MapTask::Role::kFit},
                             {input});
  for (int again = kMorePasses;; --again) {
    auto states = FitOnce(engine, pass, needs, call);
    if (states.ok()) return states;
    if (again == 0 || !WorthAnotherPass(states.status(), call)) {
      return WithNames(states.status(), config.needs, needs);
    }
    call.Send(Warning{"stages are fitted once more: " + FaultOf(states.status()).what});
  }
}

}  // namespace protium
