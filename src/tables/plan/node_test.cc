// SPDX-License-Identifier: Apache-2.0
#include "plan/node.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

Plan Flights() {
  return MakePlan(Scan{.table = "flights",
                       .paths = {"flights.csv"},
                       .schema = arrow::schema({arrow::field("hour", arrow::int64())})});
}

TEST(Plan, ReportsTheFirstBrokenBelow) {
  const Plan broken = MakePlan(Broken{Status::Invalid("no such table")});
  const Plan plan =
      MakePlan(Sql{"SELECT 1", {"a", "b"}}, {Flights(), MakePlan(Limit{3}, {broken})});
  EXPECT_EQ(FirstError(plan).message(), "no such table");
  EXPECT_TRUE(FirstError(Flights()).ok());
  EXPECT_FALSE(FirstError(nullptr).ok());
}

TEST(Plan, DeepSharingStaysCheap) {
  Plan plan = Flights();
  for (int i = 0; i < 200; ++i) plan = MakePlan(Sql{"SELECT 1", {"a", "b"}}, {plan, plan});
  EXPECT_TRUE(FirstError(plan).ok());
  EXPECT_LT(Explain(plan).size(), 100000u);
}

TEST(Plan, DrawsItsTree) {
  const Plan etl =
      MakePlan(Materialize{"etl"}, {MakePlan(Sql{"SELECT 1", {"flights"}}, {Flights()})});
  const Plan test = MakePlan(Split{.by = {"day"}, .side = Split::Side::kPart}, {etl});
  const Plan plan =
      MakePlan(Write{.path = "out.parquet"},
               {MakePlan(MapTask{.task = "score"},
                         {MakePlan(Filter{Col("hour") < Lit(int64_t{6})}, {test}), etl})});
  EXPECT_EQ(Explain(plan),
            "write parquet out.parquet\n"
            "  map_task score\n"
            "    filter (hour < 6)\n"
            "      split the part of 0.2 by day (seed 0)\n"
            "        materialize etl\n"
            "          sql over flights\n"
            "            scan flights csv [flights.csv]: hour int64\n"
            "    materialize etl (as above)\n");
}

TEST(Plan, NamesTheFilesOfTheUserAndNotTheFormatOfTheirCopies) {
  const Plan plan = MakePlan(Scan{.table = "homes",
                                  .format = Format::kParquet,
                                  .paths = {"run/tables/homes.parquet"},
                                  .brought_from = {"homes.csv"},
                                  .schema = arrow::schema({arrow::field("zip", arrow::utf8())})});
  EXPECT_EQ(Explain(plan), "scan homes [homes.csv]: zip string\n");
}

}  // namespace
}  // namespace protium
