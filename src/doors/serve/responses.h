// SPDX-License-Identifier: Apache-2.0
// Responds to the server's requests (docs/serve.md). Any thread.
#pragma once

#include <arrow/memory_pool.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "http/exchange.h"
#include "serve/batcher.h"
#include "serve/figures.h"
#include "serve/open_inference.h"
#include "serve/serve.h"
#include "serve/served_model.h"

namespace protium {

class ServeResponses {
 public:
  // `model` must be loaded before it is asked for; both must outlive this. Without a log no request
  // is kept. `pool`: memory for requests with Arrow rows, which others may share; null: its own.
  ServeResponses(const ServeOptions& options, ServedModel& model, RequestLog* log = nullptr,
                 std::shared_ptr<arrow::MemoryPool> pool = nullptr);

  // Returns the refusal of an unknown path or method; none for a known one.
  std::optional<HttpResponse> CheckPath(const HttpRequest& request) const;
  // Whether requests to the path have rows as their body.
  static bool IsForRows(const std::string& path);
  // Returns the response to an authorised request with a known path and its body.
  HttpResponse Respond(const HttpRequest& request, const std::string& body);
  // What clients may know of the model.
  Json Facts() const;
  // Its counters; those of a model that is not loaded yet are 0.
  VersionFigures Figures(std::string labels) const;
  // Loads the model anew, and reports the result.
  Status Reload();
  // From now on /readyz and its like say no, so that load balancers stop sending requests here.
  // Returns how long requests may still arrive until they notice: zero if nobody has asked lately.
  std::chrono::milliseconds Drain();

 private:
  HttpResponse Score(const HttpRequest& request, const std::string& body);
  HttpResponse ScoreOwn(const HttpRequest& request, const std::string& body);
  // Rows are of the type that the request says.
  Result<HttpResponse> ScoreRows(const HttpRequest& request, const std::string& body, bool arrow);
  Result<HttpResponse> ScoreJson(const std::shared_ptr<const Served>& model,
                                 const std::string& body);
  Result<HttpResponse> ScoreArrow(const std::shared_ptr<const Served>& model,
                                  const std::string& body);
  HttpResponse OpenInferenceState(const HttpRequest& request);
  // Whether requests are taken; notes that somebody asks.
  bool Ready();
  HttpResponse Model() const;
  HttpResponse ReloadResponse();

  ServedModel& model_;
  std::function<void(const std::string&)> note_;
  const int64_t most_rows_;  // Per request: more could never wait.
  ServeFigures figures_;
  RequestLog* log_;
  Batcher batcher_;
  const OpenInference open_inference_;
  // Memory for requests with Arrow rows besides their bodies, such as unpacked buffers, limited
  // over all of them together.
  const std::shared_ptr<arrow::MemoryPool> pool_;
  const std::chrono::milliseconds drain_;
  std::atomic<bool> draining_ = false;
  std::atomic<std::chrono::steady_clock::time_point> asked_{};  // When /readyz was last requested.
};

// Memory for the requests of a server with Arrow rows, limited over all of them together.
std::shared_ptr<arrow::MemoryPool> PoolForArrow();

// The response to GET /metrics.
HttpResponse MetricsResponse(std::string text);

}  // namespace protium
