// SPDX-License-Identifier: Apache-2.0
// The error for a name that a table does not hold, whichever table it is.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace protium {

// Refuses (kUsage) a name that is not in `known`: `unknown net "mpl"`, with the nearest known
// names. `what` is the kind of thing that was named.
Status UnknownName(std::string_view what, std::string_view name, std::span<const std::string> known,
                   std::string where = {});

}  // namespace protium
