// SPDX-License-Identifier: Apache-2.0
// Responds below /v2 in the Open Inference Protocol, version 2 (docs/serve.md), which clients of
// KServe and Triton speak. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "http/exchange.h"
#include "serve/batcher.h"
#include "serve/served_model.h"

namespace protium {

// A refusal as the protocol says it: a text.
HttpResponse InferError(int status, const Fault& fault);

class OpenInference {
 public:
  // Where a request goes.
  enum class Door { kServer, kLive, kReady, kModel, kModelReady, kInfer };

  // The model is served as `name`; its versions are `version` and the model's generation. All must
  // outlive this.
  OpenInference(std::string name, std::string version, ServedModel& model, Batcher& batcher,
                int64_t most_rows)
      : name_(std::move(name)),
        version_(std::move(version)),
        model_(model),
        batcher_(batcher),
        most_rows_(most_rows) {}

  // Whether the path is one of this protocol.
  static bool Covers(const std::string& path);
  // None for a path that there is not.
  static std::optional<Door> DoorOf(const std::string& path);

  // Returns the refusal of an unknown path or method; none for a known one.
  std::optional<HttpResponse> CheckPath(const HttpRequest& request) const;
  // Returns the response to a request with a known path. `ready` tells whether the server takes
  // requests.
  HttpResponse Respond(const HttpRequest& request, const std::string& body, bool ready) const;

 private:
  Result<Json> Facts() const;
  // Fails unless the path names this model, in the version that is served.
  Status CheckModel(const std::string& path) const;
  Result<HttpResponse> Infer(const HttpRequest& request, const std::string& body) const;

  std::string VersionOf(const Served& model) const;

  std::string name_;
  std::string version_;
  ServedModel& model_;
  Batcher& batcher_;
  const int64_t most_rows_;
};

}  // namespace protium
