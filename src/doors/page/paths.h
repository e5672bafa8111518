// SPDX-License-Identifier: Apache-2.0
// The paths of /api/v1/, one row each: what GET /api/v1/ lists and openapi.json describes.
#pragma once

#include <span>
#include <string_view>

#include "base/json.h"

namespace protium {

struct ApiPath {
  std::string_view path;        // Below /api/v1/: "runs/{run}/metrics".
  std::string_view parameters;  // Of the query, apart by spaces; "from:integer run:list".
  std::string_view says;
  std::string_view type = "application/json";
  std::string_view method = "get";  // Others change something, or make the page work: a token.
};

std::span<const ApiPath> ApiPaths();

// {"protium", "paths": ["/api/v1/runs/ID/metrics?points=N", ...]}
Json ApiIndex();

// The description of all of them in OpenAPI 3.1.
Json OpenApi();

}  // namespace protium
