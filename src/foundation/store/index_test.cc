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
  ASSERT_TRUE(two->Drop("a").ok());
  EXPECT_TRUE(one->All().ValueOrDie().empty());
}

TEST_F(StoreIndexTest, UsesAreWrittenSomeAtATimeAndNoneIsForgotten) {
  const auto file = folder_.path() / "index.sqlite";
  bool fresh = false;
  auto one = StoreIndex::Open(file, fresh).ValueOrDie();
  const auto other = StoreIndex::Open(file, fresh).ValueOrDie();
  const auto uses = [&](StoreIndex& index) { return index.Get("a").ValueOrDie()->uses; };
  ASSERT_TRUE(one->Put({.cause = "a", .kind = "table", .content = "c", .uses = 1}).ok());
  ASSERT_TRUE(one->CountUse("a", 0.25).ok());
  EXPECT_EQ(one->Look("a").ValueOrDie().row->uses, 2);
  EXPECT_EQ(uses(*other), 1) << "not written yet";
  EXPECT_EQ(uses(*one), 2);
  EXPECT_EQ(uses(*other), 2);
  EXPECT_EQ(other->Get("a").ValueOrDie()->worth, 0.25);

  ASSERT_TRUE(other->CountUse("a", 0.5).ok());
  for (int i = 0; i < 64; ++i) ASSERT_TRUE(one->CountUse(i == 0 ? "a" : std::to_string(i), 1).ok());
  EXPECT_EQ(uses(*other), 4) << "both counted";
  ASSERT_TRUE(one->CountUse("a", 2).ok());
  one.reset();
  EXPECT_EQ(uses(*other), 5);
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
