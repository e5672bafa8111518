// SPDX-License-Identifier: Apache-2.0
// Sends programs to executors that have neither them nor their libraries. Bundles are made once and
// stored in a cache; spark_worker/bundle_format.h describes their content. All errors here are
// Faults of exit kEnvironment or of the file system.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "spark/ship/bundle_file.h"

namespace protium {

// Returns the bundle of `program` ("/proc/self/exe" is this one), of the libraries `more`, which it
// opens by name, and of all shared libraries that these are linked to. It is stored in the folder
// `cache` and reused until one of these files changes (length or modification time). The folder is
// accessible to its owner alone; after a new bundle is made, at most 8 bundles and 4 GiB stay in
// it, the most recently used ones.
Result<Bundle> MakeProgramBundle(const std::filesystem::path& program,
                                 const std::filesystem::path& cache,
                                 const std::vector<std::filesystem::path>& more = {});

// The same for libprotium_torch.so, without the libraries that libprotium.so needs: those are in
// every program's bundle.
Result<Bundle> MakeTorchBundle(const std::filesystem::path& library,
                               const std::filesystem::path& cache);

// $XDG_CACHE_HOME/protium/bundles, or ~/.cache/protium/bundles.
Result<std::filesystem::path> BundleCache();

// The static program that executors start in place of Python. Its own file name says which bundles
// to start (LauncherName).
struct Launcher {
  std::filesystem::path file;
  std::string hash;  // XXH3-128 of the file.
};

// Returns the launcher of this build, bin/protium-launcher beside the library's folder; exit
// kEnvironment if it is missing.
Result<Launcher> FindLauncher();

// Returns the launcher's file name among the session's artifacts if it is to start `program`, with
// `torch` unless null. The name holds all hashes, so other bundles give another name: an artifact
// cannot be replaced.
std::string LauncherName(const Launcher& launcher, const Bundle& program, const Bundle* torch);

}  // namespace protium
