// SPDX-License-Identifier: Apache-2.0
// HTTP: the one file that knows cpp-httplib. Every connection has a thread of a pool for as long as
// it lasts.
#define CPPHTTPLIB_OPENSSL_SUPPORT  // As Debian has built the library: the layout depends on these.
#define CPPHTTPLIB_ZLIB_SUPPORT
#define CPPHTTPLIB_BROTLI_SUPPORT
#include <fmt/format.h>
#include <httplib.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <ctime>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "http/guard.h"
#include "serve/answers.h"
#include "serve/serve.h"

namespace protium {
namespace {

constexpr int32_t kFirstPort = 8080;
constexpr int32_t kPortsTried = 20;
constexpr size_t kThreads = 64;
constexpr int kWaitingConnections = 256;
constexpr int kReadSeconds = 5;
constexpr int kWriteSeconds = 5;
constexpr int kIdleSeconds = 2;  // A kept connection holds a thread, and delays the end.
constexpr long kLookNanoseconds = 500'000'000;  // How often the folder is looked at.

HttpRequest FromLibrary(const httplib::Request& request) {
  HttpRequest made{.method = request.method, .path = request.path};
  for (const auto& [name, value] : request.headers) {
    std::string lower = name;
    for (char& c : lower) c = (c >= 'A' && c <= 'Z') ? char(c + 32) : c;
    made.headers.emplace(std::move(lower), value);
  }
  return made;
}

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
      : options_(options), model_(options.model, LoadServed), answers_(options, model_) {
    guard_ = {.host = options.host, .token = options.token, .verb = "serve"};
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    // Without SO_REUSEPORT, which the library would set: a second server would take the port, too.
    server_.set_socket_options([this](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      listening_ = socket;
    });
    server_.set_tcp_nodelay(true);
    server_.set_keep_alive_max_count(1'000'000);
    server_.set_keep_alive_timeout(kIdleSeconds);
    server_.set_read_timeout(kReadSeconds);
    server_.set_write_timeout(kWriteSeconds);
    server_.set_payload_max_length(size_t(options.most_body_bytes));
    Route();
  }

  Status Load() { return model_.Reload(); }

  Status Bind() {
    const int32_t first = options_.port > 0 ? options_.port : kFirstPort;
    const int32_t tries = options_.port > 0 ? 1 : kPortsTried;
    for (int32_t port = first; port < first + tries; ++port) {
      if (!server_.bind_to_port(options_.host, port)) continue;
      guard_.port = port;
      ::listen(listening_, kWaitingConnections);
      return Status::OK();
    }
    const std::string ports =
        tries == 1 ? fmt::format("port {}", first)
                   : fmt::format("any of the ports {} to {}", first, first + tries - 1);
    return Fail({.exit = Exit::kEnvironment,
                 .what = fmt::format("cannot listen on {} of {}", ports, options_.host),
                 .why = "other programs have them, or the address is not this machine's",
                 .fix = "--port N with a port that is free"});
  }

  std::string address() const override {
    std::array<char, 256> name{};
    const bool all = guard_.host == "0.0.0.0";
    const bool named = all && ::gethostname(name.data(), name.size() - 1) == 0;
    return fmt::format("http://{}:{}/", named ? name.data() : guard_.host.c_str(), guard_.port);
  }

  Status Serve(std::stop_token stop) override {
    const std::jthread watching([this](std::stop_token ending) { Watch(ending); });
    const std::stop_callback stopping(stop, [this] {
      answers_.Drain();
      server_.stop();
    });
    // Returns once all threads of the pool have sent their answers.
    if (stop.stop_requested() || server_.listen_after_bind() || stop.stop_requested()) {
      return Status::OK();
    }
    return Fail({.exit = Exit::kEnvironment, .what = "the server has stopped"});
  }

 private:
  void Route() {
    // Before a body is read: nobody who may not ask sends one.
    server_.set_pre_routing_handler([this](const auto& request, auto& response) {
      auto refusal = guard_.Check(FromLibrary(request), true);
      if (!refusal) return httplib::Server::HandlerResponse::Unhandled;
      Send(std::move(*refusal), response);
      return httplib::Server::HandlerResponse::Handled;
    });
    const auto answer = [this](const httplib::Request& request, httplib::Response& response) {
      Send(answers_.Answer(FromLibrary(request), request.body), response);
    };
    const char* const any = ".*";
    server_.Get(any, answer).Post(any, answer).Put(any, answer).Patch(any, answer);
    server_.Delete(any, answer).Options(any, answer);
    server_.set_error_handler([this](const auto&, auto& response) {
      if (!response.body.empty()) return;
      const int status = response.status;
      Send(Refusal(status, FaultOfStatus(status, options_)), response);
    });
    server_.set_exception_handler([](const auto&, auto& response, std::exception_ptr error) {
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
  Guard guard_;
  socket_t listening_ = INVALID_SOCKET;
  httplib::Server server_;  // Last: its threads use what stands above.
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
