// SPDX-License-Identifier: Apache-2.0
#include "store/index.h"

#include "store/testing/store_fixture.h"

namespace protium {
namespace {

using StoreIndexTest = StoreTest;

TEST_F(StoreIndexTest, ProcessesSeeEachOthersRows) {
  const auto file = folder_.path() / "index.sqlite";
  bool fresh = false;
  const auto one = StoreIndex::Open(file, fresh).ValueOrDie();
  EXPECT_TRUE(fresh);
  const auto two = StoreIndex::Open(file, fresh).ValueOrDie();
  EXPECT_FALSE(fresh);
  ASSERT_TRUE(one->Put({.cause = "a", .kind = "table", .content = "c", .bytes = 7}).ok());
  EXPECT_EQ(two->TotalBytes().ValueOrDie(), 7);
  EXPECT_EQ(two->WithContent("table", "c").ValueOrDie(), std::vector<std::string>{"a"});
  ASSERT_TRUE(two->Update("a", 5, 0.25).ok());
  EXPECT_EQ(one->Get("a").ValueOrDie()->uses, 5);
  EXPECT_EQ(one->Get("a").ValueOrDie()->worth, 0.25);
  ASSERT_TRUE(two->Drop("a").ok());
  EXPECT_TRUE(one->All().ValueOrDie().empty());
}

TEST_F(StoreIndexTest, TheAgeOnlyGrows) {
  bool fresh = false;
  const auto index = StoreIndex::Open(folder_.path() / "index.sqlite", fresh).ValueOrDie();
  ASSERT_TRUE(index->SetAge(2).ok());
  ASSERT_TRUE(index->SetAge(1).ok());
  EXPECT_EQ(index->Age().ValueOrDie(), 2);
}

}  // namespace
}  // namespace protium
