// SPDX-License-Identifier: Apache-2.0
// The extensions that a run's net, loss or metrics come from: they are copied into the run, and
// workers open only these.
#pragma once

#include <filesystem>

#include "pipeline/chain.h"
#include "pipeline/torch_task.h"

namespace protium {

// Copies the library into the session's `folder`, below "extensions", where workers on any host see
// it. With an empty `folder` it stays where it is.
Result<NetLibrary> KeepExtension(const std::filesystem::path& folder,
                                 const std::filesystem::path& file);
// The same for the libraries of the estimator's net, loss and metrics: fills chain.extensions.
Status KeepExtensions(const std::filesystem::path& folder, Chain& chain);

// Opens the library in a worker: the file that the driver opened or, if it is missing or its
// content is another by now, the copy.
Result<Catalogue> OpenExtension(const NetLibrary& library);

}  // namespace protium
