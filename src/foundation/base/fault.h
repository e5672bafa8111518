// SPDX-License-Identifier: Apache-2.0
// The one shape of a message that a user sees when something went wrong, on its way between
// processes. The shape itself is the door's: protium/status.h.
#pragma once

#include "base/json.h"
#include "base/status.h"

namespace protium {

// Statuses cross process borders as JSON; {} is OK.
Json StatusToJson(const Status& status);
Status StatusFromJson(const Json& json);

}  // namespace protium
