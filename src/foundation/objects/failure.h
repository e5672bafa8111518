// SPDX-License-Identifier: Apache-2.0
// What a store's refusal means, as a fault.
#pragma once

#include <string>
#include <string_view>

#include "objects/place.h"

namespace protium {

// OK and faults pass through. Any other status, met while `doing` ("read", "write") something at
// `place`, becomes a fault of Exit::kRemote that names the bucket, the endpoint or the credentials
// by their source, whichever is the reason. No key is in it.
Status ObjectFault(const Status& status, std::string_view doing, const ObjectPlace& place);

// Where the credentials for a place come from, by name: "AWS_ACCESS_KEY_ID of the environment".
std::string CredentialSource(const ObjectPlace& place);

}  // namespace protium
