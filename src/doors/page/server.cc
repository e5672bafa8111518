// SPDX-License-Identifier: Apache-2.0
// The server of the page: routes requests.
#include "http/server.h"

#include <fmt/format.h>

#include <functional>
#include <thread>
#include <utility>

#include "base/fault.h"
#include "page/api.h"
#include "page/assets.h"
#include "page/page.h"

namespace protium {

namespace {

// As in Spark's page; if taken, the next ports are tried, as there.
constexpr int32_t kFirstPort = 4040;
constexpr HttpLimits kLimits = {.threads = 8, .streams = 96};
constexpr size_t kMostBodyBytes = 256 << 10;

// Nothing is loaded from elsewhere, and no one may put the page into a frame.
const std::vector<std::pair<std::string, std::string>>& Headers() {
  static const std::vector<std::pair<std::string, std::string>> kHeaders = {
      {"Cache-Control", "no-store"},
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src "
       "'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cross-Origin-Opener-Policy", "same-origin"}};
  return kHeaders;
}

HttpResponse AssetResponse(const PageAsset& asset) {
  HttpResponse response{.type = std::string(asset.type), .fixed = asset.gzip};
  response.headers.emplace_back("Content-Encoding", "gzip");
  // The names of the other files change with their contents.
  response.headers.emplace_back("Cache-Control",
                                asset.path == "/" ? "no-cache" : "max-age=31536000, immutable");
  return response;
}

// The page determines in the browser which screen an address shows.
HttpResponse FindAsset(const std::string& path) {
  const bool screen = path == "/" || path == "/compare" || path == "/streams" ||
                      path.starts_with("/streams/") || path.starts_with("/runs/");
  for (const PageAsset& asset : PageAssets()) {
    if (asset.path == (screen ? "/" : path)) return AssetResponse(asset);
  }
  return Refusal(404, {.what = "there is no such page", .fix = "open / for the list of runs"});
}

// Damaged files must not end the server: exceptions of the JSON library about them end here.
HttpResponse Fenced(const std::function<HttpResponse()>& response) {
  try {
    return response();
  } catch (const std::exception& error) {
    return Refusal(500,
                   {.what = "the files of this run cannot be understood", .why = error.what()});
  }
}

bool MayAsk(const HttpRequest& request) {
  const bool acts = request.method == "POST" || request.method == "DELETE";
  return request.method == "GET" || (acts && PageApi::IsData(request.path)) ||
         (request.method == "POST" && request.path == "/login");
}

class HttpPage : public Page, private HttpService {
 public:
  HttpPage(const PageOptions& options, std::unique_ptr<HttpServer> server)
      : api_({.runs = options.runs, .streams = options.streams, .changes = !options.token.empty()}),
        server_(std::move(server)) {}

  std::string address() const override { return server_->address(); }

  Status Serve(std::stop_token stop) override {
    const std::jthread warm([this] { api_.WarmUp(); });
    return server_->Serve(*this, stop);
  }

 private:
  HttpAdmission Admit(const HttpRequest& head) override {
    const bool data = PageApi::IsData(head.path);
    if (auto refusal = server_->guard().Check(head, data)) return {std::move(*refusal)};
    if (!MayAsk(head)) return {Refusal(405, {.what = head.method + " is not answered here"})};
    return {.body_bytes = head.method == "POST" && data ? kMostBodyBytes : 0};
  }

  HttpResponse Respond(const HttpRequest& request, const std::string& body) override {
    if (!PageApi::IsData(request.path)) {
      return request.method == "POST" ? server_->guard().Login(request) : FindAsset(request.path);
    }
    if (request.method == "GET") return Fenced([&] { return api_.Respond(request); });
    return Fenced([&] { return api_.Act(request, body); });
  }

  std::chrono::milliseconds Drain() override { return std::chrono::milliseconds(0); }

  PageApi api_;
  const std::unique_ptr<HttpServer> server_;
};

Result<std::unique_ptr<Page>> Open(const PageOptions& options) {
  PT_LET(auto server, HttpServer::Bind({.guard = {.host = options.host,
                                                  .port = options.port,
                                                  .token = options.token,
                                                  .verb = "ui"},
                                        .first_port = kFirstPort,
                                        .limits = kLimits,
                                        .headers = Headers()}));
  return std::make_unique<HttpPage>(options, std::move(server));
}

}  // namespace

}  // namespace protium

extern "C" bool protium_open_page(int32_t version, const protium::PageOptions& options,
                                  protium::Result<std::unique_ptr<protium::Page>>& page) {
  if (version != protium::kPageLibraryVersion) return false;
  page = protium::Open(options);
  return true;
}
