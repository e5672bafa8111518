// SPDX-License-Identifier: Apache-2.0
#include "app/run/forward.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/fault.h"
#include "column/source.h"
#include "format/file_writer.h"
#include "frame/session_state.h"
#include "inference/behind_history.h"
#include "inference/newer_rows.h"
#include "inference/next_rows.h"
#include "inference/roll_forward.h"
#include "model/model_state.h"
#include "pipeline/history.h"
#include "protium/events.h"

namespace protium {
namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

Result<BatchPtr> InMemory(const DataFrame& rows) {
  PT_LET(const BatchStreamPtr stream, rows.Stream());
  arrow::RecordBatchVector batches;
  while (true) {
    PT_LET(BatchPtr batch, stream->Next());
    if (batch == nullptr) break;
    batches.push_back(std::move(batch));
  }
  PT_LET(const auto table, arrow::Table::FromRecordBatches(stream->schema(), std::move(batches)));
  return table->CombineChunksToBatch();
}

// Those of the rows that the model looks back to.
Result<Scorer> BehindNewer(Session& session, const PipelineModel& model, const Scorer& scorer,
                           const DataFrame& rows) {
  if (!scorer.ReadsHistory()) return scorer;
  PT_LET(const BatchPtr newer,
         InMemory(DataFrame(session, RowsToKeep(*StateOf(model).chain, rows.plan()))));
  return scorer.WithNewerRows(*newer);
}

Result<BatchPtr> Predicted(const Scorer& scorer, const BatchPtr& rows,
                           const std::stop_token& stop) {
  PT_LET(const BatchPtr scored, scorer.RollForward(*rows, stop));
  return BesideRows(*rows, *scored);
}

Result<BatchPtr> PredictedForward(Session& session, const PipelineModel& model,
                                  const std::optional<DataFrame>& rows, const Forward& forward,
                                  const std::stop_token& stop) {
  PT_LET(Scorer scorer, Scorer::Make(model));
  if (!forward.horizon) {
    PT_LET(const BatchPtr given, InMemory(*rows));
    return Predicted(scorer, given, stop);
  }
  if (rows) {
    PT_LET(scorer, BehindNewer(session, model, scorer, *rows));
  }
  PT_LET(const BatchPtr next, scorer.NextRows(*forward.horizon));
  return Predicted(scorer, next, stop);
}

}  // namespace

std::vector<Flag> ForwardFlags() {
  return {
      {"--horizon", "N",
       "for a model of series: makes the N rows of each series that follow those it was trained "
       "on, or those of a time such as 28d, and predicts them as --forward does",
       ""},
      {"--forward", "",
       "rows whose label is missing look back to the predictions of those before them", ""}};
}

Result<std::optional<Forward>> ReadForwardFlags(const Arguments& arguments) {
  const bool horizon = arguments.Has("--horizon");
  if (!horizon && !arguments.Has("--forward")) return std::optional<Forward>();
  for (const char* flag : {"--gpus", "--engine", "--extension", "--inputs"}) {
    if (!arguments.Has(flag)) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("{} predicts in one process, and {} is for workers",
                                     horizon ? "--horizon" : "--forward", flag),
                 .fix = fmt::format("leave {} out", flag)});
  }
  Forward forward;
  if (horizon) {
    PT_LET(forward.horizon, ReadHorizon(arguments.Value("--horizon")));
  }
  return std::optional(forward);
}

Result<DataFrame> ScoredForward(Session& session, const PipelineModel& model,
                                const std::optional<DataFrame>& rows, const Forward& forward,
                                const std::filesystem::path& scratch, const std::stop_token& stop) {
  PT_LET(const BatchPtr all, PredictedForward(session, model, rows, forward, stop));
  const std::string file = (scratch / "forward.arrow").string();
  PT_LET(const auto writer, FileWriter::Make(Format::kArrow, file, all->schema()));
  PT_TRY(writer->Write(*all));
  PT_TRY(writer->Commit());
  return session.Read().Arrow(file, all->schema());
}

Status WarnOfGap(Session& session, const PipelineModel& model, const DataFrame& rows) {
  const ModelState& state = StateOf(model);
  PT_LET(const auto kept, ReadKeptRows(state));
  if (kept == nullptr) return Status::OK();
  const SeriesColumns series = SeriesOf(state);
  PT_LET(const BatchPtr first,
         InMemory(rows.GroupBy(series.by).Aggregate({{series.time, Min(Col(series.time))}})));
  PT_LET(const auto gap, GapBefore(*first, *kept, series));
  if (!gap) return Status::OK();
  StateOf(session).call().Send(Warning{fmt::format(
      "rows seem to be missing before those to predict: the model keeps rows up to {}, and {} "
      "begins on {}{}; it takes the kept ones for the rows just before. Put those in between, with "
      "their labels, into the table",
      gap->last, series.by.empty() ? "the table" : "a series", gap->first,
      gap->of > 1 ? fmt::format(" ({} of {} series)", gap->series, gap->of) : "")});
  return Status::OK();
}

}  // namespace protium
