// SPDX-License-Identifier: Apache-2.0
// Brings the files of runs from an object store into the cache, each checked against the manifest.
#pragma once

#include <filesystem>

#include "mirror/attempts.h"
#include "objects/store.h"

namespace protium {

// Which files: those that lists and pages show; also the model's; or all of them.
enum class Parts { kFacts, kModel, kAll };

// Makes `folder` hold the files of the published run, and removes those that it does not name. Only
// what is missing or different is read. Under a CacheLock of the folder.
Status Bring(const ObjectStore& run, const PublishedRun& published,
             const std::filesystem::path& folder, Parts parts);

// Brings a run, and returns its folder in the cache. A job that works in it on this machine, or has
// left there what it could not copy, is ahead of the store: then nothing is brought.
Result<std::filesystem::path> BringRun(const ObjectPlace& run, Parts parts);

// The same with the facts of all runs in `runs`; returns the folder of runs. A run that cannot be
// read is left out, with what is wrong in `warnings`; the copy of one that is gone is removed.
Result<std::filesystem::path> BringRuns(const ObjectPlace& runs,
                                        std::vector<std::string>& warnings);

Status NoSuchObjectRun(const ObjectPlace& run);

}  // namespace protium
