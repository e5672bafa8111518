// SPDX-License-Identifier: Apache-2.0
// Streams as others look at them, while they run and after: reads their folders, changes nothing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// The streams of a folder (--streams-dir) in the order of their names, at most `most`: the status
// of each (stream_status.h), with its name as "stream".
Json ListStreams(const std::filesystem::path& streams, size_t most);

struct LookLimits {
  size_t batches = 50;
  size_t letters = 50;
};

// One stream: {"stream", "folder", "status", "batches": [{"batch", "rows", "dead", "model",
// "ended"}], "letters": [{"place", "reason", "text" or "hex", "batch"}]}, the newest first; of a
// divided one each with its "partition". Fails (kInput) if there is none of the name, which may be
// any text.
Result<Json> LookAtStream(const std::filesystem::path& streams, const std::string& name,
                          const LookLimits& limits = {});

}  // namespace protium
