// SPDX-License-Identifier: Apache-2.0
// What a command prints: results on stdout, all else on stderr.
#pragma once

#include <string_view>

#include "base/status.h"

namespace protium {

// Results go to stdout, everything else to stderr. On a terminal both are made safe (Printable()).
// A failed write to stdout is a fault: of Exit::kDone if the reader has closed its end, as `head`
// does, which ends the verb silently, otherwise of Exit::kEnvironment.
Status PrintResult(std::string_view text);
void PrintNote(std::string_view text);

}  // namespace protium
