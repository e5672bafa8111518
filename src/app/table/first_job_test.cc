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

TEST(ProposeJob, LeavesOutWhatTellsTheLabelUnlessThereIsNothingElse) {
  TableProfile table = Shop();
  FirstJobSpec spec = Spec("sold");
  spec.tellers = {{"shop", "tells sold in every row: known only afterwards?"}};
  const std::string toml = ProposeJob(table, spec).ValueOrDie().toml;
  EXPECT_THAT(toml, HasSubstr("# Left out: shop tells sold in every row"));
  EXPECT_THAT(toml, Not(HasSubstr("inputs = [\"shop\"")));
  table.columns = {table.columns[1], table.columns.back()};
  EXPECT_THAT(ProposeJob(table, spec).ValueOrDie().toml, HasSubstr("inputs = [\"shop\"]"));
}

TEST(ProposeJob, MakesNullsOfInfiniteNumbersAndSaysHowToReadDates) {
  TableProfile table = Shop();
  table.columns[3] = Column("price", arrow::float64(), 900);
  table.columns[3].greatest = "inf";
  table.columns[5].least = "2012/01/01";
  table.columns[5].greatest = "2015/12/31";
  const std::string toml = ProposeJob(table, Spec("sold")).ValueOrDie().toml;
  EXPECT_THAT(toml, HasSubstr("CASE WHEN abs(price) < CAST('Infinity' AS DOUBLE) THEN price END"));
  EXPECT_THAT(toml, HasSubstr("inputs = [\"Floor Size\", \"price\"]\nwith   = \"median\""));
  EXPECT_THAT(
      toml,
      HasSubstr("note is text with dates: write CAST(REPLACE(note, '/', '-') AS DATE) AS note"));
}

TEST(ProposeJob, LeavesOutTextsOfWhichThereAreAFewRowsEach) {
  TableProfile table = Shop();
  table.rows = 400;
  table.columns = {Column("car", arrow::utf8(), 300), Column("make", arrow::utf8(), 30),
                   Column("sold", arrow::float64(), 200)};
  const std::string toml = ProposeJob(table, Spec("sold")).ValueOrDie().toml;
  EXPECT_THAT(toml, HasSubstr("# Left out: car has 300 different texts in 400 rows"));
  EXPECT_THAT(toml, HasSubstr("inputs = [\"make\"]"));
}

TEST(ProposeJob, LeavesOutWhatTheModelWouldOverwrite) {
  TableProfile table = Shop();
  table.columns[4].name = "Prediction";
  const std::string toml = ProposeJob(table, Spec("sold")).ValueOrDie().toml;
  EXPECT_THAT(toml, HasSubstr("# Left out: Prediction has the name of what the model adds"));
  EXPECT_THAT(toml, Not(HasSubstr("\"Prediction\"")));
}

TEST(ProposeJob, SplitsByAnIdWhereRowsAreEqualButForIt) {
  TableProfile table{.rows = 1316};
  table.columns = {Column("n", arrow::int64(), 1316), Column("class", arrow::utf8(), 3),
                   Column("sex", arrow::utf8(), 2), Column("survived", arrow::utf8(), 2)};
  const std::string toml = ProposeJob(table, Spec("survived")).ValueOrDie().toml;
  EXPECT_THAT(toml, HasSubstr("SELECT class, sex, n, survived"));
  EXPECT_THAT(toml, HasSubstr("by   = [\"n\"]  # many rows are equal but for this"));
  EXPECT_THAT(toml, HasSubstr("by = [\"n\"] }"));
  EXPECT_THAT(toml, Not(HasSubstr("inputs = [\"n\"")));
  table.columns.erase(table.columns.begin());
  const FirstJob without = ProposeJob(table, Spec("survived")).ValueOrDie();
  EXPECT_THAT(without.notes, testing::Contains(HasSubstr("most rows are equal to others")));
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
