// SPDX-License-Identifier: Apache-2.0
// Finds the GPUs of this machine: through a script, as Spark does it, or through NVIDIA's driver,
// which is opened at run time so that machines without one need nothing. Nothing here starts CUDA
// in this process.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/status.h"

namespace protium {

struct DeviceList {
  std::string name;                    // "gpu"
  std::vector<std::string> addresses;  // As CUDA_VISIBLE_DEVICES takes them: "0", "GPU-8f6d...".
};

// Runs `script`, which must print what Spark's discovery scripts do: {"name": "gpu", "addresses":
// ["0", "1"]}. Reads at most 64 KiB of its output. Faults exit as kEnvironment.
Result<DeviceList> DiscoverByScript(const std::filesystem::path& script, Deadline deadline);

// Libraries of a driver that may be missing; the first one is tried first.
struct DriverLibraries {
  std::string nvml = "libnvidia-ml.so.1";  // Numbers devices by PCI bus and starts nothing.
  std::string cuda = "libcuda.so.1";
};

// The GPUs that NVIDIA's driver reports, as far as CUDA_VISIBLE_DEVICES of this process shows them;
// none without a driver. Numbers follow the PCI bus.
DeviceList DiscoverByDriver(const DriverLibraries& libraries = {});

// Those of `count` devices that a value of CUDA_VISIBLE_DEVICES shows, in its order; nullptr shows
// all. As in CUDA, an entry that names no device ends the list.
std::vector<std::string> VisibleDevices(int32_t count, const char* visible);

}  // namespace protium
