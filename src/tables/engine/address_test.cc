// SPDX-License-Identifier: Apache-2.0
#include "engine/address.h"

#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

TEST(WithoutSecrets, DropsTokensAndHeadersOfAddresses) {
  EXPECT_EQ(WithoutSecrets("sc://h:1/;token=abc;use_ssl=true;x-key=1;user_id=me"),
            "sc://h:1/;use_ssl=true;user_id=me");
  EXPECT_EQ(WithoutSecrets("--engine=sc://h/;token=abc"), "--engine=sc://h/");
  EXPECT_EQ(WithoutSecrets("sc://h:1"), "sc://h:1");
  EXPECT_EQ(WithoutSecrets("a;token=b"), "a;token=b");
}

TEST(SeatsOf, ReadsAddressesOfThisMachineOnly) {
  EXPECT_EQ(*SeatsOf("local"), 0);
  EXPECT_EQ(*SeatsOf("local[4]"), 4);
  for (const char* const wrong : {"", "locl", "local[0]", "local[4", "local[x]", "local[4]x"}) {
    EXPECT_EQ(FaultOf(SeatsOf(wrong).status()).fix,
              "use \"local\", \"local[4]\" for at most 4 workers, or sc://host:15002")
        << wrong;
  }
}

TEST(WithoutSecrets, LooksIntoJson) {
  const Json json = {{"argv", {"run", "sc://h/;token=abc"}}, {"n", 3}};
  EXPECT_EQ(Dump(JsonWithoutSecrets(json)), R"({"argv":["run","sc://h/"],"n":3})");
}

}  // namespace
}  // namespace protium
