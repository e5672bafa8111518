// SPDX-License-Identifier: Apache-2.0
// Addresses of engines: what they say, and what may be shown of them, for they can hold tokens.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// Drops from addresses of Spark ("sc://host/;token=x;user_id=u") within the text what may be
// secret: every parameter but use_ssl, user_id, user_agent and session_id. Other text stays.
std::string WithoutSecrets(std::string_view text);
// The same for every text in `json`.
Json JsonWithoutSecrets(Json json);

// The seats that an address of this machine gives: 4 for "local[4]", 0 for "local", which gives as
// many as are asked for. Another address is a fault of Exit::kUsage.
Result<int32_t> SeatsOf(const std::string& address);

// Whether an address is one of a cluster: "sc://host:15002".
bool IsCluster(std::string_view address);

}  // namespace protium
