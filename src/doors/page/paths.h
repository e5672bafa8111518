// SPDX-License-Identifier: Apache-2.0
// The paths of /api/v1/, one row each: GET /api/v1/ lists and openapi.json describes them.
#pragma once

#include <span>
#include <string_view>

#include "base/json.h"

namespace protium {

struct ApiPath {
  std::string_view path;        // Below /api/v1/: "runs/{run}/metrics".
  std::string_view parameters;  // Query parameters separated by spaces; "from:integer run:list".
  std::string_view says;
  std::string_view type = "application/json";
  std::string_view method = "get";  // Others make changes or the page work, and need a token.
};

std::span<const ApiPath> ApiPaths();

// Returns {"protium", "paths": ["/api/v1/runs/ID/metrics?points=N", ...]}.
Json ApiIndex();

// Describes all of them in OpenAPI 3.1.
Json OpenApi();

}  // namespace protium
