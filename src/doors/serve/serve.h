// SPDX-License-Identifier: Apache-2.0
// A model behind HTTP. It lives in a library of its own, libprotium_serve.so, which only `protium
// serve` opens: workers carry no HTTP server.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "base/status.h"

namespace protium {

struct ServeOptions {
  std::filesystem::path model;          // A model folder, which may be replaced while it is served.
  std::string host = "127.0.0.1";       // The address to listen on.
  int32_t port = 0;                     // 0: 8080, or the next one that is free.
  std::string token;                    // What requests must show; empty: none is asked for.
  std::chrono::milliseconds gather{2};  // How long a request waits for others at most.
  int64_t most_body_bytes = int64_t{16} << 20;
  int64_t most_waiting_rows = 65536;  // Of all requests; more are refused.
  // Once the end is asked for, /readyz says no and requests are still answered for so long; not
  // where nobody asks /readyz.
  std::chrono::milliseconds drain{5000};
  std::function<void(const std::string&)>
      note;  // Lines for people: a model was replaced. Any thread.
};

class ModelServer {
 public:
  virtual ~ModelServer() = default;

  // "http://127.0.0.1:8080/"
  virtual std::string address() const = 0;

  // Responses until `stop` is set; then takes no new request, and returns when those that came have
  // their answers. SIGHUP, which BlockHangup() keeps for this, loads the model anew. Once.
  virtual Status Serve(std::stop_token stop) = 0;
};

// Before the process has threads: from now on SIGHUP ends it no longer.
void BlockHangup();

// Loads the model and takes the port; answers nothing yet. A model that cannot be served, and a
// port in use, are faults.
Result<std::unique_ptr<ModelServer>> OpenModelServer(const ServeOptions& options);

// Grows whenever ModelServer or ServeOptions change their layout.
inline constexpr int32_t kServeLibraryVersion = 2;

// The library's one entry, protium_open_serve. Gives false when it was built for another version.
using ServeEntry = bool (*)(int32_t version, const ServeOptions& options,
                            Result<std::unique_ptr<ModelServer>>& server);

}  // namespace protium
