// SPDX-License-Identifier: Apache-2.0
// The extensions that provide a run's net, loss or metrics. They are copied into the run, and
// workers open only these.
#pragma once

#include <filesystem>

#include "pipeline/chain.h"
#include "pipeline/torch_task.h"

namespace protium {

// Copies the library into the session's `folder`, below "extensions", where workers on any host can
// read it. With an empty `folder` it is not copied.
Result<NetLibrary> KeepExtension(const std::filesystem::path& folder,
                                 const std::filesystem::path& file);
// Does the same for the libraries of the estimator's net, loss and metrics; fills chain.extensions.
Status KeepExtensions(const std::filesystem::path& folder, Chain& chain);

// Opens the library in a worker: the file that the driver opened or, if that is missing or its
// content has changed, the copy.
Result<Catalogue> OpenExtension(const NetLibrary& library);

}  // namespace protium
