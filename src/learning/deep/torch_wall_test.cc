// SPDX-License-Identifier: Apache-2.0
#include "deep/torch_wall.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

using testing::HasSubstr;
using testing::Not;

// What LibTorch throws when CUDA's allocator or a kernel fails, with messages from a real device.
constexpr c10::SourceLocation kHere{"f", "file.cc", 1};

TEST(TorchWall, SaysWhatToChangeWhenADeviceIsFull) {
  const Fault fault = FaultOf(GuardTorch("step 3", [] {
    throw c10::OutOfMemoryError(
        kHere,
        "CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 79.19 GiB "
        "of which 3.10 GiB is free.\nIf reserved but unallocated memory is large try ...");
  }));
  EXPECT_EQ(fault.exit, Exit::kNoRoom);
  EXPECT_EQ(fault.what, "step 3: the device's memory is exhausted");
  EXPECT_THAT(fault.why, HasSubstr("20.00 GiB"));
  EXPECT_THAT(fault.why, Not(HasSubstr("If reserved")));
  EXPECT_THAT(fault.fix, HasSubstr("train.batch_size"));
}

TEST(TorchWall, BoundsWhatADeviceThatFailsSays) {
  const Fault fault = FaultOf(GuardTorch("step 3", [] {
    throw c10::AcceleratorError(kHere, 719,
                                "CUDA error: unspecified launch failure\nCUDA kernel errors might "
                                "be asynchronously reported at some other API call");
  }));
  EXPECT_EQ(fault.exit, Exit::kEnvironment);
  EXPECT_EQ(fault.what, "step 3: the device failed: CUDA error: unspecified launch failure");
  EXPECT_THAT(fault.fix, HasSubstr("nvidia-smi"));
  const Fault longer = FaultOf(GuardTorch(
      "step 3", [] { throw c10::AcceleratorError(kHere, 719, std::string(100'000, 'x')); }));
  EXPECT_LT(longer.what.size(), 500u);
}

TEST(TorchWall, LetsOtherErrorsThroughWithTheirText) {
  const Fault fault = FaultOf(GuardTorch("step 3", [] { TORCH_CHECK(false, "shapes differ"); }));
  EXPECT_EQ(fault.exit, Exit::kFailed);
  EXPECT_THAT(fault.what, HasSubstr("step 3: shapes differ"));
}

}  // namespace
}  // namespace protium
