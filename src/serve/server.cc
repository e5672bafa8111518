// SPDX-License-Identifier: Apache-2.0
// The server of a model: which request goes where, and what ends it.
#include <fmt/format.h>

#include <csignal>
#include <ctime>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "http/listener.h"
#include "serve/answers.h"
#include "serve/serve.h"

namespace protium {
namespace {

constexpr int32_t kFirstPort = 8080;
constexpr size_t kThreads = 64;
constexpr int kIdleSeconds = 2;
constexpr long kLookNanoseconds = 500'000'000;  // How often the folder is looked at.

void Send(HttpAnswer answer, httplib::Response& response) {
  response.status = answer.status;
  for (const auto& [name, value] : answer.headers) response.set_header(name, value);
  response.set_header("Cache-Control", "no-store");
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_content(std::move(answer.body), answer.type);
}

// What the library refuses by itself, in our words.
Fault FaultOfStatus(int status, const ServeOptions& options) {
  if (status == 413) {
    return {.what = fmt::format("the body has more than {} bytes", options.most_body_bytes),
            .fix = "send the rows in several requests"};
  }
  return {.what = fmt::format("the request is not HTTP as it should be ({})", status)};
}

class HttpModelServer : public ModelServer {
 public:
  explicit HttpModelServer(const ServeOptions& options)
      : options_(options),
        model_(options.model, LoadServed),
        answers_(options, model_),
        listener_({.guard = {.host = options.host,
                             .port = options.port,
                             .token = options.token,
                             .verb = "serve"},
                   .first_port = kFirstPort,
                   .threads = kThreads,
                   .idle_seconds = kIdleSeconds,
                   .most_body_bytes = size_t(options.most_body_bytes)}) {
    listener_.library().set_keep_alive_max_count(1'000'000);
    Route();
  }

  Status Load() { return model_.Reload(); }

  Status Bind() { return listener_.Bind(); }

  std::string address() const override { return listener_.address(); }

  Status Serve(std::stop_token stop) override {
    const std::jthread watching([this](std::stop_token ending) { Watch(ending); });
    const std::stop_callback stopping(stop, [this] {
      answers_.Drain();
      listener_.Stop();
    });
    return listener_.Listen(stop);
  }

 private:
  void Route() {
    httplib::Server& server = listener_.library();
    // Before a body is read: nobody who may not ask sends one.
    server.set_pre_routing_handler([this](const auto& request, auto& response) {
      auto refusal = listener_.guard().Check(FromLibrary(request), true);
      if (!refusal) return httplib::Server::HandlerResponse::Unhandled;
      Send(std::move(*refusal), response);
      return httplib::Server::HandlerResponse::Handled;
    });
    const auto answer = [this](const httplib::Request& request, httplib::Response& response) {
      Send(answers_.Answer(FromLibrary(request), request.body), response);
    };
    const char* const any = ".*";
    server.Get(any, answer).Post(any, answer).Put(any, answer).Patch(any, answer);
    server.Delete(any, answer).Options(any, answer);
    server.set_error_handler([this](const auto&, auto& response) {
      if (!response.body.empty()) return;
      const int status = response.status;
      Send(Refusal(status, FaultOfStatus(status, options_)), response);
    });
    server.set_exception_handler([](const auto&, auto& response, std::exception_ptr error) {
      std::string why = "unknown";
      try {
        std::rethrow_exception(error);
      } catch (const std::exception& known) {
        why = known.what();
      } catch (...) {
      }
      Send(Refusal(500,
                   {.exit = Exit::kBug, .what = "the request could not be answered", .why = why}),
           response);
    });
  }

  // Loads the model anew when the folder holds another one, or SIGHUP comes.
  void Watch(std::stop_token ending) {
    sigset_t hangup;
    sigemptyset(&hangup);
    sigaddset(&hangup, SIGHUP);
    const timespec wait{0, kLookNanoseconds};
    while (!ending.stop_requested()) {
      const bool asked = ::sigtimedwait(&hangup, nullptr, &wait) == SIGHUP;
      if (asked || model_.Changed()) (void)answers_.Reload();  // It tells how it went.
    }
  }

  ServeOptions options_;
  ServedModel model_;
  ServeAnswers answers_;
  HttpListener listener_;  // Last: its threads use what stands above.
};

Result<std::unique_ptr<ModelServer>> Open(const ServeOptions& options) {
  auto server = std::make_unique<HttpModelServer>(options);
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
