// SPDX-License-Identifier: Apache-2.0
#include "engine/result_columns.h"

#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

TEST(ConvertedColumns, ListsAllWhereOneIsConverted) {
  EXPECT_EQ(ConvertedColumns({{"a", "`a`", ""}, {"b", "`b`", "CAST({} AS DOUBLE)"}}).ValueOrDie(),
            "`a`, CAST(`b` AS DOUBLE) AS `b`");
}

TEST(ConvertedColumns, IsEmptyWhereTablesCarryAllTypes) {
  EXPECT_EQ(ConvertedColumns({{"a", "`a`", ""}, {"b", "`b`", ""}}).ValueOrDie(), "");
  EXPECT_EQ(ConvertedColumns({}).ValueOrDie(), "");
}

TEST(ConvertedColumns, RefusesTwoOfOneName) {
  const Fault fault = FaultOf(ConvertedColumns({{"a", "`a`", ""}, {"a", "`a`", ""}}).status());
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_EQ(fault.what, "two columns of the result are named \"a\"");
  EXPECT_EQ(fault.fix, "rename one: ... AS other_name");
}

}  // namespace
}  // namespace protium
