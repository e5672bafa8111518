// SPDX-License-Identifier: Apache-2.0
#include "job/leak_sample.h"

#include <arrow/api.h>
#include <arrow/compute/api_vector.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/splitmix.h"
#include "column/cells.h"
#include "column/stream.h"
#include "engine/kind.h"
#include "leaks/shared_groups.h"
#include "leaks/table_profile.h"
#include "model/preview.h"
#include "pipeline/estimator.h"
#include "pipeline/estimator_kind.h"
#include "pipeline/held_out.h"

namespace protium {
namespace {

constexpr int64_t kMostRead = 1'000'000;        // Rows of each part,
constexpr int64_t kMostCellsRead = 20'000'000;  // and cells.
constexpr int64_t kMostCells = 2'000'000;       // In memory.
constexpr int64_t kFewestRows = 2000;           // Even of a table with very many columns.
// Another than that of a split by default, which takes the rows with the lowest hashes.
constexpr int64_t kSeed = 0x1eaf;

int64_t MostRead(const Columns& columns) {
  return std::clamp(kMostCellsRead / int64_t(columns.size()), kFewestRows, kMostRead);
}

// Streams a frame without the events of a query, which would count as those of the job's table.
Result<BatchStreamPtr> StreamQuietly(const DataFrame& frame) {
  PT_TRY(FirstError(frame.plan()));
  SessionState& session = StateOf(frame.session());
  Call call = session.call();
  call.events = nullptr;
  return session.engine().Execute(frame.plan(), call);
}

// Keeps the rows whose hash is among the lowest `share` of all.
Result<std::shared_ptr<arrow::RecordBatch>> Thinned(
    const std::shared_ptr<arrow::RecordBatch>& batch, const LeakRows& rows) {
  const auto limit = uint64_t(std::ldexp(rows.share, 64));
  std::vector<std::shared_ptr<arrow::Array>> by;
  for (const std::string& each : rows.by) by.push_back(batch->GetColumnByName(each));
  arrow::BooleanBuilder mask;
  PT_TRY(mask.Reserve(batch->num_rows()));
  for (int64_t row = 0; row < batch->num_rows(); ++row) {
    uint64_t hash = uint64_t(kSeed);
    for (const auto& column : by) hash = SplitMix(hash + kSplitMixStep) ^ CellHash(*column, row);
    mask.UnsafeAppend(SplitMix(hash) < limit);
  }
  PT_LET(const auto kept, mask.Finish());
  PT_LET(const arrow::Datum thin, arrow::compute::Filter(batch, kept));
  return thin.record_batch();
}

// The inputs whose hash chooses the sample: those with the most values among the first rows, as few
// as tell rows apart, since the hash of every row of a large table takes its time.
Result<Columns> ChooseBy(const DataFrame& train, const Columns& inputs) {
  constexpr int64_t kFirst = 2000;
  constexpr double kCombinations = 1e7;
  PT_LET(const BatchStreamPtr first, StreamQuietly(train.Select(inputs).Limit(kFirst)));
  PT_LET(TableProfile table, ProfileRows(*first, 0));
  std::ranges::sort(table.columns, [](const ColumnProfile& a, const ColumnProfile& b) {
    return std::tie(b.distinct, a.name) < std::tie(a.distinct, b.name);
  });
  Columns by;
  double combinations = 1;
  for (const ColumnProfile& each : table.columns) {
    if (combinations >= kCombinations) break;
    by.push_back(each.name);
    combinations *= double(std::max<int64_t>(each.distinct, 1));
  }
  return by;
}

bool IsPlain(const arrow::DataType& type) {
  return IsNumber(type) || type.id() == arrow::Type::STRING || type.id() == arrow::Type::BOOL ||
         type.id() == arrow::Type::DATE32 || type.id() == arrow::Type::TIMESTAMP;
}

// Finds the inputs; returns the columns to read, none without inputs or label.
Result<Columns> FindColumns(const Job& job, const JobFrames& frames, const AimedLabel& aimed,
                            LeakSample& sample) {
  PT_LET(const SchemaPtr schema, frames.etl.Schema());
  PT_LET(const Columns read, ColumnsRead(*job.pipeline, frames.train));
  if (schema->GetFieldByName(aimed.label) == nullptr) return Columns();
  Columns columns = {aimed.label};
  for (const std::string& each : read) {
    const auto field = schema->GetFieldByName(each);
    if (field == nullptr || each == aimed.label || aimed.others.contains(each)) continue;
    sample.whole = sample.whole && IsPlain(*field->type());
    if (!IsPlain(*field->type())) continue;
    sample.inputs.push_back(each);
    columns.push_back(each);
  }
  if (sample.inputs.empty()) return Columns();
  for (const auto& field : schema->fields()) {
    const bool fresh = std::ranges::find(columns, field->name()) == columns.end();
    if (fresh && MayNameGroups(field->name(), *field->type())) columns.push_back(field->name());
  }
  return columns;
}

}  // namespace

Result<std::optional<AimedLabel>> FindAimedLabel(const Job& job) {
  if (!job.estimator || !job.pipeline) return std::nullopt;
  PT_LET(const auto found, FindEstimator(job.pipeline->stages(), job.catalogue));
  if (!found) return std::nullopt;
  const EstimatorOptions& options = found->options;
  PT_LET(const Catalogue catalogue, WithBuiltIns(job.catalogue));
  PT_LET(const LossRow loss, LossRowOf(options, "", catalogue));
  const bool classes = loss.kind == TargetKind::kTwoClasses || loss.kind == TargetKind::kClasses;
  const bool values = loss.kind == TargetKind::kValues || loss.kind == TargetKind::kQuantiles;
  if (options.label.empty() || !(classes || values)) return std::nullopt;
  return AimedLabel{.label = options.label,
                    .classes = classes,
                    .others = {options.weight, options.group, options.train.baseline},
                    .held_out = HeldOutSplit(options.train.validation, options.train.seed)};
}

Result<arrow::RecordBatchVector> ReadSample(const DataFrame& frame, const Columns& columns,
                                            const LeakRows& rows) {
  const bool here = KindOf(StateOf(frame.session()).engine().address()).runs_here;
  DataFrame chosen = frame.Select(columns);
  if (here) chosen = chosen.Limit(MostRead(columns));
  if (!here && rows.share < 1) chosen = chosen.Sample(rows.share, kSeed, rows.by);
  PT_LET(const BatchStreamPtr stream, StreamQuietly(chosen));
  arrow::RecordBatchVector batches;
  while (true) {
    PT_LET(std::shared_ptr<arrow::RecordBatch> batch, stream->Next());
    if (batch == nullptr) return batches;
    if (here && rows.share < 1) {
      PT_LET(batch, Thinned(batch, rows));
    }
    batches.push_back(std::move(batch));
  }
}

int64_t LeakSample::Rows() const {
  int64_t rows = 0;
  for (const auto* part : {&train, &validation, &test}) {
    for (const auto& batch : *part) rows += batch->num_rows();
  }
  return rows;
}

Result<LeakSample> ReadLeakSample(const Job& job, const JobFrames& frames, const AimedLabel& aimed,
                                  int64_t rows) {
  LeakSample sample;
  PT_LET(const Columns columns, FindColumns(job, frames, aimed, sample));
  if (columns.empty()) return sample;
  const int64_t most = std::clamp(kMostCells / int64_t(columns.size()), kFewestRows, kMostLeakRows);
  const int64_t read = std::clamp<int64_t>(rows, 1, MostRead(columns));
  LeakRows chosen{.share = std::min(1.0, double(most) / double(read))};
  sample.share = chosen.share;
  if (chosen.share < 1) {
    PT_LET(chosen.by, ChooseBy(frames.train, sample.inputs));
  }
  if (aimed.held_out) {
    const Sides sides = frames.train.Split(*aimed.held_out);
    PT_LET(sample.train, ReadSample(sides.train, columns, chosen));
    PT_LET(sample.validation, ReadSample(sides.test, columns, chosen));
  } else {
    PT_LET(sample.train, ReadSample(frames.train, columns, chosen));
  }
  if (job.file.split) {
    PT_LET(sample.test, ReadSample(frames.test, columns, chosen));
  }
  if (!sample.train.empty()) sample.schema = sample.train.front()->schema();
  return sample;
}

}  // namespace protium
