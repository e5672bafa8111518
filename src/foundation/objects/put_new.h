// SPDX-License-Identifier: Apache-2.0
// Objects that are written only if there is none of the name, which Arrow's file systems cannot do.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "objects/signature.h"

namespace protium {

// Puts `text` as "s3://bucket/a/b", if no such object exists: a PUT with "If-None-Match: *". False
// if there is one. A store that is busy, or an answer that is lost, is tried again five times in
// three seconds; so false may also mean that an earlier try of this call arrived, and the caller
// must look whether the object is its own. Faults (kRemote) name the store, never the key.
Result<bool> PutNewObject(const S3Access& access, std::string_view place, std::string_view text);

}  // namespace protium
