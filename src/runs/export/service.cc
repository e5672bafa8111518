// SPDX-License-Identifier: Apache-2.0
#include "export/service.h"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "base/fault.h"
#include "base/percent.h"
#include "base/utf8.h"
#include "http/library.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

constexpr time_t kSeconds = 60;  // For every request.
constexpr size_t kMostShown = 300;

class HttpService : public Service {
 public:
  HttpService(const std::string& host, std::string prefix, std::string uri,
              std::map<std::string, std::string> headers)
      : client_(host), prefix_(std::move(prefix)), uri_(std::move(uri)) {
    client_.set_connection_timeout(10);
    client_.set_read_timeout(kSeconds);
    client_.set_write_timeout(kSeconds);
    client_.set_keep_alive(true);
    for (const auto& [name, value] : headers) headers_.emplace(name, value);
  }

  Result<ServiceAnswer> Get(const std::string& path) override {
    return Answer(client_.Get((prefix_ + path).c_str(), headers_));
  }

  Result<ServiceAnswer> Post(const std::string& path, const std::string& json) override {
    return Answer(client_.Post((prefix_ + path).c_str(), headers_, json, "application/json"));
  }

  Result<ServiceAnswer> Put(const std::string& path, const fs::path& file) override {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    std::ifstream bytes(file, std::ios::binary);
    if (error || !bytes) {
      return Fail({.exit = Exit::kInput, .what = "cannot read " + file.string()});
    }
    // In pieces, since a file need not fit into memory; a file that has become shorter meanwhile
    // ends the request.
    const auto piece = [&](size_t offset, size_t length, httplib::DataSink& sink) {
      char block[1 << 16];
      bytes.seekg(std::streamoff(offset));
      bytes.read(block, std::streamsize(std::min(length, sizeof block)));
      return bytes.gcount() > 0 && sink.write(block, size_t(bytes.gcount()));
    };
    if (size == 0) {
      return Answer(
          client_.Put((prefix_ + path).c_str(), headers_, "", "application/octet-stream"));
    }
    return Answer(client_.Put((prefix_ + path).c_str(), headers_, size_t(size), piece,
                              "application/octet-stream"));
  }

  Status Refused(const std::string& doing, const ServiceAnswer& answer) const override {
    // MLflow gives the reason here; collectors of OTLP do, too (google.rpc.Status).
    const std::string why = Shortened(TextAt(answer.body, "message"), kMostShown);
    Fault fault{.exit = Exit::kRemote,
                .what = fmt::format("{} answered {} to {}", uri_, answer.status, doing),
                .why = why};
    if (answer.status == 401 || answer.status == 403) {
      fault.fix = "set MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and _PASSWORD";
    }
    return Fail(std::move(fault));
  }

 private:
  Result<ServiceAnswer> Answer(const httplib::Result& result) {
    if (!result) {
      return Fail(
          {.exit = Exit::kRemote,
           .what = fmt::format("{} does not answer: {}", uri_, httplib::to_string(result.error())),
           .fix = "is it running, and is the address right?"});
    }
    return ServiceAnswer{.status = result->status, .body = ParseJson(result->body).ValueOr(Json())};
  }

  httplib::Client client_;
  std::string prefix_, uri_;
  httplib::Headers headers_;
};

}  // namespace

Result<std::unique_ptr<Service>> Service::Make(const std::string& uri,
                                               std::map<std::string, std::string> headers) {
  constexpr std::string_view kHttp = "http://";
  if (!uri.starts_with(kHttp) || uri.size() == kHttp.size()) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("\"{}\" is not an address of a service", uri),
                 .where = "--uri",
                 .why = uri.starts_with("https://") ? "runs are sent without encryption only" : "",
                 .fix = "http://host:port; to a service behind TLS through a tunnel or a proxy"});
  }
  // The client is made from host and port alone; the rest of the uri is prepended to each path.
  const size_t slash = std::min(uri.find('/', kHttp.size()), uri.size());
  std::string prefix = uri.substr(slash);
  while (prefix.ends_with('/')) prefix.pop_back();
  return std::make_unique<HttpService>(uri.substr(0, slash), std::move(prefix), uri,
                                       std::move(headers));
}

std::string UrlPath(const std::string& path) { return PercentEncoded(path, "-._~/"); }

}  // namespace protium
