// SPDX-License-Identifier: Apache-2.0
// The models of a server: one, or several by name, each perhaps with a canary, another version that
// gets a share of its requests (docs/serve.md).
//
// 1. Each version is loaded, batched and counted by itself; what happens to one leaves the others
//    as they are.
// 2. With several models, one that cannot be loaded is refused by name while the others are served.
// 3. A request that names no version goes to the canary by its header X-Request-Key, if it has one:
//    the same key goes to the same version as long as the share is the same. Otherwise requests are
//    counted, and of the first n the canary gets n * share, rounded down.
#pragma once

#include <arrow/memory_pool.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/exchange.h"
#include "serve/request_log.h"
#include "serve/responses.h"
#include "serve/serve.h"
#include "serve/served_model.h"

namespace protium {

// One version of a model, with all that only it needs.
class ServedVersion {
 public:
  // `options` has its name, place and version. `log`: null keeps nothing. Not loaded yet.
  ServedVersion(const ServeOptions& options, RequestLog* log,
                std::shared_ptr<arrow::MemoryPool> pool);

  Status Load() { return model_.Reload(); }
  bool loaded() const { return model_.Now() != nullptr; }
  const std::string& version() const { return version_; }  // kStable, kCanary; empty: the only one.
  const ServedModel& model() const { return model_; }
  ServeResponses& responses() { return responses_; }
  const ServeResponses& responses() const { return responses_; }

 private:
  std::string version_;
  ServedModel model_;
  ServeResponses responses_;
};

// Whether the request of this number, from 0 on, goes to a canary with this share.
bool IsForCanary(uint64_t number, double share);
// The same for a request with a key.
bool IsForCanary(std::string_view key, double share);

// Any thread.
class ServedModels {
 public:
  // Loads the models. Fails if none can be served, with the fault of the first.
  static Result<std::unique_ptr<ServedModels>> Load(const ServeOptions& options);

  // As those of ServeResponses, over all models.
  std::optional<HttpResponse> CheckPath(const HttpRequest& request) const;
  bool IsForRows(const std::string& path) const;
  HttpResponse Respond(const HttpRequest& request, const std::string& body);
  std::chrono::milliseconds Drain();
  // Loads those anew whose folders hold other models, or all.
  void Reload(bool all);

 private:
  struct Entry {
    std::string name;
    std::unique_ptr<RequestLog> log;
    std::unique_ptr<ServedVersion> stable;
    std::unique_ptr<ServedVersion> canary;  // Null: none.
    double share = 0;
    std::atomic<uint64_t> requests = 0;
  };
  // Where a request goes: to a version, with the path that it has there.
  struct Door {
    Entry* entry = nullptr;
    ServedVersion* version = nullptr;  // Null: the request is to be shared out.
    std::string path;
  };

  explicit ServedModels(const ServeOptions& options);
  Status Add(const ServeOptions& options, const ModelToServe& model, bool alone);
  Status LoadAll();
  std::vector<ServedVersion*> Versions() const;
  Entry* Find(std::string_view name) const;
  // Fails with Exit::kInput for a path below a model that there is not.
  Result<Door> DoorOf(const std::string& path) const;
  ServedVersion& Choose(Entry& entry, const HttpRequest& request);
  HttpResponse RespondFor(const Door& door, HttpRequest request, const std::string& body);
  HttpResponse ReloadAll();
  Json Facts(const Entry& entry) const;
  HttpResponse List() const;
  std::string Metrics() const;
  std::string Names() const;

  const bool alone_;  // One model without a name: paths are /v1/score and so on.
  std::function<void(const std::string&)> note_;
  std::shared_ptr<arrow::MemoryPool> pool_;
  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace protium
