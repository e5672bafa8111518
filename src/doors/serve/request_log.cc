// SPDX-License-Identifier: Apache-2.0
#include "serve/request_log.h"

#include <arrow/api.h>
#include <arrow/compute/api.h>
#include <arrow/util/byte_size.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <utility>

#include "base/fault.h"
#include "base/splitmix.h"
#include "format/file_writer.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// A column with one value in every row.
template <class Scalar>
std::shared_ptr<arrow::Array> Repeated(const Scalar& value, int64_t rows) {
  return arrow::MakeArrayFromScalar(value, rows).ValueOrDie();
}

arrow::TimestampScalar NowInMicros() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::microseconds>(since).count(),
          arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")};
}

// What is kept of a request.
Result<std::shared_ptr<arrow::RecordBatch>> Joined(const Served& model,
                                                   const arrow::RecordBatch& rows,
                                                   const arrow::RecordBatch& predictions) {
  const int64_t count = rows.num_rows();
  arrow::FieldVector fields = {
      arrow::field("requested_at", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")),
      arrow::field("generation", arrow::int64())};
  arrow::ArrayVector columns = {Repeated(NowInMicros(), count),
                                Repeated(arrow::Int64Scalar(model.generation), count)};
  if (!model.version.empty()) {
    fields.push_back(arrow::field("version", arrow::utf8()));
    columns.push_back(Repeated(arrow::StringScalar(model.version), count));
  }
  for (const auto& field : model.scorer.input()->fields()) {
    std::shared_ptr<arrow::Array> values = rows.GetColumnByName(field->name());
    if (values == nullptr) return Status::KeyError(field->name());
    if (!values->type()->Equals(*field->type())) {
      PT_LET(values, arrow::compute::Cast(*values, field->type()));
    }
    fields.push_back(field);
    columns.push_back(std::move(values));
  }
  for (int i = 0; i < predictions.num_columns(); ++i) {
    fields.push_back(predictions.schema()->field(i));
    columns.push_back(predictions.column(i));
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), count, std::move(columns));
}

}  // namespace

Result<std::unique_ptr<RequestLog>> RequestLog::Make(RequestLogOptions options, Note note) {
  std::error_code failed;
  fs::create_directories(options.folder, failed);
  if (failed || ::access(options.folder.c_str(), W_OK) != 0) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("requests cannot be kept in {}", options.folder.string()),
                 .why = failed ? failed.message() : "nobody may write there",
                 .fix = "choose another folder for --log"});
  }
  return std::unique_ptr<RequestLog>(new RequestLog(std::move(options), std::move(note)));
}

RequestLog::RequestLog(RequestLogOptions options, Note note)
    : options_(std::move(options)),
      note_(std::move(note)),
      thread_([this](std::stop_token stop) { Run(stop); }) {}

RequestLog::~RequestLog() = default;

bool RequestLog::IsChosen() {
  const uint64_t drawn = SplitMix((requests_++ + 1) * kSplitMixStep);
  return double(drawn >> 11) * 0x1p-53 < options_.share;
}

void RequestLog::Add(const Served& model, const arrow::RecordBatch& rows,
                     const arrow::RecordBatch& predictions) {
  if (!IsChosen()) return;
  const auto joined = Joined(model, rows, predictions);
  if (!joined.ok()) {
    dropped_ += rows.num_rows();
    return;
  }
  const int64_t bytes = arrow::util::TotalBufferSize(**joined);
  const std::lock_guard lock(mutex_);
  if (waiting_bytes_ + bytes > kMostBytes) {
    dropped_ += rows.num_rows();
    return;
  }
  waiting_[(*joined)->schema()->ToString()].push_back(*joined);
  waiting_bytes_ += bytes;
  waiting_rows_ += rows.num_rows();
  if (waiting_rows_ >= options_.rows) came_.notify_one();
}

void RequestLog::Run(std::stop_token stop) {
  while (true) {
    std::unique_lock lock(mutex_);
    came_.wait_for(lock, stop, options_.every, [&] { return waiting_rows_ >= options_.rows; });
    const auto batches = std::exchange(waiting_, {});
    waiting_rows_ = waiting_bytes_ = 0;
    lock.unlock();
    for (const auto& [schema, each] : batches) Write(each);
    if (stop.stop_requested() && batches.empty()) return;
  }
}

void RequestLog::Write(const arrow::RecordBatchVector& batches) {
  int64_t rows = 0;
  for (const auto& each : batches) rows += each->num_rows();
  const Status written = WriteFile(batches);
  (written.ok() ? kept_ : dropped_) += rows;
  if (written.ok() != failing_) return;
  failing_ = !written.ok();
  if (!note_) return;
  note_(failing_ ? Render(FaultOf(written))
                 : fmt::format("requests are kept in {} again\n", options_.folder.string()));
}

Status RequestLog::WriteFile(const arrow::RecordBatchVector& batches) {
  PT_LET(const auto all, arrow::ConcatenateRecordBatches(batches));
  PT_LET(const auto writer, FileWriter::Make(Format::kParquet, NextFile(), all->schema()));
  PT_TRY(writer->Write(*all));
  return writer->Commit();
}

// Servers that share a folder never write the same file.
fs::path RequestLog::NextFile() {
  const std::tm now = fmt::gmtime(std::time(nullptr));
  return options_.folder /
         fmt::format("requests-{:%Y%m%d-%H%M%S}-{}-{:04}.parquet", now, ::getpid(), ++files_);
}

}  // namespace protium
