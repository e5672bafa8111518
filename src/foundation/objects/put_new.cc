// SPDX-License-Identifier: Apache-2.0
#include "objects/put_new.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <thread>

#include "base/percent.h"
#include "http/library.h"

namespace protium {
namespace {

constexpr int kTries = 5;
constexpr time_t kSeconds = 30;  // For every request.

// Where an object is asked for.
struct Address {
  std::string server;  // "https://host:port"
  std::string host;
  std::string path;
};

// Amazon's own buckets have hosts of their own, unless a dot would break the certificate.
Address AddressOf(const S3Access& access, std::string_view place) {
  constexpr std::string_view kScheme = "s3://";
  const std::string_view rest = place.substr(kScheme.size());
  const size_t slash = rest.find('/');
  const std::string bucket(rest.substr(0, slash));
  const std::string path = PercentEncoded(rest.substr(slash), "/-._~");
  Address address;
  if (access.endpoint.empty()) {
    const std::string region = access.region.empty() ? "us-east-1" : access.region;
    const bool own = bucket.find('.') == bucket.npos;
    address.host = fmt::format("{}s3.{}.amazonaws.com", own ? bucket + "." : "", region);
    address.server = "https://" + address.host;
    address.path = own ? path : "/" + bucket + path;
    return address;
  }
  address.server = access.endpoint;
  address.host = access.endpoint.substr(access.endpoint.find("://") + 3);
  address.path = "/" + bucket + path;
  return address;
}

std::string TimeNow() { return fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(std::time(nullptr))); }

httplib::Result Put(const S3Access& access, const Address& address, const std::string& text) {
  S3Request request{.method = "PUT",
                    .path = address.path,
                    .headers = {{"host", address.host}, {"if-none-match", "*"}}};
  SignRequest(access, text, TimeNow(), request);
  httplib::Client client(address.server);
  client.set_connection_timeout(10);
  client.set_read_timeout(kSeconds);
  client.set_write_timeout(kSeconds);
  const httplib::Headers headers(request.headers.begin(), request.headers.end());
  return client.Put(address.path.c_str(), headers, text, "application/json");
}

// The code of S3's answer, <Error><Code>SlowDown</Code>...; empty if there is none.
std::string CodeIn(const std::string& body) {
  const size_t from = body.find("<Code>");
  const size_t to = body.find("</Code>", from);
  return from == body.npos || to == body.npos ? "" : body.substr(from + 6, to - from - 6);
}

Status Refused(const Address& address, std::string_view place, const httplib::Result& answer) {
  Fault fault{.exit = Exit::kRemote, .where = std::string(place)};
  if (!answer) {
    fault.what = "no object store answers at " + address.server;
    fault.why = httplib::to_string(answer.error());
  } else if (answer->status == 501) {
    fault.what = "the object store cannot write an object only if there is none";
    fault.why = "it refuses the header If-None-Match, without which two writers lose rows";
  } else if (CodeIn(answer->body) == "RequestTimeTooSkewed") {
    fault.what = "the object store refuses the time of this machine";
    fault.fix = "set the clock";
  } else if (answer->status == 401 || answer->status == 403) {
    fault.what = "the object store refuses the key, or that it writes here";
    fault.why = CodeIn(answer->body);
  } else if (answer->status == 503 || answer->status == 429 || answer->status == 500) {
    fault.what = fmt::format("the object store is too busy, after {} tries", kTries);
    fault.why = CodeIn(answer->body);
  } else {
    fault.what = fmt::format("the object store answers {}", answer->status);
    fault.why = CodeIn(answer->body);
  }
  return Fail(std::move(fault));
}

// 409: another write of the same name is going on.
bool CouldWaitingHelp(const httplib::Result& answer) {
  return !answer || answer->status == 409 || answer->status == 429 || answer->status == 500 ||
         answer->status == 502 || answer->status == 503 || answer->status == 504;
}

}  // namespace

Result<bool> PutNewObject(const S3Access& access, std::string_view place, std::string_view text) {
  const Address address = AddressOf(access, place);
  const std::string body(text);
  for (int i = 1;; ++i) {
    const httplib::Result answer = Put(access, address, body);
    if (answer && answer->status / 100 == 2) return true;
    if (answer && answer->status == 412) return false;
    if (i == kTries || !CouldWaitingHelp(answer)) return Refused(address, place, answer);
    std::this_thread::sleep_for(std::chrono::milliseconds(100 << i));
  }
}

}  // namespace protium
