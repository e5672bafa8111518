// SPDX-License-Identifier: Apache-2.0
#include "serve/score_request.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/text.h"
#include "protium/scorer.h"

namespace protium {

int StatusFor(const Fault& fault) {
  switch (fault.exit) {
    case Exit::kUsage:
    case Exit::kInput:
      return 400;
    case Exit::kNoRoom:
      return 503;
    default:
      return 500;
  }
}

HttpResponse WithRetry(HttpResponse response) {
  // In seconds: the queue is full, but moving.
  if (response.status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

Result<int32_t> ExplainedColumns(const HttpRequest& request) {
  const std::string& text = request.Parameter("explain");
  if (text.empty()) return 0;
  if (text == "all") return kEveryColumn;
  const auto columns = AllAsNumber<int32_t>(text);
  if (columns && *columns > 0) return *columns;
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("explain={} is not a number of columns", text),
               .fix = "explain=3, or explain=all"});
}

}  // namespace protium
