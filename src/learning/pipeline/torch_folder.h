// SPDX-License-Identifier: Apache-2.0
// Which LibTorch workers load, and what they compute on. This build links the CPU libraries; to use
// a GPU, set PROTIUM_LIBTORCH to the folder of a LibTorch of the same version with CUDA, such as
// "pip install torch" installs. No LibTorch here.
#pragma once

#include <filesystem>

#include "base/status.h"
#include "pipeline/torch_task.h"

namespace protium {

// Its value is a path: .../torch, or its folder lib.
inline constexpr const char* kLibTorchVariable = "PROTIUM_LIBTORCH";
// "cpu": the CPU replaces leased devices (DeviceUse::kStandIn).
inline constexpr const char* kDeviceVariable = "PROTIUM_DEVICE";

// Returns the folder of libraries that PROTIUM_LIBTORCH names; empty if it is not set. Fails with
// Exit::kEnvironment for a folder without LibTorch or with another version of it.
Result<std::filesystem::path> GivenLibTorch();

// Reads PROTIUM_DEVICE of this process; the driver reads it and passes it to the tasks.
DeviceUse GivenDeviceUse();

// Checks, before anything starts, that workers on this machine will find LibTorch's CUDA libraries,
// or need none. Fails as GivenLibTorch() does, or says what to set.
Status CheckGpuLibraries();

}  // namespace protium
