// SPDX-License-Identifier: Apache-2.0
#include "os/processor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cfenv>

namespace protium {
namespace {

using testing::IsEmpty;
using testing::Not;

TEST(Processor, NoticesAnotherRounding) {
  EXPECT_THAT(ChangedFloatingPoint(), IsEmpty());
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const std::string changed = ChangedFloatingPoint();
  ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
  EXPECT_THAT(changed, Not(IsEmpty()));
  EXPECT_THAT(ChangedFloatingPoint(), IsEmpty());
}

TEST(Processor, HasVectorsWhereItFuses) {
  if (!FusesMultiplyAdd()) GTEST_SKIP() << "this processor has no fused multiply-add";
  EXPECT_STRNE(VectorInstructions(), "plain");
}

}  // namespace
}  // namespace protium
