// SPDX-License-Identifier: Apache-2.0
// Addresses of engines: what they mean, and which parts may be shown, since they can hold tokens.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// Removes from an engine's address within the text ("sc://host/;token=x;user_id=u") what may be
// secret: every parameter that its kind does not show. Other text is unchanged.
std::string WithoutSecrets(std::string_view text);
// Does the same for every text in `json`.
Json JsonWithoutSecrets(Json json);

// Returns the seats that an address of this machine gives: 4 for "local[4]", 0 for "local", which
// gives as many as are requested. Another address is a fault of Exit::kUsage.
Result<int32_t> SeatsOf(const std::string& address);

}  // namespace protium
