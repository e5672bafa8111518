// SPDX-License-Identifier: Apache-2.0
// The server of the page: which request goes where. Every connection has a thread for as long as it
// lasts, so there are more threads than event streams may be open: requests are answered however
// many tabs are.
#include <fmt/format.h>

#include <atomic>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "http/listener.h"
#include "page/api.h"
#include "page/assets.h"
#include "page/page.h"

namespace protium {

namespace {

constexpr int32_t kFirstPort = 4040;  // As Spark's page has it, and as there the next ones follow.
constexpr size_t kMostStreams = 96;
constexpr size_t kThreads = kMostStreams + 16;
constexpr size_t kMostBodyBytes = 256 << 10;

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
  explicit HttpPage(const PageOptions& options)
      : api_(options.runs, !options.token.empty()),
        listener_({.guard = {.host = options.host,
                             .port = options.port,
                             .token = options.token,
                             .verb = "ui"},
                   .first_port = kFirstPort,
                   .threads = kThreads,
                   .most_body_bytes = kMostBodyBytes}) {
    Route();
  }

  Status Bind() { return listener_.Bind(); }

  std::string address() const override { return listener_.address(); }

  Status Serve(std::stop_token stop) override {
    stop_ = stop;
    const std::stop_callback stopping(stop, [this] { listener_.Stop(); });
    const std::jthread warm([this] { api_.WarmUp(); });
    return listener_.Listen(stop);
  }

 private:
  // All but what needs a body is answered before one is read. Nobody who may not ask sends one.
  void Route() {
    httplib::Server& server = listener_.library();
    server.set_pre_routing_handler([this](const auto& request, auto& response) {
      const HttpRequest asked = FromLibrary(request);
      const bool has_body = asked.method == "POST" && PageApi::IsData(asked.path);
      if (has_body && !listener_.guard().Check(asked, true)) {
        return httplib::Server::HandlerResponse::Unhandled;
      }
      Send(Answer(asked), response);
      return httplib::Server::HandlerResponse::Handled;
    });
    const auto act = [this](const httplib::Request& request, httplib::Response& response) {
      Send(Fenced([&] { return api_.Act(FromLibrary(request), request.body); }), response);
    };
    server.Post(".*", act);
    server.set_error_handler([this](const auto&, auto& response) {
      if (response.status != 413) return;  // All others are ours, and have their words.
      Send(Refusal(413, {.what = "the request is too long",
                         .fix = fmt::format("at most {} bytes", kMostBodyBytes)}),
           response);
    });
  }

  // Damaged files must not end the server: what the JSON library throws about them ends here.
  static HttpAnswer Fenced(const std::function<HttpAnswer()>& answer) {
    try {
      return answer();
    } catch (const std::exception& error) {
      return Refusal(500,
                     {.what = "the files of this run cannot be understood", .why = error.what()});
    }
  }

  HttpAnswer Answer(const HttpRequest& request) {
    const Guard& guard = listener_.guard();
    if (auto refusal = guard.Check(request, PageApi::IsData(request.path)))
      return std::move(*refusal);
    if (request.method == "POST" && request.path == "/login") return guard.Login(request);
    if (request.method == "DELETE" && PageApi::IsData(request.path)) {
      // The library would wait for a body, which none has.
      return Fenced([&] { return api_.Act(request, {}); });
    }
    if (request.method != "GET" && request.method != "HEAD") {
      return Refusal(405, {.what = request.method + " is not answered here"});
    }
    if (!PageApi::IsData(request.path)) return FindAsset(request.path);
    return Fenced([&] { return api_.Answer(request); });
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
  std::stop_token stop_;
  std::atomic<size_t> streams_ = 0;
  HttpListener listener_;  // Last: its threads use what stands above.
};

}  // namespace

}  // namespace protium

extern "C" bool protium_open_page(int32_t version, const protium::PageOptions& options,
                                  protium::Result<std::unique_ptr<protium::Page>>& page) {
  using namespace protium;
  if (version != kPageLibraryVersion) return false;
  auto made = std::make_unique<HttpPage>(options);
  const Status bound = made->Bind();
  if (bound.ok())
    page = std::move(made);
  else
    page = bound;
  return true;
}
