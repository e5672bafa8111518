// SPDX-License-Identifier: Apache-2.0
// Programs on their way to executors that have neither them nor their libraries. What a bundle is
// made of stands in spark/ship/bundle_format.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/status.h"
#include "spark/ship/bundle_file.h"

namespace protium {

// The bundle of `program` ("/proc/self/exe" is the own one) and of all shared libraries that it is
// linked to, kept in the folder `cache` and found there again as long as none of these files
// changes. The folder is made for its owner alone and swept: at most 8 bundles and 4 GiB stay.
Result<Bundle> MakeProgramBundle(const std::filesystem::path& program,
                                 const std::filesystem::path& cache);

// The same for libprotium_torch.so: without the libraries that libprotium.so needs, which are in
// every program's bundle.
Result<Bundle> MakeTorchBundle(const std::filesystem::path& library,
                               const std::filesystem::path& cache);

// $XDG_CACHE_HOME/protium/bundles, or ~/.cache/protium/bundles.
Result<std::filesystem::path> BundleCache();

// The static program that executors start in place of Python. It finds bundles by its own name.
struct Launcher {
  std::filesystem::path file;
  std::string hash;
};

// The one of this build; kEnvironment when it is not there.
Result<Launcher> FindLauncher();

// Its name among the session's artifacts when it shall start `program`, with `torch` unless null.
std::string LauncherName(const Launcher& launcher, const Bundle& program, const Bundle* torch);

}  // namespace protium
