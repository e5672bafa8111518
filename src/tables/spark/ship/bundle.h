// SPDX-License-Identifier: Apache-2.0
// Programs on their way to executors that have neither them nor their libraries. Bundles are made
// once and kept in a cache; spark_worker/bundle_format.h says what is in one. All errors here are
// Faults of exit kEnvironment or of the file system.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/status.h"
#include "spark/ship/bundle_file.h"

namespace protium {

// The bundle of `program` ("/proc/self/exe" is this one) and of all shared libraries that it is
// linked to. It is kept in the folder `cache` and found there again until one of these files
// changes (length or time of change). The folder is made for its owner alone; after a bundle was
// made it is swept: at most 8 bundles and 4 GiB stay, those that were used last.
Result<Bundle> MakeProgramBundle(const std::filesystem::path& program,
                                 const std::filesystem::path& cache);

// The same for libprotium_torch.so, without the libraries that libprotium.so needs: those are in
// every program's bundle.
Result<Bundle> MakeTorchBundle(const std::filesystem::path& library,
                               const std::filesystem::path& cache);

// $XDG_CACHE_HOME/protium/bundles, or ~/.cache/protium/bundles.
Result<std::filesystem::path> BundleCache();

// The static program that executors start in place of Python. Its own file name tells it which
// bundles to start (LauncherName).
struct Launcher {
  std::filesystem::path file;
  std::string hash;  // XXH3-128 of the file.
};

// The one of this build, bin/protium-launcher beside the library's folder; exit kEnvironment if it
// is missing.
Result<Launcher> FindLauncher();

// Its file name among the session's artifacts if it is to start `program`, with `torch` unless
// null. It holds all hashes, so other bundles give another name: an artifact cannot be replaced.
std::string LauncherName(const Launcher& launcher, const Bundle& program, const Bundle* torch);

}  // namespace protium
