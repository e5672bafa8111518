// SPDX-License-Identifier: Apache-2.0
// Shared by verbs that write one file and leave no run behind: a temporary folder, and the file's
// path and format.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "os/temporary_folder.h"
#include "protium/frame.h"

namespace protium {

// A temporary folder for logs and spilled rows.
class Scratch {
 public:
  // On Spark, executors write files that the driver reads, so the folder must be on storage that
  // both see. The folder of `output` must be; the driver's /tmp is not.
  static Result<std::unique_ptr<Scratch>> MakeFor(const std::string& engine,
                                                  const std::filesystem::path& output);
  explicit Scratch(TemporaryFolder folder) : folder_(std::move(folder)) {}
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

// Refuses (Exit::kUsage) an ending that names no format of outputs.
Status CheckOutputFormat(const std::string& output);

// Returns the absolute path of an output. Links and ".." in its folder are resolved: a path typed
// on the command line is meant literally, while Writer refuses "..", which in a job file leads out
// of the run folder.
std::filesystem::path ResolveOutput(const std::string& typed);

// Writes the frame in the format of the ending.
Status WriteTo(const DataFrame& frame, const std::filesystem::path& output);

// Returns the fault without references to logs in `folder`, which is about to be removed.
Status WithoutLogsIn(const std::filesystem::path& folder, const Status& status);

}  // namespace protium
