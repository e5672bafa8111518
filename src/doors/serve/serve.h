// SPDX-License-Identifier: Apache-2.0
// A model behind HTTP, in a library of its own, libprotium_serve.so, which only `protium serve`
// opens: workers carry no HTTP server.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/status.h"
#include "protium/frame.h"

namespace protium {

// A model by name, with or without a canary: another version that gets a share of its requests.
struct ModelToServe {
  std::string name;  // Letters, digits, ".", "-" and "_".
  std::filesystem::path model;
  Columns inputs;
  std::filesystem::path canary;  // Empty: none.
  double canary_share = 0;
};

struct ServeOptions {
  std::filesystem::path model;       // A model folder or an ONNX file; may be replaced meanwhile.
  Columns inputs;                    // Of an ONNX file: LoadOnnxModel().
  std::string name = "model";        // In paths of the Open Inference Protocol.
  std::vector<ModelToServe> models;  // Several models instead (served_models.h).
  // Set: models predict with weights of 8 bits, which may cost so much (WithInt8()).
  std::optional<double> most_int8_loss;
  std::string version;             // Of one of them: kStable or kCanary; empty: there is no canary.
  std::string host = "127.0.0.1";  // The address to listen on.
  int32_t port = 0;                // 0: 8080, or the next one that is free.
  std::string token;               // Required of requests; empty: none.
  std::chrono::milliseconds gather{2};  // How long a request waits for others at most.
  int64_t most_body_bytes = int64_t{16} << 20;
  int64_t most_waiting_rows = 65536;  // Over all requests; more are refused.
  // After a request to end, how long /readyz says no while requests still get responses; not
  // applied if nobody asks /readyz.
  std::chrono::milliseconds drain{5000};
  std::filesystem::path log;  // Where rows of requests are kept (request_log.h); empty: nowhere.
  double log_share = 1;       // Of requests.
  std::function<void(const std::string&)>
      note;  // Receives lines for people: a model was replaced. Any thread.
};

class ModelServer {
 public:
  virtual ~ModelServer() = default;

  // "http://127.0.0.1:8080/"
  virtual std::string address() const = 0;

  // Serves until `stop` is set; then takes no new request, and returns when those that arrived have
  // been responded to. SIGHUP, which BlockHangup() reserves for this, loads the model anew. Call it
  // once.
  virtual Status Serve(std::stop_token stop) = 0;
};

// Call it before the process has threads: from then on SIGHUP no longer ends it.
void BlockHangup();

// Loads the models and takes the port; does not respond yet. A model that cannot be served is a
// fault, of several none; so is a port in use.
Result<std::unique_ptr<ModelServer>> OpenModelServer(const ServeOptions& options);

// Increases whenever the layout of ModelServer or ServeOptions changes.
inline constexpr int32_t kServeLibraryVersion = 6;

// The library's only entry point, protium_open_serve. Returns false if it was built for another
// version.
using ServeEntry = bool (*)(int32_t version, const ServeOptions& options,
                            Result<std::unique_ptr<ModelServer>>& server);

}  // namespace protium
