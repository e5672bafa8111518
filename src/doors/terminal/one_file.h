// SPDX-License-Identifier: Apache-2.0
// What verbs share that write one file and leave no run behind: a temporary folder, and the file's
// place and format.
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
  // On Spark executors write files that the driver reads, so the folder must lie on storage that
  // both see. The folder of `output` has to be; /tmp of the driver is not.
  static Result<std::unique_ptr<Scratch>> MakeFor(const std::string& engine,
                                                  const std::filesystem::path& output);
  explicit Scratch(TemporaryFolder folder) : folder_(std::move(folder)) {}
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

// Refuses (Exit::kUsage) an ending that names no format of outputs.
Status CheckOutputFormat(const std::string& output);

// The absolute path of an output. Links and ".." in its folder are resolved: a path typed on the
// command line is meant as it stands, while Writer refuses "..", which in a job file leads out of
// the run folder.
std::filesystem::path ResolveOutput(const std::string& typed);

// Writes the frame in the format that the ending names.
Status WriteTo(const DataFrame& frame, const std::filesystem::path& output);

// The fault without the logs in `folder` that it refers to, for a folder that is about to be
// removed.
Status WithoutLogsIn(const std::filesystem::path& folder, const Status& status);

}  // namespace protium
