// SPDX-License-Identifier: Apache-2.0
// An HTTP/1.1 server for untrusted clients: what they send is bounded before it is used (limits.h),
// and clients that hold the server up make room for others (crowd.h).
//
// 1. One thread serves all connections; a pool computes responses. A connection has no thread.
// 2. The head alone decides whether a request is allowed. If it is not, nothing more is read.
// 3. A response is whole or is not sent: there are no ranges, and a body is sent as it is, without
//    Content-Encoding.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "http/exchange.h"
#include "http/guard.h"
#include "http/limits.h"

namespace protium {

struct HttpAdmission {
  std::optional<HttpResponse> refusal;
  size_t body_bytes = 0;      // The largest body that is accepted.
  std::string too_large_fix;  // What to do about a larger one.
};

class HttpService {
 public:
  virtual ~HttpService() = default;
  // Decides by the head alone. Server's thread: must return at once.
  virtual HttpAdmission Admit(const HttpRequest& head) = 0;
  // Responds to an admitted request, with its body. Any thread of the pool.
  virtual HttpResponse Respond(const HttpRequest& request, const std::string& body) = 0;
  // Called when the server was asked to end: returns for how much longer it accepts requests, so
  // that clients can notice. Server's thread.
  virtual std::chrono::milliseconds Drain() = 0;
};

class HttpServer {
 public:
  struct Options {
    Guard guard;             // Its port may be 0: then the first that is free from `first_port` on.
    int32_t first_port = 0;  // 0: any that is free.
    HttpLimits limits;
    std::vector<std::pair<std::string, std::string>> headers;  // Added to every response.
  };

  // Takes the port; sends no responses yet. A port that cannot be taken is a fault of
  // Exit::kEnvironment.
  static Result<std::unique_ptr<HttpServer>> Bind(Options options);
  virtual ~HttpServer() = default;

  // With the port that was taken.
  virtual const Guard& guard() const = 0;
  // "http://127.0.0.1:4040/". If the server listens on all addresses of this machine, contains the
  // machine's name.
  virtual std::string address() const = 0;

  // Sends responses until `stop` and for as long as the service drains; then accepts no new
  // connection, and returns when the requests under way have their responses, within limits.end
  // plus the time that computing takes. Call it once.
  virtual Status Serve(HttpService& service, std::stop_token stop) = 0;
};

}  // namespace protium
