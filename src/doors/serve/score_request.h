// SPDX-License-Identifier: Apache-2.0
// What the ways of asking for predictions have in common.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "http/exchange.h"

namespace protium {

// The HTTP status of a refusal: 400 for requests that are wrong, 503 where there is no room.
int StatusFor(const Fault& fault);
// Tells clients that were refused by 503 when to ask again.
HttpResponse WithRetry(HttpResponse response);

// The parameter "explain", as Scorer::Explaining() takes it; 0 without one.
Result<int32_t> ExplainedColumns(const HttpRequest& request);

}  // namespace protium
