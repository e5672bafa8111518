// SPDX-License-Identifier: Apache-2.0
// The requests that the server answers (docs/serve.md). Any thread.
#pragma once

#include <arrow/memory_pool.h>

#include <atomic>
#include <chrono>
#include <optional>

#include "http/exchange.h"
#include "serve/batcher.h"
#include "serve/figures.h"
#include "serve/serve.h"
#include "serve/served_model.h"

namespace protium {

class ServeResponses {
 public:
  // `model` has been loaded and outlives this.
  ServeResponses(const ServeOptions& options, ServedModel& model);

  // The refusal of a path or a method that there is not; none for one that there is.
  static std::optional<HttpResponse> CheckPath(const HttpRequest& request);
  // The response to a request that may ask and has a path that there is, with its body.
  HttpResponse Respond(const HttpRequest& request, const std::string& body);
  // Loads the model anew, and tells how it went.
  Status Reload();
  // From now on /readyz says no: whoever asks others to send requests here should stop. For how
  // long requests still come until that is known: not at all where nobody has asked lately.
  std::chrono::milliseconds Drain();

 private:
  HttpResponse Score(const HttpRequest& request, const std::string& body);
  Result<HttpResponse> ScoreJson(const std::string& body);
  Result<HttpResponse> ScoreArrow(const std::string& body);
  HttpResponse Model() const;
  HttpResponse ReloadResponse();

  ServedModel& model_;
  std::function<void(const std::string&)> note_;
  const int64_t most_rows_;  // Of a request: more can never wait.
  ServeFigures figures_;
  Batcher batcher_;
  // What requests with Arrow's rows take besides their bodies, such as what is unpacked: for all of
  // them at once there is a limit.
  arrow::CappedMemoryPool pool_;
  const std::chrono::milliseconds drain_;
  std::atomic<bool> draining_ = false;
  std::atomic<std::chrono::steady_clock::time_point> asked_{};  // When somebody last asked /readyz.
};

}  // namespace protium
