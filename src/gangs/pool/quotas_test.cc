// SPDX-License-Identifier: Apache-2.0
#include "pool/quotas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pool/shares.h"

namespace protium {
namespace {

using testing::HasSubstr;

TEST(Quotas, AreCoresOrCoresAndMemory) {
  Quotas quotas;
  ASSERT_TRUE(AddQuota("nightly=2", quotas).ok());
  ASSERT_TRUE(AddQuota("a=b=memory:8GiB,cores:3", quotas).ok());
  EXPECT_EQ(quotas.at("nightly"), (Amount{.cores = 2}));
  EXPECT_EQ(quotas.at("a=b"), (Amount{.cores = 3, .bytes = int64_t{8} << 30}));
  EXPECT_EQ(QuotasFromJson(QuotasToJson(quotas)), quotas);
  EXPECT_EQ(QuotasFromJson({{"nightly", 2}}).at("nightly"), (Amount{.cores = 2}));
}

TEST(Quotas, AreRefusedWithTheReason) {
  Quotas quotas;
  const auto why = [&](const std::string& text) {
    const Fault fault = FaultOf(AddQuota(text, quotas));
    EXPECT_EQ(fault.exit, Exit::kUsage) << text;
    EXPECT_THAT(fault.fix, HasSubstr("nightly=cores:2,memory:8GiB"));
    return fault.what + "; " + fault.why;
  };
  for (const char* text : {"nightly", "=2", "nightly=", "nightly=0", "nightly=-1", "nightly=x"}) {
    EXPECT_THAT(why(text), HasSubstr("is no label with what is guaranteed to it")) << text;
  }
  EXPECT_THAT(why("n=devices:1,cores:1"), HasSubstr("the pool gives out no devices"));
  EXPECT_THAT(why("n=memory:1GiB"), HasSubstr("every worker takes cores"));
  EXPECT_THAT(why("n=cores:1,memory:much"), HasSubstr("such as memory:8GiB"));
  EXPECT_THAT(why("n=cores:1,cores:2"), HasSubstr("said once"));
  EXPECT_TRUE(quotas.empty());
}

}  // namespace
}  // namespace protium
