// SPDX-License-Identifier: Apache-2.0
// The extensions that bring a run's net, loss or metrics: they travel with the run, and workers
// open those only.
#pragma once

#include <filesystem>

#include "learn/pipeline/chain.h"
#include "learn/torch_task.h"

namespace protium {

// Copies the library into the session's `folder`, where workers see it wherever they run. Without
// a folder it stays where it is.
Result<NetLibrary> KeepExtension(const std::filesystem::path& folder,
                                 const std::filesystem::path& file);
// The same for the libraries that bring the estimator's net, loss and metrics: fills
// chain.extensions.
Status KeepExtensions(const std::filesystem::path& folder, Chain& chain);

// Opens, in a worker, the library where the driver opened it, or its copy where that file is
// missing or another one.
Result<Catalogue> OpenExtension(const NetLibrary& library);

}  // namespace protium
