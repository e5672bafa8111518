// SPDX-License-Identifier: Apache-2.0
// A request and its response, independent of any HTTP library.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

struct HttpRequest {
  std::string method;  // "GET"
  std::string path;    // Decoded: "/api/v1/runs".
  std::multimap<std::string, std::string> parameters;
  std::map<std::string, std::string, std::less<>> headers;  // By name in lower case.

  // Empty if there is none.
  const std::string& Header(std::string_view name) const;
  const std::string& Parameter(const std::string& name) const;
};

// A body that is sent piece by piece, such as server-sent events. One thread at a time.
class HttpStream {
 public:
  enum class More { kAtOnce, kLater, kNone };

  virtual ~HttpStream() = default;
  // Appends what can be sent by now to `text`, perhaps nothing, and returns when to ask again. Does
  // not wait.
  virtual More Next(std::string& text) = 0;
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json; charset=utf-8";
  std::string body;
  std::string_view fixed;  // Instead of `body`: bytes that live as long as the program.
  std::vector<std::pair<std::string, std::string>> headers;
  std::unique_ptr<HttpStream> stream;  // Instead of a body.
};

HttpResponse JsonResponse(const Json& json);

// The fault as {"error": {"what", "why", "fix"}} with an HTTP status.
HttpResponse Refusal(int status, Fault fault);

}  // namespace protium
