// SPDX-License-Identifier: Apache-2.0
#include "deep/torch_wall.h"

#include <algorithm>
#include <string>

#include "base/fault.h"

namespace protium {
namespace {

constexpr size_t kMostText = 400;

// The other lines of CUDA's messages are advice on debugging kernels and allocator statistics.
std::string FirstLine(const std::string& text) {
  return text.substr(0, std::min(text.find('\n'), kMostText));
}

}  // namespace

Fault FaultOfTorch(const c10::Error& error) {
  const std::string text = error.what_without_backtrace();
  // "CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 79.19 GiB of
  // which 3.10 GiB is free. ..."
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr) {
    return {.exit = Exit::kNoRoom,
            .what = "the device's memory is exhausted",
            .why = FirstLine(text),
            .fix =
                "lower train.batch_size, or raise train.micro_batches: a shard's rows of a "
                "step are computed at once"};
  }
  if (dynamic_cast<const c10::AcceleratorError*>(&error) != nullptr) {
    return {.exit = Exit::kEnvironment,
            .what = "the device failed: " + FirstLine(text),
            .why = "after such an error a process cannot use its device any more",
            .fix =
                "look at nvidia-smi and the kernel's log (dmesg); protium resume continues from "
                "the last checkpoint"};
  }
  const bool memory = text.find("not enough memory") != std::string::npos;
  return {.exit = memory ? Exit::kNoRoom : Exit::kFailed, .what = text};
}

}  // namespace protium
