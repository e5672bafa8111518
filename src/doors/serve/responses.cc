// SPDX-License-Identifier: Apache-2.0
#include "serve/responses.h"

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/api.h>
#include <fmt/format.h>

#include <utility>

#include "base/fault.h"
#include "column/claims.h"
#include "column/schema.h"
#include "inference/json_answer.h"
#include "inference/json_rows.h"
#include "model/row_graph.h"
#include "serve/score_request.h"

namespace protium {
namespace {

constexpr const char* kArrowType = "application/vnd.apache.arrow.stream";
constexpr std::chrono::seconds kLately{60};            // Whoever asks /readyz does so more often.
constexpr int64_t kMostArrowBytes = int64_t{1} << 30;  // For all requests together.

HttpResponse Refused(const Status& status) {
  Fault fault = FaultOf(status);
  const int code = StatusFor(fault);
  return WithRetry(Refusal(code, std::move(fault)));
}

// What Arrow's reader refuses is an error in the request.
Status BadArrow(const Status& status) {
  if (status.detail() != nullptr) return status;  // Already a fault.
  if (status.IsOutOfMemory()) {
    return Fail({.exit = Exit::kInput, .what = "the rows take too much memory once unpacked"});
  }
  return Fail({.exit = Exit::kInput,
               .what = "the body is not a stream of Arrow record batches",
               .why = status.message()});
}

Result<Rows> ReadArrow(const std::string& body, int64_t most_rows, arrow::MemoryPool* pool) {
  arrow::ipc::IpcReadOptions options;
  // Counts unpacked bytes; a small body may claim to contain much.
  options.memory_pool = pool;
  options.use_threads = false;
  // Untrusted data may place numbers at any address.
  options.ensure_alignment = arrow::ipc::Alignment::kDataTypeSpecificAlignment;
  // A copy of the body, to which the batches' buffers point, except for unpacked ones.
  const auto source = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(body));
  PT_LET(const auto reader, arrow::ipc::RecordBatchStreamReader::Open(source, options));
  arrow::RecordBatchVector batches;
  int64_t rows = 0;
  while (true) {
    PT_LET(auto next, reader->Next());
    if (next == nullptr) break;
    if (next->num_rows() > most_rows - rows) return TooManyRows(most_rows);
    // Offsets may point anywhere: the data is untrusted.
    PT_TRY(next->ValidateFull());
    PT_TRY(CheckClaims(*next));
    rows += next->num_rows();
    batches.push_back(std::move(next));
  }
  PT_LET(const auto table, arrow::Table::FromRecordBatches(reader->schema(), batches));
  return table->CombineChunksToBatch(pool);
}

Result<std::string> WriteArrow(const arrow::RecordBatch& batch) {
  PT_LET(const auto sink, arrow::io::BufferOutputStream::Create());
  PT_LET(const auto writer, arrow::ipc::MakeStreamWriter(sink, batch.schema()));
  PT_TRY(writer->WriteRecordBatch(batch));
  PT_TRY(writer->Close());
  PT_LET(const auto buffer, sink->Finish());
  return buffer->ToString();
}

// "application/json; charset=utf-8" is "application/json".
std::string TypeOf(const HttpRequest& request) {
  std::string type = request.Header("content-type");
  type.resize(std::min(type.find(';'), type.size()));
  while (type.ends_with(' ')) type.pop_back();
  return type;
}

// The methods that each path has.
constexpr std::pair<const char*, const char*> kPaths[] = {
    {"/v1/score", "POST"}, {"/v1/reload", "POST"}, {"/v1/model", "GET"},
    {"/healthz", "GET"},   {"/readyz", "GET"},     {"/metrics", "GET"}};

}  // namespace

std::shared_ptr<arrow::MemoryPool> PoolForArrow() {
  return std::make_shared<arrow::CappedMemoryPool>(arrow::default_memory_pool(), kMostArrowBytes);
}

HttpResponse MetricsResponse(std::string text) {
  // The text format of Prometheus.
  return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = std::move(text)};
}

ServeResponses::ServeResponses(const ServeOptions& options, ServedModel& model, RequestLog* log,
                               std::shared_ptr<arrow::MemoryPool> pool)
    : model_(model),
      note_(options.note),
      most_rows_(options.most_waiting_rows),
      log_(log),
      batcher_({.gather = options.gather, .most_waiting_rows = options.most_waiting_rows}, figures_,
               log, options.note),
      open_inference_(options.name, options.version == kCanary ? kCanaryVersions : "", model,
                      batcher_, options.most_waiting_rows),
      pool_(pool != nullptr ? std::move(pool) : PoolForArrow()),
      drain_(options.drain) {}

std::optional<HttpResponse> ServeResponses::CheckPath(const HttpRequest& request) const {
  if (OpenInference::Covers(request.path)) return open_inference_.CheckPath(request);
  std::string known;
  for (const auto& [path, method] : kPaths) {
    known += fmt::format("{}{} {}", known.empty() ? "" : ", ", method, path);
    if (request.path != path) continue;
    if (request.method == method) return std::nullopt;
    HttpResponse response =
        Refusal(405, {.what = fmt::format("{} does not take {}", path, request.method),
                      .fix = fmt::format("{} {}", method, path)});
    response.headers.emplace_back("Allow", method);
    return response;
  }
  return Refusal(404, {.what = "there is nothing at this path", .fix = known});
}

bool ServeResponses::IsForRows(const std::string& path) {
  return path == "/v1/score" || OpenInference::DoorOf(path) == OpenInference::Door::kInfer;
}

HttpResponse ServeResponses::Respond(const HttpRequest& request, const std::string& body) {
  if (auto refusal = CheckPath(request)) return std::move(*refusal);
  if (IsForRows(request.path)) return Score(request, body);
  if (OpenInference::Covers(request.path)) return OpenInferenceState(request);
  if (request.path == "/v1/reload") return ReloadResponse();
  if (request.path == "/v1/model") return Model();
  if (request.path == "/healthz") return JsonResponse({{"ok", true}});
  if (request.path == "/metrics") return MetricsResponse(MetricsText(std::vector{Figures("")}));
  // /readyz: CheckPath() has refused all other paths.
  if (Ready()) return JsonResponse({{"ready", true}});
  return Refusal(503, {.what = "the server is about to end"});
}

VersionFigures ServeResponses::Figures(std::string labels) const {
  VersionFigures own{.labels = std::move(labels), .figures = &figures_};
  own.now.waiting_rows = batcher_.waiting_rows();
  if (log_ != nullptr) {
    own.now.kept_rows = log_->kept();
    own.now.dropped_rows = log_->dropped();
  }
  if (const auto now = model_.Now(); now != nullptr) {
    own.now.generation = now->generation;
    own.now.drifts = now->drift->Drifts();
  }
  return own;
}

bool ServeResponses::Ready() {
  asked_ = std::chrono::steady_clock::now();
  return !draining_;
}

HttpResponse ServeResponses::OpenInferenceState(const HttpRequest& request) {
  const auto door = OpenInference::DoorOf(request.path);
  const bool asks = door == OpenInference::Door::kReady || door == OpenInference::Door::kModelReady;
  return open_inference_.Respond(request, "", asks && Ready());
}

std::chrono::milliseconds ServeResponses::Drain() {
  draining_ = true;
  const auto asked = asked_.load();
  const bool lately = std::chrono::steady_clock::now() - asked < kLately;
  return asked.time_since_epoch().count() != 0 && lately ? drain_ : std::chrono::milliseconds(0);
}

HttpResponse ServeResponses::Score(const HttpRequest& request, const std::string& body) {
  const auto begun = std::chrono::steady_clock::now();
  // Begun before the body is read, so that those that wait for others know of this one (batcher.h,
  // 1).
  const Batcher::Begun among(batcher_);
  HttpResponse response = OpenInference::Covers(request.path)
                              ? open_inference_.Respond(request, body, true)
                              : ScoreOwn(request, body);
  figures_.Responded(response.status, std::chrono::steady_clock::now() - begun);
  return response;
}

HttpResponse ServeResponses::ScoreOwn(const HttpRequest& request, const std::string& body) {
  const std::string type = TypeOf(request);
  if (type == kArrowType || type == "application/json" || type.empty()) {
    auto scored = ScoreRows(request, body, type == kArrowType);
    return scored.ok() ? std::move(*scored) : Refused(scored.status());
  }
  return Refusal(415, {.what = fmt::format("rows cannot come as {}", type),
                       .fix = fmt::format("Content-Type: application/json or {}", kArrowType)});
}

Result<HttpResponse> ServeResponses::ScoreRows(const HttpRequest& request, const std::string& body,
                                               bool arrow) {
  PT_LET(const int32_t columns, ExplainedColumns(request));
  // Fetched once: a reload meanwhile must not separate the columns from the predictions.
  PT_LET(const auto model, model_.Explaining(columns));
  return arrow ? ScoreArrow(model, body) : ScoreJson(model, body);
}

Result<HttpResponse> ServeResponses::ScoreJson(const std::shared_ptr<const Served>& model,
                                               const std::string& body) {
  PT_LET(const JsonRows read, ReadJsonRows(body, *model->scorer.input(), most_rows_));
  PT_LET(const Rows scored, batcher_.Score(model, read.batch));
  if (read.form == JsonForm::kColumns) {
    return HttpResponse{.body = "{\"columns\":" + ColumnsToJson(*scored) + "}"};
  }
  return HttpResponse{.body = "{\"predictions\":" + RowsToJson(*scored) + "}"};
}

Result<HttpResponse> ServeResponses::ScoreArrow(const std::shared_ptr<const Served>& model,
                                                const std::string& body) {
  const auto batch = ReadArrow(body, most_rows_, pool_.get());
  if (!batch.ok()) return BadArrow(batch.status());
  PT_LET(const Rows scored, batcher_.Score(model, *batch));
  PT_LET(std::string stream, WriteArrow(*scored));
  return HttpResponse{.type = kArrowType, .body = std::move(stream)};
}

HttpResponse ServeResponses::Model() const {
  const auto now = model_.Now();
  if (const auto input = SchemaToJson(*now->scorer.input()); !input.ok()) {
    return Refused(input.status());
  }
  if (const auto output = SchemaToJson(*now->scorer.output()); !output.ok()) {
    return Refused(output.status());
  }
  return JsonResponse(Facts());
}

Json ServeResponses::Facts() const {
  const auto now = model_.Now();
  Json facts = {{"model", model_.folder().string()},
                {"generation", now->generation},
                {"net", now->net},
                {"input", SchemaToJson(*now->scorer.input()).ValueOr(Json())},
                {"output", SchemaToJson(*now->scorer.output()).ValueOr(Json())}};
  if (now->net.is_string() && IsRunAsGraph(now->net.get<std::string>())) {
    facts["computed_by"] = "ONNX Runtime";
  }
  if (now->int8) facts["precision"] = "int8";
  const auto drifts = now->drift->Drifts();
  if (!drifts.empty()) facts["drift"] = drifts;
  if (!model_.last().ok()) facts["failed_reload"] = StatusToJson(model_.last());
  return facts;
}

Status ServeResponses::Reload() {
  const Status reloaded = model_.Reload();
  figures_.Reloaded(reloaded.ok());
  if (note_) {
    note_(reloaded.ok() ? fmt::format("serves the model in {} anew\n", model_.folder().string())
                        : Render(FaultOf(reloaded)));
  }
  return reloaded;
}

HttpResponse ServeResponses::ReloadResponse() {
  const Status reloaded = Reload();
  if (reloaded.ok()) return Model();
  // The folder contains no model that can be served; the previous one still is.
  return Refusal(409, FaultOf(reloaded));
}

}  // namespace protium
