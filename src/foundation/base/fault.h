// SPDX-License-Identifier: Apache-2.0
// The form of an error message on its way between processes. What a user sees of it is in the
// public header protium/status.h.
#pragma once

#include "base/json.h"
#include "base/status.h"

namespace protium {

// Statuses cross process borders as JSON; {} is OK.
Json StatusToJson(const Status& status);
Status StatusFromJson(const Json& json);

}  // namespace protium
