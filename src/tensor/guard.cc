// SPDX-License-Identifier: Apache-2.0
#include "tensor/guard.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <new>

#include "base/fault.h"

namespace protium {

namespace {

constexpr size_t kMostText = 400;

// CUDA's messages go on with advice on debugging kernels and with statistics of the allocator.
std::string FirstLine(const std::string& text) {
  return text.substr(0, std::min(text.find('\n'), kMostText));
}

// "CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 79.19 GiB of
// which 3.10 GiB is free. ..."
Status DeviceFull(const std::string& during, const std::string& text) {
  return Fail({.exit = Exit::kNoRoom,
               .what = during + ": the device's memory is exhausted",
               .why = FirstLine(text),
               .fix = "lower train.batch_size, or raise train.micro_batches: a shard's rows of a "
                      "step are computed at once"});
}

Status DeviceFailed(const std::string& during, const std::string& text) {
  return Fail({.exit = Exit::kEnvironment,
               .what = during + ": the device failed: " + FirstLine(text),
               .why = "after such an error a process cannot use its device any more",
               .fix =
                   "look at nvidia-smi and the kernel's log (dmesg); protium resume goes on from "
                   "the last checkpoint"});
}

}  // namespace

Status StatusOfException(std::string_view doing, const std::exception& error) {
  const std::string during(doing);
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return Fail({.exit = Exit::kNoRoom, .what = during + ": out of memory"});
  }
  const auto* torch = dynamic_cast<const c10::Error*>(&error);
  const std::string text = torch != nullptr ? torch->what_without_backtrace() : error.what();
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr)
    return DeviceFull(during, text);
  if (dynamic_cast<const c10::AcceleratorError*>(&error) != nullptr) {
    return DeviceFailed(during, text);
  }
  const bool memory = text.find("not enough memory") != std::string::npos;
  return Fail({.exit = memory ? Exit::kNoRoom : Exit::kFailed, .what = during + ": " + text});
}

Status StatusOfUnknown(std::string_view doing) {
  return Fail({.exit = Exit::kFailed,
               .what = std::string(doing) + ": something was thrown that is not a std::exception"});
}

}  // namespace protium
