// SPDX-License-Identifier: Apache-2.0
// The server of a model: routes requests, and handles its end.
#include "http/server.h"

#include <fmt/format.h>

#include <csignal>
#include <ctime>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "serve/responses.h"
#include "serve/serve.h"

namespace protium {
namespace {

constexpr int32_t kFirstPort = 8080;
// Most threads wait for others' rows, to be scored together.
constexpr HttpLimits kLimits = {.threads = 64};
constexpr long kLookNanoseconds = 500'000'000;  // The interval at which the folder is checked.

class HttpModelServer : public ModelServer, private HttpService {
 public:
  HttpModelServer(const ServeOptions& options, std::unique_ptr<RequestLog> log)
      : options_(options),
        log_(std::move(log)),
        model_(options.model,
               [inputs = options.inputs](const auto& place) { return LoadServed(place, inputs); }),
        responses_(options, model_, log_.get()) {}

  Status Load() { return model_.Reload(); }

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

  std::string address() const override { return server_->address(); }

  Status Serve(std::stop_token stop) override {
    const std::jthread watching([this](std::stop_token ending) { Watch(ending); });
    return server_->Serve(*this, stop);
  }

 private:
  HttpAdmission Admit(const HttpRequest& head) override {
    if (auto refusal = server_->guard().Check(head, true)) return {std::move(*refusal)};
    if (auto refusal = responses_.CheckPath(head)) return {std::move(*refusal)};
    if (!ServeResponses::IsForRows(head.path)) return {};
    return {.body_bytes = size_t(options_.most_body_bytes),
            .too_large_fix = "send the rows in several requests"};
  }

  HttpResponse Respond(const HttpRequest& request, const std::string& body) override {
    return responses_.Respond(request, body);
  }

  std::chrono::milliseconds Drain() override { return responses_.Drain(); }

  // Loads the model anew when the folder contains another one, or on SIGHUP.
  void Watch(std::stop_token ending) {
    sigset_t hangup;
    sigemptyset(&hangup);
    sigaddset(&hangup, SIGHUP);
    const timespec wait{0, kLookNanoseconds};
    while (!ending.stop_requested()) {
      const bool asked = ::sigtimedwait(&hangup, nullptr, &wait) == SIGHUP;
      if (asked || model_.Changed()) (void)responses_.Reload();  // It reports the result.
    }
  }

  ServeOptions options_;
  std::unique_ptr<RequestLog> log_;
  ServedModel model_;
  ServeResponses responses_;
  std::unique_ptr<HttpServer> server_;
};

Result<std::unique_ptr<ModelServer>> Open(const ServeOptions& options) {
  std::unique_ptr<RequestLog> log;
  if (!options.log.empty()) {
    PT_LET(log,
           RequestLog::Make({.folder = options.log, .share = options.log_share}, options.note));
  }
  auto server = std::make_unique<HttpModelServer>(options, std::move(log));
  PT_TRY(server->Load());
  PT_TRY(server->Bind());
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
