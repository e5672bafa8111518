// SPDX-License-Identifier: Apache-2.0
#include "serve/served_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/fault.h"
#include "base/fnv.h"
#include "base/splitmix.h"
#include "serve/figures.h"
#include "serve/model_path.h"

namespace protium {
namespace {

constexpr std::string_view kOwnModels = "/v1/models", kOpenModels = "/v2/models/";
constexpr const char* kVersionHeader = "X-Model-Version";

// The options of one version.
ServeOptions OptionsOf(const ServeOptions& all, const ModelToServe& model, const char* version) {
  ServeOptions own = all;
  const bool canary = std::string_view(version) == kCanary;
  own.models.clear();
  own.name = model.name;
  own.model = canary ? model.canary : model.model;
  own.inputs = canary ? Columns() : model.inputs;
  own.version = version;
  return own;
}

ServedModel::Load LoadAs(const ServeOptions& options) {
  return [inputs = options.inputs, most_loss = options.most_int8_loss,
          version = options.version](const auto& place) -> Result<Served> {
    PT_LET(Served served, LoadServed(place, inputs, most_loss));
    served.version = version;
    return served;
  };
}

HttpResponse Refused(int status, const std::string& path, Fault fault) {
  return OpenInference::Covers(path) ? InferError(status, fault)
                                     : Refusal(status, std::move(fault));
}

}  // namespace

bool IsForCanary(uint64_t number, double share) {
  return uint64_t(double(number + 1) * share) > uint64_t(double(number) * share);
}

bool IsForCanary(std::string_view key, double share) {
  return double(SplitMix(Fnv1a(key)) >> 11) * 0x1p-53 < share;
}

ServedVersion::ServedVersion(const ServeOptions& options, RequestLog* log,
                             std::shared_ptr<arrow::MemoryPool> pool)
    : version_(options.version),
      model_(options.model, LoadAs(options)),
      responses_(options, model_, log, std::move(pool)) {}

ServedModels::ServedModels(const ServeOptions& options)
    : alone_(options.models.empty()), note_(options.note), pool_(PoolForArrow()) {}

Result<std::unique_ptr<ServedModels>> ServedModels::Load(const ServeOptions& options) {
  std::unique_ptr<ServedModels> models(new ServedModels(options));
  if (models->alone_) {
    PT_TRY(models->Add(options, {options.name, options.model, options.inputs}, true));
  }
  for (const ModelToServe& each : options.models) PT_TRY(models->Add(options, each, false));
  PT_TRY(models->LoadAll());
  return models;
}

Status ServedModels::Add(const ServeOptions& options, const ModelToServe& model, bool alone) {
  auto entry = std::make_unique<Entry>();
  entry->name = model.name;
  entry->share = model.canary_share;
  if (!options.log.empty()) {
    const auto folder = alone ? options.log : options.log / model.name;
    PT_LET(entry->log, RequestLog::Make({.folder = folder, .share = options.log_share}, note_));
  }
  const bool shared = !model.canary.empty();
  entry->stable = std::make_unique<ServedVersion>(OptionsOf(options, model, shared ? kStable : ""),
                                                  entry->log.get(), pool_);
  if (shared) {
    entry->canary = std::make_unique<ServedVersion>(OptionsOf(options, model, kCanary),
                                                    entry->log.get(), pool_);
  }
  entries_.push_back(std::move(entry));
  return Status::OK();
}

// A model that cannot be loaded leaves the others.
Status ServedModels::LoadAll() {
  Status first;
  bool any = false;
  for (ServedVersion* each : Versions()) {
    const Status loaded = each->Load();
    any = any || loaded.ok();
    if (first.ok()) first = loaded;
  }
  if (!any) return first;
  for (const ServedVersion* each : Versions()) {
    if (!each->loaded() && note_) note_(Render(FaultOf(each->model().last())));
  }
  return Status::OK();
}

std::vector<ServedVersion*> ServedModels::Versions() const {
  std::vector<ServedVersion*> all;
  for (const auto& each : entries_) {
    all.push_back(each->stable.get());
    if (each->canary != nullptr) all.push_back(each->canary.get());
  }
  return all;
}

ServedModels::Entry* ServedModels::Find(std::string_view name) const {
  for (const auto& each : entries_) {
    if (each->name == name) return each.get();
  }
  return nullptr;
}

std::string ServedModels::Names() const {
  std::string names;
  for (const auto& each : entries_) names += (names.empty() ? "" : ", ") + each->name;
  return names;
}

Result<ServedModels::Door> ServedModels::DoorOf(const std::string& path) const {
  const bool own = path.starts_with(kOwnModels);
  const size_t head = own ? kOwnModels.size() + 1 : kOpenModels.size();
  const ModelPath parts =
      SplitModelPath(std::string_view(path).substr(std::min(head, path.size())));
  Entry* const entry = Find(parts.name);
  if (entry == nullptr) {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("no model \"{}\" is served", parts.name),
                 .fix = "one of " + Names()});
  }
  Door door{.entry = entry, .path = path};
  if (own) door.path = parts.action.empty() ? "/v1/model" : "/v1/" + parts.action;
  const bool canary = parts.version.starts_with(kCanary);
  if (canary && entry->canary == nullptr) {
    return Fail(
        {.exit = Exit::kInput, .what = fmt::format("the model \"{}\" has no canary", parts.name)});
  }
  if (own && !canary && !parts.version.empty() && parts.version != kStable) {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("no version \"{}\" of the model \"{}\" is served",
                                     parts.version, parts.name),
                 .fix = entry->canary == nullptr ? "leave it out" : "stable or canary"});
  }
  if (!parts.version.empty() || entry->canary == nullptr) {
    door.version = canary ? entry->canary.get() : entry->stable.get();
  }
  return door;
}

namespace {

// Adds the canary's version to what the open protocol says of the model.
void AddVersion(const Served& canary, HttpResponse& response) {
  auto facts = ParseJson(response.body);
  if (!facts.ok() || !facts->contains("versions")) return;
  (*facts)["versions"].push_back(std::string(kCanaryVersions) + std::to_string(canary.generation));
  response.body = Dump(*facts);
}

// Paths of the server itself, or of all its models.
bool IsOfServer(const std::string& path) {
  return !path.starts_with(std::string(kOwnModels) + "/") && !path.starts_with(kOpenModels);
}

// Those that only a single model has.
bool IsOfOneModel(const std::string& path) { return path == "/v1/score" || path == "/v1/model"; }

}  // namespace

std::optional<HttpResponse> ServedModels::CheckPath(const HttpRequest& request) const {
  const ServeResponses& first = entries_.front()->stable->responses();
  if (alone_) return first.CheckPath(request);
  if (request.path == kOwnModels && request.method == "GET") return std::nullopt;
  if (IsOfOneModel(request.path)) {
    return Refusal(404, {.what = "several models are served, and this path names none",
                         .fix = fmt::format("{}/NAME{}, NAME being one of {}", kOwnModels,
                                            request.path.substr(3), Names())});
  }
  if (IsOfServer(request.path)) return first.CheckPath(request);
  const auto door = DoorOf(request.path);
  if (!door.ok()) return Refused(404, request.path, FaultOf(door.status()));
  HttpRequest inside = request;
  inside.path = door->path;
  return door->entry->stable->responses().CheckPath(inside);
}

bool ServedModels::IsForRows(const std::string& path) const {
  if (alone_) return ServeResponses::IsForRows(path);
  if (IsOfServer(path)) return false;
  const auto door = DoorOf(path);
  return door.ok() && ServeResponses::IsForRows(door->path);
}

HttpResponse ServedModels::Respond(const HttpRequest& request, const std::string& body) {
  if (auto refusal = CheckPath(request)) return std::move(*refusal);
  ServeResponses& first = entries_.front()->stable->responses();
  if (alone_) return first.Respond(request, body);
  if (request.path == kOwnModels) return List();
  if (request.path == "/metrics") return MetricsResponse(Metrics());
  if (request.path == "/v1/reload") return ReloadAll();
  if (IsOfServer(request.path)) return first.Respond(request, body);
  // CheckPath() has found it.
  return RespondFor(*DoorOf(request.path), request, body);
}

ServedVersion& ServedModels::Choose(Entry& entry, const HttpRequest& request) {
  if (entry.canary == nullptr || !entry.canary->loaded()) return *entry.stable;
  const std::string& key = request.Header("x-request-key");
  const bool canary =
      key.empty() ? IsForCanary(entry.requests++, entry.share) : IsForCanary(key, entry.share);
  return canary ? *entry.canary : *entry.stable;
}

HttpResponse ServedModels::RespondFor(const Door& door, HttpRequest request,
                                      const std::string& body) {
  const bool rows = ServeResponses::IsForRows(door.path);
  if (!rows && door.version == nullptr && door.path == "/v1/model") {
    return JsonResponse(Facts(*door.entry));
  }
  ServedVersion* version = door.version;
  if (version == nullptr) version = rows ? &Choose(*door.entry, request) : door.entry->stable.get();
  if (!version->loaded() && door.path != "/v1/reload") {
    Fault fault = FaultOf(version->model().last());
    return Refused(503, request.path,
                   {.what = fmt::format("the model \"{}\" could not be loaded", door.entry->name),
                    .why = fault.what + (fault.why.empty() ? "" : ": " + fault.why),
                    .fix = fault.fix});
  }
  request.path = door.path;
  HttpResponse response = version->responses().Respond(request, body);
  const bool of_both = door.version == nullptr && door.entry->canary->loaded();
  if (of_both && OpenInference::DoorOf(door.path) == OpenInference::Door::kModel) {
    AddVersion(*door.entry->canary->model().Now(), response);
  }
  if (rows && !version->version().empty()) {
    response.headers.emplace_back(kVersionHeader, version->version());
  }
  return response;
}

std::chrono::milliseconds ServedModels::Drain() {
  std::chrono::milliseconds longest{0};
  for (ServedVersion* each : Versions()) longest = std::max(longest, each->responses().Drain());
  return longest;
}

void ServedModels::Reload(bool all) {
  for (ServedVersion* each : Versions()) {
    if (all || each->model().Changed()) (void)each->responses().Reload();  // It reports the result.
  }
}

HttpResponse ServedModels::ReloadAll() {
  Reload(true);
  const bool all = std::ranges::all_of(
      Versions(), [](const ServedVersion* each) { return each->model().last().ok(); });
  HttpResponse response = List();
  if (!all) response.status = 409;
  return response;
}

Json ServedModels::Facts(const Entry& entry) const {
  const auto of = [](const ServedVersion& version) {
    if (version.loaded()) return version.responses().Facts();
    return Json{{"model", version.model().folder().string()},
                {"failed", StatusToJson(version.model().last())}};
  };
  Json facts = of(*entry.stable);
  facts["name"] = entry.name;
  if (entry.canary == nullptr) return facts;
  facts["canary"] = of(*entry.canary);
  facts["canary"]["share"] = entry.share;
  return facts;
}

HttpResponse ServedModels::List() const {
  Json models = Json::array();
  for (const auto& each : entries_) models.push_back(Facts(*each));
  return JsonResponse({{"models", models}});
}

std::string ServedModels::Metrics() const {
  std::vector<VersionFigures> all;
  for (const auto& entry : entries_) {
    for (const ServedVersion* each : {entry->stable.get(), entry->canary.get()}) {
      if (each == nullptr) continue;
      const char* const version = each == entry->canary.get() ? kCanary : kStable;
      all.push_back(each->responses().Figures(
          fmt::format("model=\"{}\",version=\"{}\"", entry->name, version)));
    }
  }
  return MetricsText(all);
}

}  // namespace protium
