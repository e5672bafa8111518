// SPDX-License-Identifier: Apache-2.0
#include "http/target.h"

#include <gtest/gtest.h>

namespace protium {
namespace {

TEST(Target, IsDecoded) {
  const auto read = ReadTarget("/runs/a%20b+c?run=x%26y&run=p+q&empty=&bare&=v&&");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->path, "/runs/a b+c");
  const std::multimap<std::string, std::string> expected = {
      {"", "v"}, {"bare", ""}, {"empty", ""}, {"run", "x&y"}, {"run", "p q"}};
  EXPECT_EQ(read->parameters, expected);
  EXPECT_EQ(ReadTarget("/?a=b=c")->parameters.find("a")->second, "b=c");
  EXPECT_TRUE(ReadTarget("/")->parameters.empty());
}

TEST(Target, ThatCannotBeReadIsNone) {
  for (const char* target :
       {"", "*", "http://a/b", "a", "/%", "/%4", "/%zz", "/a?b=%", "/%+1", "/%-1", "/% 1"}) {
    EXPECT_FALSE(ReadTarget(target)) << target;
  }
}

}  // namespace
}  // namespace protium
