// SPDX-License-Identifier: Apache-2.0
// An HTTP/1.1 server for strangers: what they send is bounded before it is believed (limits.h), and
// who holds the server up makes room for others (crowd.h).
//
// 1. One thread talks to all connections; a pool computes answers. A connection has no thread.
// 2. Who may ask is decided by the head alone. Of whoever may not, nothing more is read.
// 3. A request is answered whole or not at all: there are no ranges, and a body comes as it is,
//    without Content-Encoding.
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
  size_t body_bytes = 0;      // The most that a body may have.
  std::string too_large_fix;  // What to do about a larger one.
};

class HttpService {
 public:
  virtual ~HttpService() = default;
  // Of the head alone. The server's thread: must return at once.
  virtual HttpAdmission Admit(const HttpRequest& head) = 0;
  // Of a request that was admitted, with its body. Any thread of the pool.
  virtual HttpResponse Respond(const HttpRequest& request, const std::string& body) = 0;
  // The server was asked to end: for how long it still takes requests, so that whoever sends them
  // can learn of it. The server's thread.
  virtual std::chrono::milliseconds Drain() = 0;
};

class HttpServer {
 public:
  struct Options {
    Guard guard;             // Its port may be 0: then the first that is free from `first_port` on.
    int32_t first_port = 0;  // 0: any that is free.
    HttpLimits limits;
    std::vector<std::pair<std::string, std::string>> headers;  // Of every response.
  };

  // Takes the port; answers nothing yet. No port is a fault of Exit::kEnvironment.
  static Result<std::unique_ptr<HttpServer>> Bind(Options options);
  virtual ~HttpServer() = default;

  // With the port that was taken.
  virtual const Guard& guard() const = 0;
  // "http://127.0.0.1:4040/". Others reach an address that means all of this machine's by the
  // machine's name.
  virtual std::string address() const = 0;

  // Responses until `stop` and for as long as the service drains; then takes no new connection, and
  // returns once what was under way has its responses, within limits.end and the time that
  // computing takes. Once.
  virtual Status Serve(HttpService& service, std::stop_token stop) = 0;
};

}  // namespace protium
