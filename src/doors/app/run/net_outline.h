// SPDX-License-Identifier: Apache-2.0
// What `protium inspect` shows of an ONNX file. The runtime is not needed for it.
#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// {"kind": "net", "path", "producer", "opsets", "inputs", "outputs", "operators", "numbers"}. Fails
// as ReadNetOutline() does.
Result<Json> NetAsJson(const std::filesystem::path& file);
std::string NetAsText(const Json& net);

}  // namespace protium
