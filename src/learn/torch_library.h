// SPDX-License-Identifier: Apache-2.0
// The one door of libprotium_torch.so, for programs that load it while they run. No LibTorch here.
#pragma once

#include "gang/task.h"

namespace protium {

// Grows whenever TaskTable, TaskContext, Catalogue or what they hold changes its layout.
inline constexpr int32_t kTorchLibraryVersion = 2;
inline constexpr const char* kTorchLibraryFile = "libprotium_torch.so";
inline constexpr const char* kTorchLibraryEntry = "protium_torch_tasks";

struct Catalogue;

// Adds the tasks "train" and "score" over the built-in nets and those of `own`, which may be null,
// to `tasks` and gives true; gives false and adds nothing when the library was built for another
// version.
using TorchLibraryEntry = bool (*)(int32_t version, const Catalogue* own, TaskTable* tasks);

}  // namespace protium

extern "C" bool protium_torch_tasks(int32_t version, const protium::Catalogue* own,
                                    protium::TaskTable* tasks);
