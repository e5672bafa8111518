// SPDX-License-Identifier: Apache-2.0
// The entry point of libprotium_torch.so for workers; pipeline/script_file.h and
// pipeline/net_outputs.h have the others.
// Workers that train or score with LibTorch open the library with dlopen and call it; drivers never
// do, so `protium --help` and every usage error appear without loading LibTorch. No LibTorch here.
#pragma once

#include "gang/task.h"

namespace protium {

// Increase it whenever the layout of TaskTable, TaskContext, Catalogue or anything they hold
// changes: the two libraries are separate files and may come from different builds.
inline constexpr int32_t kTorchLibraryVersion = 4;
inline constexpr const char* kTorchLibraryFile = "libprotium_torch.so";
inline constexpr const char* kTorchLibraryEntry = "protium_torch_tasks";

struct Catalogue;

// Adds to `tasks` the tasks "train" and "score" over the built-in rows and those of `own` (which
// may be null), and returns true. Returns false and adds nothing if the library was built for
// another version.
using TorchLibraryEntry = bool (*)(int32_t version, const Catalogue* own, TaskTable* tasks);

}  // namespace protium

extern "C" bool protium_torch_tasks(int32_t version, const protium::Catalogue* own,
                                    protium::TaskTable* tasks);
