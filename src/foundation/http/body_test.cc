// SPDX-License-Identifier: Apache-2.0
#include "http/body.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

TEST(Body, IsWholeHoweverItCame) {
  for (const size_t step : {1u, 7u, 65'535u, 65'536u, 200'000u}) {
    std::string sent;
    HttpBody body;
    for (size_t i = 0; sent.size() < std::min<size_t>(step * 1000, 500'000); ++i) {
      const std::string some(step, char('a' + i % 26));
      sent += some;
      body.Append(some);
      ASSERT_EQ(body.size(), sent.size());
    }
    EXPECT_TRUE(body.Join() == sent) << step;
    EXPECT_EQ(body.size(), 0u);
  }
  EXPECT_EQ(HttpBody().Join(), "");
}

}  // namespace
}  // namespace protium
