// SPDX-License-Identifier: Apache-2.0
#include "deep/choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "learn/catalogue.h"

namespace protium {
namespace {

TEST(Choices, AreAllThatTheCatalogueLists) {
  const Catalogue catalogue = BuiltInCatalogue();
  for (const LossRow& row : catalogue.losses) {
    EXPECT_TRUE(MakeLoss({row.name}, {}).ok()) << row.name;
  }
  for (const CatalogueRow& row : catalogue.optimizers) {
    EXPECT_TRUE(ParseOptimizer({row.name}).ok()) << row.name;
  }
}

TEST(Choices, OfAnUnknownNameAreRefusedWithTheNearest) {
  const Fault loss = FaultOf(MakeLoss({"hubber"}, {}).status());
  EXPECT_EQ(loss.what, "unknown loss \"hubber\"");
  EXPECT_THAT(loss.fix, testing::HasSubstr("huber"));
  EXPECT_THAT(FaultOf(ParseOptimizer({"adamm"}).status()).fix, testing::HasSubstr("adam"));
}

}  // namespace
}  // namespace protium
