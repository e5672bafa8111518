// SPDX-License-Identifier: Apache-2.0
#include "app/run/forward.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/fault.h"
#include "column/batches.h"
#include "column/source.h"
#include "column/stream.h"
#include "format/file_writer.h"
#include "frame/session_state.h"
#include "inference/behind_history.h"
#include "inference/forecast.h"
#include "inference/newer_rows.h"
#include "inference/roll_forward.h"
#include "model/model_state.h"
#include "pipeline/history.h"
#include "protium/events.h"

namespace protium {
namespace {

using BatchPtr = std::shared_ptr<arrow::RecordBatch>;

Result<BatchPtr> InMemory(const DataFrame& rows) {
  PT_LET(const BatchStreamPtr stream, rows.Stream());
  PT_LET(const arrow::RecordBatchVector batches, Collect(*stream));
  return Together(stream->schema(), batches);
}

// What is read of the rows: all of them, or those that the rows behind them look back to.
Result<BatchPtr> RowsToRead(Session& session, const PipelineModel& model, const DataFrame& rows,
                            const Forward& forward) {
  const Chain& chain = *StateOf(model).chain;
  if (!forward.horizon || !ReadsHistory(chain)) return InMemory(rows);
  return InMemory(DataFrame(session, RowsToKeep(chain, rows.plan())));
}

}  // namespace

std::vector<Flag> ForwardFlags() {
  return {
      {"--horizon", "N",
       "for time series: adds the next N rows of each series, or those of a period such as "
       "28d, and predicts them as --forward does",
       ""},
      {"--forward", "", "rows without a label look back to the predictions for earlier rows", ""}};
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
  PT_LET(const Scorer scorer, Scorer::Make(model));
  BatchPtr given;
  if (rows) {
    PT_LET(given, RowsToRead(session, model, *rows, forward));
  }
  PT_LET(const BatchPtr all, Forecast(scorer, forward.horizon, std::move(given), stop));
  if (StateOf(model).net.objective.kind == TargetKind::kQuantiles) {
    StateOf(session).call().Send(
        Note{"each row reads the predicted medians of the rows before it, whose errors no interval "
             "allows for: the further ahead, the more it is too narrow"});
  }
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
  PT_LET(const KeptEnds ends, KeptEnds::Make(kept, series));
  PT_LET(const auto gap, ends.GapBefore(*first));
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
