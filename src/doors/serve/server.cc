// SPDX-License-Identifier: Apache-2.0
// The server of models: routes requests, and handles its end.
#include "http/server.h"

#include <fmt/format.h>

#include <csignal>
#include <ctime>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "serve/serve.h"
#include "serve/served_models.h"

namespace protium {
namespace {

constexpr int32_t kFirstPort = 8080;
// Most threads wait for others' rows, to be scored together.
constexpr HttpLimits kLimits = {.threads = 64};
constexpr long kLookNanoseconds = 500'000'000;  // The interval at which the folder is checked.

class HttpModelServer : public ModelServer, private HttpService {
 public:
  explicit HttpModelServer(const ServeOptions& options) : options_(options) {}

  // Before models are loaded, which may take long. Requests that come until Serve() wait.
  Status Bind() {
    PT_LET(server_, HttpServer::Bind({.guard = {.host = options_.host,
                                                .port = options_.port,
                                                .token = options_.token,
                                                .verb = "serve"},
                                      .first_port = kFirstPort,
                                      .limits = kLimits,
                                      .headers = {{"Cache-Control", "no-store"},
                                                  {"X-Content-Type-Options", "nosniff"}}}));
    return Status::OK();
  }

  Status Load() {
    PT_LET(models_, ServedModels::Load(options_));
    return Status::OK();
  }

  std::string address() const override { return server_->address(); }

  Status Serve(std::stop_token stop) override {
    const std::jthread watching([this](std::stop_token ending) { Watch(ending); });
    return server_->Serve(*this, stop);
  }

 private:
  HttpAdmission Admit(const HttpRequest& head) override {
    if (auto refusal = server_->guard().Check(head, true)) return {std::move(*refusal)};
    if (auto refusal = models_->CheckPath(head)) return {std::move(*refusal)};
    if (!models_->IsForRows(head.path)) return {};
    return {.body_bytes = size_t(options_.most_body_bytes),
            .too_large_fix = "send the rows in several requests"};
  }

  HttpResponse Respond(const HttpRequest& request, const std::string& body) override {
    return models_->Respond(request, body);
  }

  std::chrono::milliseconds Drain() override { return models_->Drain(); }

  // Loads a model anew when its folder contains another one, and all of them on SIGHUP.
  void Watch(std::stop_token ending) {
    sigset_t hangup;
    sigemptyset(&hangup);
    sigaddset(&hangup, SIGHUP);
    const timespec wait{0, kLookNanoseconds};
    while (!ending.stop_requested()) {
      models_->Reload(::sigtimedwait(&hangup, nullptr, &wait) == SIGHUP);
    }
  }

  ServeOptions options_;
  std::unique_ptr<ServedModels> models_;
  std::unique_ptr<HttpServer> server_;
};

Result<std::unique_ptr<ModelServer>> Open(const ServeOptions& options) {
  auto server = std::make_unique<HttpModelServer>(options);
  PT_TRY(server->Bind());
  PT_TRY(server->Load());
  return std::unique_ptr<ModelServer>(std::move(server));
}

}  // namespace
}  // namespace protium

extern "C" bool protium_open_serve(int32_t version, const protium::ServeOptions& options,
                                   protium::Result<std::unique_ptr<protium::ModelServer>>& server) {
  if (version != protium::kServeLibraryVersion) return false;
  server = protium::Open(options);
  return true;
}
