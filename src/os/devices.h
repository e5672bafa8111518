// SPDX-License-Identifier: Apache-2.0
// Which devices this machine has.
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
// ["0", "1"]}. At most 64 KiB are read of it. Faults exit as kEnvironment.
Result<DeviceList> DiscoverByScript(const std::filesystem::path& script, Deadline deadline);

// Libraries of a driver that may not be there, the first one asked first.
struct DriverLibraries {
  std::string nvml = "libnvidia-ml.so.1";  // Numbers devices by PCI bus and starts nothing.
  std::string cuda = "libcuda.so.1";
};

// The GPUs that NVIDIA's driver tells of, as far as CUDA_VISIBLE_DEVICES of this process lets them
// be seen; none without a driver. Numbers follow the PCI bus.
DeviceList DiscoverByDriver(const DriverLibraries& libraries = {});

// Of `count` devices those that a value of CUDA_VISIBLE_DEVICES shows, in its order; nullptr shows
// all. As in CUDA, what follows an entry that names no device is not seen.
std::vector<std::string> VisibleDevices(int32_t count, const char* visible);

}  // namespace protium
