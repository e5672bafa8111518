// SPDX-License-Identifier: Apache-2.0
// Requests and answers (http/exchange.h) as the page names them.
#pragma once

#include "http/exchange.h"

namespace protium {

using PageRequest = HttpRequest;
using PageAnswer = HttpAnswer;
using PageStream = HttpStream;

}  // namespace protium
