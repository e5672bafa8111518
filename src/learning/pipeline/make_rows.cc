// SPDX-License-Identifier: Apache-2.0
#include "pipeline/make_rows.h"

#include <arrow/api.h>

#include <optional>
#include <string>

#include "base/fault.h"
#include "engine/kind.h"
#include "os/machine.h"
#include "pipeline/kept_answer.h"
#include "pipeline/objective.h"
#include "protium/events.h"
#include "run/terminal.h"

namespace protium {
namespace {

struct RowCounts {
  int64_t all = 0;       // Rows on the training side.
  int64_t labelled = 0;  // Those of `all` that have all labels.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("all", all);
    visit("labelled", labelled);
  }
};

std::optional<RowCounts> KeptCounts(const KeptAnswer& kept) {
  const auto answer = kept.Find();
  RowCounts counts;
  if (!answer || !FieldsFromJson(*answer, "", counts).ok()) return std::nullopt;
  return counts;
}

// Returns the lowest kept table of a plan: the result of the SQL, before a split set rows aside.
// nullptr if there is none.
Plan LowestKept(const Plan& plan) {
  for (const Plan& input : plan->inputs) {
    if (Plan lower = LowestKept(input)) return lower;
  }
  return std::holds_alternative<Materialize>(plan->verb) ? plan : nullptr;
}

Result<int64_t> WholeNumber(const arrow::RecordBatch& batch, int column, int64_t row) {
  PT_LET(const auto value, batch.column(column)->GetScalar(row));
  if (value->type->id() != arrow::Type::INT64) return Status::TypeError("a count of rows");
  return static_cast<const arrow::Int64Scalar&>(*value).value;
}

// One query for both counts, which also evaluates the kept table.
Result<RowCounts> CountMarked(SessionState& session, const Plan& marks) {
  const Plan count =
      MakePlan(Sql{.text = "SELECT count(*) AS num_rows, "
                           "count(CASE WHEN labelled THEN 1 END) AS num_labelled FROM train",
                   .names = {"train"}},
               {marks});
  PT_LET(const BatchStreamPtr stream, session.engine().Execute(count, session.call()));
  RowCounts counts;
  while (true) {
    PT_LET(const std::shared_ptr<arrow::RecordBatch> batch, stream->Next());
    if (!batch) return counts;
    // One row in one batch; there may be empty batches before and after it.
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      PT_LET(const int64_t all, WholeNumber(*batch, 0, i));
      PT_LET(const int64_t labelled, WholeNumber(*batch, 1, i));
      counts = {.all = counts.all + all, .labelled = counts.labelled + labelled};
    }
  }
}

Result<RowCounts> CountRows(SessionState& session, const Chain& chain, const TrainRows& rows) {
  const Expr labelled = HasLabel(chain).value_or(Lit(true));
  const Plan marks = MakePlan(Project{{{"labelled", labelled}}}, {rows.kept});
  const KeptAnswer kept(session, "counts", marks);
  if (const auto counts = KeptCounts(kept)) return *counts;
  PT_LET(const RowCounts counts, CountMarked(session, marks));
  kept.Keep(FieldsToJson(counts));
  return counts;
}

Result<int64_t> CountTable(Session& session, const Plan& table) {
  const KeptAnswer kept(StateOf(session), "count", table);
  if (const auto answer = kept.Find(); answer && answer->is_number_integer()) {
    return answer->get<int64_t>();
  }
  PT_LET(const int64_t rows, DataFrame(session, table).Count());
  kept.Keep(rows);
  return rows;
}

// Reports how many rows without a label are left out of training; they may still be scored.
Status ReportLeftOut(SessionState& session, const Chain& chain, const RowCounts& counts) {
  if (counts.labelled == counts.all) return Status::OK();
  std::string label;
  for (const std::string& each : ListLabels(chain.estimator->options)) {
    label += (label.empty() ? "\"" : " and \"") + each + "\"";
  }
  const std::string all = Grouped(counts.all);
  if (counts.labelled == 0) {
    return Fail({.exit = Exit::kInput,
                 .what = "no row has a label: " + label + " is empty in all " + all + " rows"});
  }
  const int64_t left_out = counts.all - counts.labelled;
  session.record().Set("rows_without_label", left_out);
  session.call().Send(Note{Grouped(left_out) + " of " + all + " rows have no " + label +
                           ": they are left out of training"});
  return Status::OK();
}

}  // namespace

int64_t RowsMemory(const SessionOptions& options) {
  if (options.rows_memory_bytes > 0) return options.rows_memory_bytes;
  return ReadMachine().memory_bytes / 4;
}

Json DescribePacked(const SessionOptions& options, const PlacedEstimator& estimator) {
  if (!estimator.awaits.empty()) return Json::object();
  // 4 bytes each, 8 of an id; one more for the weight.
  size_t elements = estimator.ids + estimator.numeric.size() +
                    ListLabels(estimator.options).size() + 1 + estimator.categorical.size();
  for (const ListInput& list : estimator.lists) elements += size_t(list.length);
  const auto bytes = int64_t(4 * elements);
  return {{"row_bytes", bytes}, {"rows_in_memory", RowsMemory(options) / bytes}};
}

std::string RowsScratch(SessionState& session) {
  if (!KindOf(session.engine().address()).runs_here) return {};
  const std::filesystem::path& chosen = session.options().spill;
  return std::filesystem::absolute(chosen.empty() ? session.folder() / "spill" : chosen).string();
}

Status ReportMade(Session& session, const Plan& rows, int64_t count, Clock::time_point since) {
  SessionState& state = StateOf(session);
  const Plan kept = LowestKept(rows);
  PT_LET(const int64_t table, CountTable(session, kept ? kept : rows));
  state.record().AddSeconds("etl", since);
  state.call().Send(EtlDone{table});
  if (count > 0) return state.Made(table);
  return Fail({.exit = Exit::kInput,
               .what = "there are no rows to learn from",
               .fix = "check the SQL's WHERE and JOINs: protium plan shows it"});
}

Result<int64_t> MakeRows(Session& session, const Chain& chain, const TrainRows& rows) {
  const auto since = Clock::now();
  SessionState& state = StateOf(session);
  PT_LET(const RowCounts counts, CountRows(state, chain, rows));
  PT_TRY(ReportMade(session, rows.kept, counts.all, since));
  PT_TRY(ReportLeftOut(state, chain, counts));
  return counts.all;
}

}  // namespace protium
