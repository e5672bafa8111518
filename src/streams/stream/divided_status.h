// SPDX-License-Identifier: Apache-2.0
// Streams that are divided by partitions: their folders, and what their statuses come to together.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace protium {

// "partition-3" in the stream's folder.
std::filesystem::path PartitionFolder(const std::filesystem::path& folder, int32_t partition);
// Those that there are, in the order of their partitions; none if the stream is not divided.
std::vector<std::pair<int32_t, std::filesystem::path>> PartitionFolders(
    const std::filesystem::path& folder);

// ReadStreamStatus() of a divided stream: sums, the longest latencies, and in "partitions" the
// status of each, with its number.
Result<Json> ReadDividedStatus(const std::filesystem::path& folder);
// Its "partitions" as people read them.
std::string PartitionsText(const Json& partitions);

}  // namespace protium
