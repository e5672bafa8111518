// SPDX-License-Identifier: Apache-2.0
// Which LibTorch workers load, and what they compute on. This build links the CPU libraries; to use
// a GPU, PROTIUM_LIBTORCH names the folder of a LibTorch of the same version with CUDA, such as
// "pip install torch" brings. No LibTorch here.
#pragma once

#include <filesystem>

#include "base/status.h"
#include "pipeline/torch_task.h"

namespace protium {

// A path: .../torch, or its folder lib.
inline constexpr const char* kLibTorchVariable = "PROTIUM_LIBTORCH";
// "cpu": the CPU stands in for leased devices (DeviceUse::kStandIn).
inline constexpr const char* kDeviceVariable = "PROTIUM_DEVICE";

// The folder of libraries that PROTIUM_LIBTORCH names; empty where it is not set. A folder without
// LibTorch, or with another version of it, is a fault of Exit::kEnvironment.
Result<std::filesystem::path> GivenLibTorch();

// What PROTIUM_DEVICE of this process says; the driver asks, and tells the tasks.
DeviceUse GivenDeviceUse();

// Before anything starts: whether workers on this machine will find LibTorch's CUDA libraries, or
// need none. The fault is that of GivenLibTorch(), or says what to set.
Status CheckGpuLibraries();

}  // namespace protium
