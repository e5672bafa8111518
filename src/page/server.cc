// SPDX-License-Identifier: Apache-2.0
// The HTTP server: the one file that knows cpp-httplib. Every connection has a thread of a pool for
// as long as it lasts, so there are more threads than event streams may be open: requests are
// answered however many tabs are.
#define CPPHTTPLIB_OPENSSL_SUPPORT  // As Debian has built the library: the layout depends on these.
#define CPPHTTPLIB_ZLIB_SUPPORT
#define CPPHTTPLIB_BROTLI_SUPPORT
#include <fmt/format.h>
#include <httplib.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "http/guard.h"
#include "page/api.h"
#include "page/assets.h"
#include "page/page.h"

namespace protium {

namespace {

constexpr int32_t kFirstPort = 4040;  // As Spark's page has it, and as there the next ones follow.
constexpr int32_t kPortsTried = 20;
constexpr size_t kMostStreams = 96;
constexpr size_t kThreads = kMostStreams + 16;
constexpr int kWaitingConnections = 256;
constexpr int kReadSeconds = 5;
constexpr int kWriteSeconds = 5;
constexpr int kIdleSeconds = 1;  // A kept connection holds a thread, and delays the end.
constexpr size_t kMostBodyBytes = 4096;

// Nothing is loaded from elsewhere, and nobody may put the page into a frame.
constexpr std::pair<const char*, const char*> kHeaders[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src "
     "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"}};

HttpRequest FromLibrary(const httplib::Request& request) {
  HttpRequest made{.method = request.method, .path = request.path};
  for (const auto& [name, value] : request.params) made.parameters.emplace(name, value);
  for (const auto& [name, value] : request.headers) {
    std::string lower = name;
    for (char& c : lower) c = (c >= 'A' && c <= 'Z') ? char(c + 32) : c;
    made.headers.emplace(std::move(lower), value);
  }
  return made;
}

HttpAnswer AnswerAsset(const PageAsset& asset) {
  HttpAnswer answer{.type = std::string(asset.type), .fixed = asset.gzip};
  answer.headers.emplace_back("Content-Encoding", "gzip");
  // The names of the others change with their contents.
  answer.headers.emplace_back("Cache-Control",
                              asset.path == "/" ? "no-cache" : "max-age=31536000, immutable");
  return answer;
}

// The page finds out in the browser which screen an address is of.
HttpAnswer FindAsset(const std::string& path) {
  const bool screen = path == "/" || path == "/compare" || path.starts_with("/runs/");
  for (const PageAsset& asset : PageAssets()) {
    if (asset.path == (screen ? "/" : path)) return AnswerAsset(asset);
  }
  return Refusal(404, {.what = "there is no such page", .fix = "open / for the list of runs"});
}

// Bodies go out through a provider: set_content() would compress some of them once more.
void SetBody(HttpAnswer answer, httplib::Response& response) {
  const auto body = std::make_shared<const std::string>(std::move(answer.body));
  const std::string_view bytes = answer.fixed.empty() ? std::string_view(*body) : answer.fixed;
  response.set_content_provider(
      bytes.size(), answer.type,
      [body, bytes](size_t offset, size_t length, httplib::DataSink& sink) {
        return sink.write(bytes.data() + offset, std::min(length, bytes.size() - offset));
      });
}

class HttpPage : public Page {
 public:
  HttpPage(const PageOptions& options, int32_t threads) : api_(options.runs) {
    guard_ = {.host = options.host, .token = options.token, .verb = "ui"};
    server_.new_task_queue = [threads] { return new httplib::ThreadPool(size_t(threads)); };
    // Without SO_REUSEPORT, which the library would set: a second server would take the port, too.
    server_.set_socket_options([this](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      listening_ = socket;
    });
    server_.set_tcp_nodelay(true);
    server_.set_keep_alive_timeout(kIdleSeconds);
    server_.set_read_timeout(kReadSeconds);
    server_.set_write_timeout(kWriteSeconds);
    server_.set_payload_max_length(kMostBodyBytes);
    server_.set_pre_routing_handler([this](const auto& request, auto& response) {
      Send(Answer(FromLibrary(request)), response);
      return httplib::Server::HandlerResponse::Handled;
    });
  }

  Status Bind(const PageOptions& options) {
    const int32_t first = options.port > 0 ? options.port : kFirstPort;
    const int32_t tries = options.port > 0 ? 1 : kPortsTried;
    for (int32_t port = first; port < first + tries; ++port) {
      if (!server_.bind_to_port(options.host, port)) continue;
      guard_.port = port;
      // The library lets five connections wait; those of more tabs at once would be tried again
      // only after a second.
      ::listen(listening_, kWaitingConnections);
      return Status::OK();
    }
    const bool one = tries == 1;
    return Fail({.exit = Exit::kEnvironment,
                 .what = one ? fmt::format("cannot listen on port {} of {}", first, options.host)
                             : fmt::format("cannot listen on any of the ports {} to {} of {}",
                                           first, first + tries - 1, options.host),
                 .why = "other programs have them, or the address is not this machine's",
                 .fix = one ? "--port N with a port that is free, or none for the next free one"
                            : "--port N with a port that is free"});
  }

  std::string address() const override { return fmt::format("http://{}:{}/", Name(), guard_.port); }

  Status Serve(std::stop_token stop) override {
    stop_ = stop;
    const std::stop_callback stopping(stop, [this] { server_.stop(); });
    const std::jthread warm([this] { api_.WarmUp(); });
    if (stop.stop_requested() || server_.listen_after_bind() || stop.stop_requested()) {
      return Status::OK();
    }
    return Fail({.exit = Exit::kEnvironment, .what = "the server of the page has stopped"});
  }

 private:
  // Others reach an address that means all of this machine's by the machine's name.
  std::string Name() const {
    std::array<char, 256> name{};
    const bool all = guard_.host == "0.0.0.0";
    if (all && ::gethostname(name.data(), name.size() - 1) == 0) return name.data();
    return guard_.host;
  }

  HttpAnswer Answer(const HttpRequest& request) {
    if (auto refusal = guard_.Check(request, PageApi::IsData(request.path)))
      return std::move(*refusal);
    if (request.method == "POST" && request.path == "/login") return guard_.Login(request);
    if (request.method != "GET" && request.method != "HEAD") {
      return Refusal(405, {.what = request.method + " is not answered: the page only reads"});
    }
    if (!PageApi::IsData(request.path)) return FindAsset(request.path);
    // Damaged files must not end the server: what the JSON library throws about them ends here.
    try {
      return api_.Answer(request);
    } catch (const std::exception& error) {
      return Refusal(500,
                     {.what = "the files of this run cannot be understood", .why = error.what()});
    }
  }

  void Send(HttpAnswer answer, httplib::Response& response) {
    if (answer.stream != nullptr && streams_.fetch_add(1) >= kMostStreams) {
      streams_.fetch_sub(1);
      answer = Refusal(
          503, {.what = fmt::format("{} event streams are open, no more can be", kMostStreams),
                .fix = "close some tabs, or ask for /events instead"});
      answer.headers.emplace_back("Retry-After", "5");
    }
    response.status = answer.status;
    for (const auto& [name, value] : kHeaders) response.set_header(name, value);
    bool cached = false;
    for (const auto& [name, value] : answer.headers) {
      response.set_header(name, value);
      cached = cached || name == "Cache-Control";
    }
    if (!cached) response.set_header("Cache-Control", "no-store");
    if (answer.stream == nullptr) return SetBody(std::move(answer), response);
    SetStream(std::move(answer), response);
  }

  void SetStream(HttpAnswer answer, httplib::Response& response) {
    const std::shared_ptr<HttpStream> stream = std::move(answer.stream);
    response.set_chunked_content_provider(
        answer.type,
        [this, stream](size_t, httplib::DataSink& sink) {
          std::string text;
          const bool more = stream->Next(text, stop_);
          if (!text.empty() && !sink.write(text.data(), text.size())) return false;
          if (!more) sink.done();
          return true;
        },
        [this](bool) { streams_.fetch_sub(1); });
  }

  PageApi api_;
  Guard guard_;
  std::stop_token stop_;
  socket_t listening_ = INVALID_SOCKET;
  std::atomic<size_t> streams_ = 0;
  httplib::Server server_;  // Last: its threads use what stands above.
};

}  // namespace

}  // namespace protium

extern "C" bool protium_open_page(int32_t version, const protium::PageOptions& options,
                                  protium::Result<std::unique_ptr<protium::Page>>& page) {
  using namespace protium;
  if (version != kPageLibraryVersion) return false;
  auto made = std::make_unique<HttpPage>(options, int32_t(kThreads));
  const Status bound = made->Bind(options);
  if (bound.ok())
    page = std::move(made);
  else
    page = bound;
  return true;
}
