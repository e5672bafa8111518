// SPDX-License-Identifier: Apache-2.0
#include "engine/kind.h"

#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

TEST(EngineKinds, AreKnownByTheirAddresses) {
  EXPECT_STREQ(KindOf("sc://h:15002").name, "spark");
  EXPECT_STREQ(KindOf("local[2]").name, "local");
  EXPECT_TRUE(KindOf("locl").runs_here);
  EXPECT_FALSE(KindOf("sc://h").runs_here);
}

TEST(EngineSettings, AreCompleteAndReadByTheEnginesOwnFields) {
  std::vector<EngineSettings> all = DefaultEngineSettings();
  ASSERT_EQ(all.size(), 1u);
  ASSERT_TRUE(FromJson({{"rows", "files"}}, "engine.spark", all[0]).ok());
  EXPECT_EQ(SettingsFor("sc://h", all)["rows"], "files");
  EXPECT_EQ(SettingsFor("sc://h", all)["executors"]["gpus"], 0);
  EXPECT_TRUE(SettingsFor("local", all).empty());
}

TEST(EngineSettings, RefuseAKeyByItsPlace) {
  EngineSettings settings = DefaultEngineSettings()[0];
  const Fault fault = FaultOf(FromJson({{"row", "files"}}, "engine.spark", settings));
  EXPECT_EQ(fault.where, "engine.spark.row");
  EXPECT_NE(fault.fix.find("\"rows\""), std::string::npos) << fault.fix;
}

}  // namespace
}  // namespace protium
