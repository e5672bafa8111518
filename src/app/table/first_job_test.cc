// SPDX-License-Identifier: Apache-2.0
#include "app/table/first_job.h"

#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/fault.h"

namespace protium {
namespace {

using testing::HasSubstr;
using testing::Not;

ColumnProfile Column(const std::string& name, std::shared_ptr<arrow::DataType> type,
                     int64_t distinct, int64_t nulls = 0) {
  ColumnProfile column;
  column.name = name;
  column.type = std::move(type);
  column.distinct = distinct;
  column.nulls = nulls;
  return column;
}

TableProfile Shop() {
  TableProfile table{.rows = 5000};
  table.columns = {Column("day", arrow::date32(), 300),
                   Column("shop", arrow::utf8(), 40),
                   Column("Floor Size", arrow::float64(), 4000, 12),
                   Column("price", arrow::decimal128(10, 2), 900),
                   Column("order", arrow::int64(), 700),
                   Column("note", arrow::utf8(), 3000),
                   Column("same", arrow::int64(), 1),
                   Column("sold", arrow::float64(), 2000, 5)};
  return table;
}

FirstJobSpec Spec(const std::string& label) {
  return {.name = "shop days", .data = ".", .file = "shop days.csv", .label = label};
}

TEST(ProposeJob, GivesEachColumnWhatItsTypeNeeds) {
  const FirstJob job = ProposeJob(Shop(), Spec("sold")).ValueOrDie();
  for (const char* part :
       {"\"shop days\" = { csv = \"shop days.csv\" }",
        "SELECT shop, \"Floor Size\", CAST(price AS DOUBLE) AS price, \"order\", day, sold",
        "FROM \"shop days\"", "by   = [\"day\"]", "inputs = [\"day\"]\nparts  = [\"month\", ",
        "inputs = [\"shop\", { stage = \"when\" }]", "id     = \"fill\"\ninputs = [\"Floor Size\"]",
        "inputs = [\"price\", \"order\", { stage = \"fill\" }]", "name = \"huber\"",
        "# Left out: same is constant", "# Left out: note has 3,000 different texts"}) {
    EXPECT_THAT(job.toml, HasSubstr(part));
  }
  EXPECT_LE(std::ranges::count(job.toml, '\n'), 60);
  EXPECT_EQ(job.notes[0], "sold is learned as a number; 5 rows without it are left out");
}

TEST(ProposeJob, ChoosesTheTaskByTheLabel) {
  TableProfile table = Shop();
  const auto loss = [&](const ColumnProfile& label) {
    table.columns.back() = label;
    const std::string toml = ProposeJob(table, Spec("sold")).ValueOrDie().toml;
    return toml.substr(toml.find("loss   = "), 40);
  };
  EXPECT_THAT(loss(Column("sold", arrow::boolean(), 2)), HasSubstr("\"binary_cross_entropy\""));
  EXPECT_THAT(loss(Column("sold", arrow::int64(), 2)), HasSubstr("\"binary_cross_entropy\""));
  EXPECT_THAT(loss(Column("sold", arrow::int64(), 7)), HasSubstr("= \"cross_entropy\""));
  EXPECT_THAT(loss(Column("sold", arrow::int64(), 11)), HasSubstr("huber"));
  EXPECT_THAT(loss(Column("sold", arrow::float64(), 2)), HasSubstr("huber"));
  EXPECT_THAT(loss(Column("sold", arrow::utf8(), 30)), HasSubstr("= \"cross_entropy\""));
}

TEST(ProposeJob, LeavesOutWhatIsTheLabelUnderAnotherName) {
  TableProfile table = Shop();
  table.columns[4].same_as = "sold";
  const std::string toml = ProposeJob(table, Spec("sold")).ValueOrDie().toml;
  EXPECT_THAT(toml, HasSubstr("# Left out: order equals"));
  EXPECT_THAT(toml, Not(HasSubstr("\"order\"")));
}

TEST(ProposeJob, LeavesOutWhatTheModelWouldOverwrite) {
  TableProfile table = Shop();
  table.columns[4].name = "Prediction";
  const std::string toml = ProposeJob(table, Spec("sold")).ValueOrDie().toml;
  EXPECT_THAT(toml, HasSubstr("# Left out: Prediction has the name of what the model adds"));
  EXPECT_THAT(toml, Not(HasSubstr("\"Prediction\"")));
}

TEST(ProposeJob, RefusesWhatCannotBeLearned) {
  const auto refused = [](const TableProfile& table, const char* label) {
    return FaultOf(ProposeJob(table, Spec(label)).status());
  };
  EXPECT_EQ(refused(Shop(), "solld").fix, "did you mean \"sold\"?");
  EXPECT_THAT(refused(Shop(), "same").what, HasSubstr("the same value in every row"));
  EXPECT_THAT(refused(Shop(), "note").what, HasSubstr("3,000 different texts"));
  EXPECT_THAT(refused(Shop(), "day").what, HasSubstr("of type date"));
  TableProfile alone{.rows = 30};
  alone.columns = {Column("sold", arrow::float64(), 30)};
  EXPECT_THAT(refused(alone, "sold").what, HasSubstr("no column to learn \"sold\" from"));
}

}  // namespace
}  // namespace protium
