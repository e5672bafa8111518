// SPDX-License-Identifier: Apache-2.0
// The tables of a job, and where a model may read them.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"
#include "job/job.h"
#include "protium/session.h"

namespace protium {

// What a job says of a table's place; empty for a table of Spark's catalogue.
const std::string& PathOf(const JobTable& table);

// The table at `path` in the format that the job says; `known` as Reader::Csv() has it.
DataFrame OpenTable(const Reader& reader, const JobTable& table, const std::string& path,
                    const SchemaPtr& known = nullptr);

// The path of a model's table `name` below `data`, the folder that the user gave. A model may come
// from a stranger, so an absolute path, or one that leads out of the folder, is refused with
// Exit::kInput.
Result<std::filesystem::path> TableBelow(const std::filesystem::path& data, const std::string& name,
                                         const JobTable& table);

}  // namespace protium
