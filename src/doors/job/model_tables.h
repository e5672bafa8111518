// SPDX-License-Identifier: Apache-2.0
// The tables of a job, and the paths from which a model may read them.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"
#include "job/job.h"
#include "protium/session.h"

namespace protium {

// Returns the job's path of a table; empty for a table of a server or of Spark's catalogue.
const std::string& PathOf(const JobTable& table);

// Returns the path of a table below the folder `data`, or its place at an object store.
std::string PlaceIn(const std::string& data, const JobTable& table);

// Returns where a table with a source lies: at `path`, or at one of `connections`. Refuses (kUsage)
// the name of a connection that does not exist, and what CheckSource() refuses.
Result<Source> SourceOf(const JobTable& table, const std::string& path,
                        const ByName<Connection>& connections);

// Returns the table of a database that an output is written to.
Result<Source> TargetOf(const JobOutput& output, const std::string& data,
                        const ByName<Connection>& connections);

// The table of a database or a lake that a stream writes to, as an output of a job.
JobOutput OutputOf(const StreamSinkOptions& sink);

// Opens the table at `path` in the job's format; `known` is as in Reader::Csv().
DataFrame OpenTable(const Reader& reader, const JobTable& table, const std::string& path,
                    const ByName<Connection>& connections = {}, const SchemaPtr& known = nullptr);

// Returns the path of a model's table `name` below `data`, the folder given by the user. A model
// may come from a stranger, so an absolute path, or one that leads out of the folder, is refused
// with Exit::kInput.
Result<std::filesystem::path> TableBelow(const std::filesystem::path& data, const std::string& name,
                                         const JobTable& table);

}  // namespace protium
