// SPDX-License-Identifier: Apache-2.0
// What may be shown of the addresses of engines, which can hold tokens.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace protium {

// Drops from addresses of Spark ("sc://host/;token=x;user_id=u") within the text what may be
// secret: every parameter but use_ssl, user_id, user_agent and session_id. Other text stays.
std::string WithoutSecrets(std::string_view text);
// The same for every text in `json`.
Json JsonWithoutSecrets(Json json);

}  // namespace protium
