// SPDX-License-Identifier: Apache-2.0
#include "serve/open_inference.h"

#include <arrow/api.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "base/text.h"
#include "column/lists.h"
#include "protium/version.h"
#include "serve/infer_output.h"
#include "serve/infer_request.h"
#include "serve/infer_tensor.h"
#include "serve/model_path.h"
#include "serve/score_request.h"

namespace protium {
namespace {

using Door = OpenInference::Door;

constexpr std::string_view kModels = "/v2/models/";
constexpr const char* kJsonBytes = "Inference-Header-Content-Length";
constexpr const char* kOpenPaths =
    "GET /v2, /v2/health/live, /v2/health/ready, /v2/models/NAME and .../ready; POST "
    "/v2/models/NAME/infer";

std::string_view BehindModels(std::string_view path) { return path.substr(kModels.size()); }

HttpResponse InferRefusal(int status, const Fault& fault) {
  return WithRetry(InferError(status, fault));
}

Result<Json> TensorsOf(const arrow::Schema& schema) {
  Json tensors = Json::array();
  for (const auto& field : schema.fields()) {
    PT_LET(const std::string datatype, DatatypeOf(*field));
    Json shape = {-1};
    if (IsList(*field->type())) shape.push_back(-1);
    tensors.push_back({{"name", field->name()}, {"datatype", datatype}, {"shape", shape}});
  }
  return tensors;
}

// The outputs that a request names; all if it names none.
Result<std::vector<InferRequest::Output>> WantedOutputs(const InferRequest& request,
                                                        const arrow::Schema& schema) {
  std::vector<InferRequest::Output> wanted = request.outputs;
  for (const auto& each : wanted) {
    if (schema.GetFieldIndex(each.name) >= 0) continue;
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("the model has no output \"{}\"", each.name),
                 .fix = fmt::format("one of {}", fmt::join(schema.field_names(), ", "))});
  }
  if (wanted.empty()) {
    for (const auto& field : schema.fields()) wanted.push_back({field->name(), std::nullopt});
  }
  return wanted;
}

Result<HttpResponse> WriteOutputs(Json head, const InferRequest& request,
                                  const arrow::RecordBatch& scored) {
  PT_LET(const auto wanted, WantedOutputs(request, *scored.schema()));
  std::string raw;
  Json outputs = Json::array();
  for (const auto& each : wanted) {
    const int column = scored.schema()->GetFieldIndex(each.name);
    const arrow::Field& field = *scored.schema()->field(column);
    const arrow::Array& values = *scored.column(column);
    PT_LET(const std::string datatype, DatatypeOf(field));
    PT_LET(const auto shape, ShapeOf(field, values));
    Json output = {{"name", each.name}, {"datatype", datatype}, {"shape", shape}};
    if (each.binary.value_or(request.binary)) {
      PT_LET(const std::string bytes, RawValues(field, values));
      output["parameters"] = {{"binary_data_size", bytes.size()}};
      raw += bytes;
    } else {
      PT_LET(output["data"], JsonValues(field, values));
    }
    outputs.push_back(std::move(output));
  }
  if (!request.id.empty()) head["id"] = request.id;
  head["outputs"] = std::move(outputs);
  HttpResponse response = JsonResponse(head);
  if (raw.empty()) return response;
  response.type = "application/octet-stream";
  response.headers.emplace_back(kJsonBytes, std::to_string(response.body.size()));
  response.body += raw;
  return response;
}

Result<std::optional<size_t>> JsonBytes(const HttpRequest& request) {
  const std::string& text = request.Header(Lower(kJsonBytes));
  if (text.empty()) return std::nullopt;
  const auto bytes = AllAsNumber<size_t>(text);
  if (bytes) return bytes;
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("{}: {} is not a number of bytes", kJsonBytes, text)});
}

const char* MethodOf(Door door) { return door == Door::kInfer ? "POST" : "GET"; }

}  // namespace

HttpResponse InferError(int status, const Fault& fault) {
  std::string text = fault.what;
  if (!fault.where.empty()) text += fmt::format(" ({})", fault.where);
  if (!fault.why.empty()) text += ": " + fault.why;
  if (!fault.fix.empty()) text += "; " + fault.fix;
  HttpResponse response = JsonResponse({{"error", text}});
  response.status = status;
  return response;
}

bool OpenInference::Covers(const std::string& path) {
  return path == "/v2" || path.starts_with("/v2/");
}

std::optional<Door> OpenInference::DoorOf(const std::string& path) {
  if (path == "/v2" || path == "/v2/") return Door::kServer;
  if (path == "/v2/health/live") return Door::kLive;
  if (path == "/v2/health/ready") return Door::kReady;
  if (!path.starts_with(kModels)) return std::nullopt;
  const std::string action = SplitModelPath(BehindModels(path)).action;
  if (action.empty()) return Door::kModel;
  if (action == "ready") return Door::kModelReady;
  if (action == "infer") return Door::kInfer;
  return std::nullopt;
}

std::optional<HttpResponse> OpenInference::CheckPath(const HttpRequest& request) const {
  const std::optional<Door> door = DoorOf(request.path);
  if (!door) {
    return InferRefusal(404, {.what = "there is nothing at this path", .fix = kOpenPaths});
  }
  if (request.method == MethodOf(*door)) return std::nullopt;
  HttpResponse response =
      InferRefusal(405, {.what = fmt::format("{} does not take {}", request.path, request.method)});
  response.headers.emplace_back("Allow", MethodOf(*door));
  return response;
}

std::string OpenInference::VersionOf(const Served& model) const {
  return version_ + std::to_string(model.generation);
}

Status OpenInference::CheckModel(const std::string& path) const {
  const ModelPath parts = SplitModelPath(BehindModels(path));
  const std::string version = VersionOf(*model_.Now());
  if (parts.name == name_ && (parts.version.empty() || parts.version == version)) {
    return Status::OK();
  }
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("no model \"{}\" of version {} is served", parts.name,
                                   parts.version.empty() ? version : parts.version),
               .fix = fmt::format("{}{}, in version {}", kModels, name_, version)});
}

Result<Json> OpenInference::Facts() const {
  const auto now = model_.Now();
  PT_LET(const Json inputs, TensorsOf(*now->scorer.input()));
  PT_LET(const Json outputs, TensorsOf(*now->scorer.output()));
  return Json{{"name", name_},
              {"versions", {VersionOf(*now)}},
              {"platform", "protium"},
              {"inputs", inputs},
              {"outputs", outputs}};
}

Result<HttpResponse> OpenInference::Infer(const HttpRequest& request,
                                          const std::string& body) const {
  PT_LET(const int32_t columns, ExplainedColumns(request));
  PT_LET(const auto model, model_.Explaining(columns));
  PT_LET(const auto json_bytes, JsonBytes(request));
  PT_LET(const InferRequest read,
         ReadInferRequest(body, json_bytes, *model->scorer.input(), most_rows_));
  PT_LET(const Rows scored, batcher_.Score(model, read.rows));
  return WriteOutputs({{"model_name", name_}, {"model_version", VersionOf(*model)}}, read, *scored);
}

HttpResponse OpenInference::Respond(const HttpRequest& request, const std::string& body,
                                    bool ready) const {
  const Door door = *DoorOf(request.path);
  if (door == Door::kServer) {
    return JsonResponse({{"name", "protium"},
                         {"version", PROTIUM_VERSION},
                         {"extensions", {"binary_tensor_data"}}});
  }
  if (door == Door::kLive) return JsonResponse({{"live", true}});
  if (door != Door::kReady) {
    if (const Status known = CheckModel(request.path); !known.ok()) {
      return InferRefusal(404, FaultOf(known));
    }
  }
  if (door == Door::kReady || door == Door::kModelReady) {
    HttpResponse response = JsonResponse({{"ready", ready}});
    response.status = ready ? 200 : 503;
    return response;
  }
  auto answer = door == Door::kInfer ? Infer(request, body) : [this]() -> Result<HttpResponse> {
    PT_LET(const Json facts, Facts());
    return JsonResponse(facts);
  }();
  if (answer.ok()) return std::move(*answer);
  const Fault fault = FaultOf(answer.status());
  return InferRefusal(StatusFor(fault), fault);
}

}  // namespace protium
