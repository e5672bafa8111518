// SPDX-License-Identifier: Apache-2.0
#include "job/model_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

using testing::HasSubstr;

TEST(TableBelow, LiesInTheFolderThatTheUserGave) {
  EXPECT_EQ(TableBelow("new", "flights", {.csv = "flights.csv"}).ValueOrDie(), "new/flights.csv");
  EXPECT_EQ(TableBelow("new", "x", {.parquet = "a/../2013-*.parquet"}).ValueOrDie(),
            "new/2013-*.parquet");
}

TEST(TableBelow, RefusesWhatLeadsElsewhere) {
  for (const char* path : {"/etc/passwd", "../secret.csv", "a/../../secret.csv", "..", ""}) {
    const Fault fault = FaultOf(TableBelow("new", "flights", {.csv = path}).status());
    EXPECT_EQ(fault.exit, Exit::kInput) << path;
    EXPECT_THAT(fault.what, HasSubstr("\"flights\"")) << path;
    EXPECT_THAT(fault.fix, HasSubstr("--input FILE")) << path;
  }
  EXPECT_FALSE(TableBelow("new", "x", {.parquet = "/data/x.parquet"}).ok());
}

}  // namespace
}  // namespace protium
