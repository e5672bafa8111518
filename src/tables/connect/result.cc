// SPDX-License-Identifier: Apache-2.0
#include "connect/result.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "column/claims.h"
#include "connect/plan_metrics.h"
#include "connect/types.h"
#include "events/events.h"

namespace protium::connect {

namespace {

// The largest batch that is assembled from chunks, in bytes. Spark 4.1 and newer may cut batches
// into chunks so that messages stay small.
constexpr size_t kLongestBatch = size_t{2} << 30;

Json ElementsToJson(const google::protobuf::RepeatedPtrField<proto::Expression::Literal>& all) {
  Json list = Json::array();
  for (const auto& each : all) list.push_back(LiteralToJson(each));
  return list;
}

Json ObservedToJson(const proto::ExecutePlanResponse::ObservedMetrics& observed) {
  Json json = Json::object();
  const int count = std::min(observed.keys_size(), observed.values_size());
  for (int i = 0; i < count; ++i) json[observed.keys(i)] = LiteralToJson(observed.values(i));
  return json;
}

}  // namespace

Json LiteralToJson(const proto::Expression::Literal& literal) {
  using Literal = proto::Expression::Literal;
  switch (literal.literal_type_case()) {
    case Literal::kBoolean:
      return literal.boolean();
    case Literal::kByte:
      return literal.byte();
    case Literal::kShort:
      return literal.short_();
    case Literal::kInteger:
      return literal.integer();
    case Literal::kLong:
      return literal.long_();
    case Literal::kFloat:
      return literal.float_();
    case Literal::kDouble:
      return literal.double_();
    case Literal::kDecimal:
      return literal.decimal().value();
    case Literal::kString:
      return literal.string();
    case Literal::kBinary:
      return literal.binary();
    case Literal::kDate:
      return literal.date();
    case Literal::kTimestamp:
      return literal.timestamp();
    case Literal::kTimestampNtz:
      return literal.timestamp_ntz();
    case Literal::kArray:
      return ElementsToJson(literal.array().elements());
    case Literal::kStruct:
      return ElementsToJson(literal.struct_().elements());
    default:
      return Json();
  }
}

Status Alongside::Take(const proto::ExecutePlanResponse& response) {
  for (const auto& observed : response.observed_metrics()) {
    if (observed.errors_size() > 0) {
      return Status::UnknownError(name_, ": observing ", observed.name(), ": ",
                                  observed.errors(0).message());
    }
    if (observed_ != nullptr) (*observed_)[observed.name()] = ObservedToJson(observed);
  }
  if (response.has_execution_progress()) ReportProgress(response.execution_progress());
  // The metrics come once, with the last rows.
  if (response.has_metrics()) {
    if (Json operators = OperatorsOf(response.metrics()); !operators.empty()) {
      ReportPlan(std::move(operators));
    }
  }
  return Status::OK();
}

void Alongside::ReportPlan(Json operators) {
  if (!call_.events) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - since_).count();
  Json more = more_ ? more_(operation_, operators.empty()) : Json::object();
  if (!operators.empty()) more["operators"] = std::move(operators);
  if (!more.contains("operators")) return;
  QueryRan plan{.name = name_, .measured = {{"seconds", seconds}}};
  plan.measured.update(more);
  call_.Send(plan);
}

void Alongside::ReportProgress(const proto::ExecutePlanResponse::ExecutionProgress& progress) {
  int64_t tasks = 0;
  int64_t done = 0;
  int64_t bytes = 0;
  for (const auto& stage : progress.stages()) {
    tasks += stage.num_tasks();
    done += stage.num_completed_tasks();
    bytes += stage.input_bytes_read();
  }
  // Later stages appear when earlier ones have ended, so the share of completed tasks can fall.
  if (tasks > 0) {
    percent_ = std::max(percent_, 100.0 * static_cast<double>(done) / static_cast<double>(tasks));
  }
  // Spark does not say how many rows the executors have made; the only row received may be a count.
  ClusterProgress event{.name = name_,
                        .tasks = done,
                        .of_tasks = tasks,
                        .running_tasks = progress.num_inflight_tasks(),
                        .read_bytes = bytes};
  if (tasks > 0) event.percent = percent_;
  call_.Send(event);
}

Status ResultStream::Start() {
  while (schema_ == nullptr) {
    PT_LET(const bool more, ReadResponse());
    if (!more) return Status::UnknownError(name_, ": the server's result has no schema");
  }
  return Status::OK();
}

Result<std::shared_ptr<arrow::RecordBatch>> ResultStream::Next() {
  while (ready_.empty()) {
    PT_LET(const bool more, ReadResponse());
    if (!more) return nullptr;
  }
  auto batch = std::move(ready_.front());
  ready_.pop_front();
  return batch;
}

Result<bool> ResultStream::ReadResponse() {
  proto::ExecutePlanResponse response;
  PT_LET(const bool more, execution_->Next(&response));
  if (!more) {
    if (chunk_ == 0) return false;
    return Status::UnknownError(name_, ": the result ends in the middle of a batch");
  }
  PT_TRY(alongside_.Take(response));
  // The first response has the schema, so that an empty result has columns too.
  if (response.has_schema() && schema_ == nullptr) {
    PT_LET(const SchemaPtr schema, ArrowSchema(response.schema(), zone_));
    PT_TRY(TakeSchema(schema));
  }
  if (response.has_arrow_batch()) PT_TRY(TakeBatch(response.mutable_arrow_batch()));
  return true;
}

Status ResultStream::TakeBatch(proto::ExecutePlanResponse::ArrowBatch* batch) {
  bool seen = false;
  PT_TRY(CheckOffset(*batch, seen));
  if (seen) return Status::OK();
  bool whole = true;
  const int64_t rows = batch->row_count();
  PT_TRY(JoinChunks(batch, whole));
  if (!whole) return Status::OK();
  PT_TRY(Decode(std::exchange(chunks_, {}), rows));
  rows_ += rows;
  return Status::OK();
}

// A batch that lies wholly before row rows_ was received already and is skipped; any other that
// does not begin exactly there is an error.
Status ResultStream::CheckOffset(const proto::ExecutePlanResponse::ArrowBatch& batch,
                                 bool& seen) const {
  if (!batch.has_start_offset() || batch.start_offset() == rows_) return Status::OK();
  seen = batch.start_offset() + batch.row_count() <= rows_ && batch.row_count() > 0;
  if (seen) return Status::OK();
  return Status::UnknownError(name_, ": the server continued with row ", batch.start_offset(),
                              " of the result, after ", rows_, " rows");
}

// Chunks of one batch follow each other, numbered from 0.
Status ResultStream::JoinChunks(proto::ExecutePlanResponse::ArrowBatch* batch, bool& whole) {
  const int64_t count = std::max<int64_t>(1, batch->num_chunks_in_batch());
  if (batch->chunk_index() != chunk_ || batch->chunk_index() >= count) {
    return Status::UnknownError(name_, ": the server sent chunk ", batch->chunk_index(), " of ",
                                count, " instead of ", chunk_);
  }
  if (chunks_.size() + batch->data().size() > kLongestBatch) {
    return Status::CapacityError(name_, ": the server sent a batch of more than 2 GiB");
  }
  if (chunk_ == 0) {
    chunks_ = std::move(*batch->mutable_data());
  } else {
    chunks_ += batch->data();
  }
  ++chunk_;
  whole = chunk_ == count;
  if (whole) chunk_ = 0;
  return Status::OK();
}

Status ResultStream::Decode(std::string bytes, int64_t rows) {
  arrow::io::BufferReader input(arrow::Buffer::FromString(std::move(bytes)));
  auto options = arrow::ipc::IpcReadOptions::Defaults();
  // Decoding here mostly slices buffers; Arrow's pool would only compete with the caller.
  options.use_threads = false;
  PT_LET(const auto reader, arrow::ipc::RecordBatchStreamReader::Open(&input, options));
  PT_TRY(TakeSchema(reader->schema()));
  int64_t decoded = 0;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    PT_TRY(reader->ReadNext(&batch));
    if (batch == nullptr) break;
    // The bytes come from the network, and code that reads batches trusts offsets and lengths.
    PT_TRY(batch->ValidateFull());
    PT_TRY(CheckClaims(*batch));
    decoded += batch->num_rows();
    if (batch->num_rows() > 0) {
      ready_.push_back(batch->ReplaceSchemaMetadata(nullptr));
    }
  }
  if (decoded == rows) return Status::OK();
  return Status::UnknownError(name_, ": the server announced ", rows, " rows and sent ", decoded);
}

Status ResultStream::TakeSchema(const SchemaPtr& schema) {
  if (schema_ == nullptr) schema_ = schema->WithMetadata(nullptr);
  if (schema_->Equals(*schema, false)) return Status::OK();
  return Status::UnknownError(name_, ": the server announced the columns ", schema_->ToString(),
                              " and sent ", schema->ToString());
}

}  // namespace protium::connect
