// SPDX-License-Identifier: Apache-2.0
#include "inspect/first_job.h"

#include <arrow/type.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/fault.h"
#include "inspect/first_program.h"

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

struct Proposed {
  std::string toml, program;
  std::vector<std::string> notes;
};

Result<Proposed> Propose(TableProfile table, const std::string& label, Leaks leaks = {},
                         FirstEstimator estimator = FirstEstimator::kTrees) {
  FirstJobSpec spec{.name = "shop days", .data = ".", .label = label, .leaks = std::move(leaks)};
  spec.source = {.from = "\"shop days\"", .seen = std::move(table)};
  spec.source.tables.push_back({{"shop days", TypedPlace("shop days.csv")}, {}});
  PT_LET(JobOutline outline, OutlineOf(spec));
  outline.estimator = estimator;
  return Proposed{JobText(outline), ProgramText(outline), outline.notes};
}

Proposed ProposeNet(TableProfile table, const std::string& label) {
  return Propose(std::move(table), label, {}, FirstEstimator::kNet).ValueOrDie();
}

TEST(ProposeJob, LetsRareTextsShareAnIndex) {
  TableProfile table = Shop();
  EXPECT_THAT(Propose(table, "sold").ValueOrDie().toml, Not(HasSubstr("min_count")));
  table.columns[1].rare = 7;
  const Proposed proposed = Propose(table, "sold").ValueOrDie();
  EXPECT_THAT(proposed.toml, HasSubstr("min_count = 5 "));
  EXPECT_THAT(proposed.program, HasSubstr(".min_count = 5}"));
  table.rows = 400;
  EXPECT_THAT(Propose(table, "sold").ValueOrDie().toml, Not(HasSubstr("min_count")));
}

TEST(ProposeJob, GivesTreesNumbersAsTheyAre) {
  const Proposed job = Propose(Shop(), "sold").ValueOrDie();
  for (const char* part :
       {"inputs = [\"day\"]\nparts  = [\"month\", ", "id     = \"index\"\ninputs = [\"shop\"]\n",
        "kind   = \"tree_estimator\"\n", "categorical = [{ stage = \"index\" }]\n",
        "numeric = [\"Floor Size\", \"price\", \"order\", { stage = \"when\" }]\n",
        "loss   = \"mse\"",
        "early_stopping = { patience = ", "# For a net instead: protium init --estimator net\n"}) {
    EXPECT_THAT(job.toml, HasSubstr(part));
  }
  for (const char* part : {"imputer", "scaler", "epochs"}) {
    EXPECT_THAT(job.toml, Not(HasSubstr(part)));
  }
}

TEST(ProposeJob, SaysWhyItHasItsEstimator) {
  FirstJobSpec spec{.name = "shop", .data = ".", .label = "sold"};
  spec.source = {.from = "shop", .seen = Shop()};
  spec.source.tables.push_back({{"shop", TypedPlace("shop.csv")}, {}});
  JobOutline outline = OutlineOf(spec).ValueOrDie();
  outline.estimator = FirstEstimator::kNet;
  outline.why = "a net fits best: rmse 1.2, trees 1.3";
  EXPECT_THAT(JobText(outline), HasSubstr("# A net fits best: rmse 1.2, trees 1.3\n"
                                          "# For trees instead: protium init --estimator "));
  EXPECT_THAT(ProgramText(outline), HasSubstr("// A net fits best: rmse 1.2, trees 1.3\n// For "));
}

TEST(ProposeJob, GivesEachColumnWhatANetNeeds) {
  const Proposed job = ProposeNet(Shop(), "sold");
  for (const char* part :
       {"\"shop days\" = { csv = \"shop days.csv\" }",
        "SELECT shop, \"Floor Size\", CAST(price AS DOUBLE) AS price, \"order\", day, sold",
        "FROM \"shop days\"", "by   = [\"day\"]", "inputs = [\"day\"]\nparts  = [\"month\", ",
        "inputs = [\"shop\", { stage = \"when\" }]", "id     = \"fill\"\ninputs = [\"Floor Size\"]",
        "kind   = \"quantile_scaler\"\nid     = \"scale\"\n",
        "inputs = [\"price\", \"order\", { stage = \"fill\" }]", "name = \"huber\"",
        "net    = { name = \"tabm\", hidden = [64, 64] }", "schedule       = \"cosine\"",
        "epochs         = 38 ", "batch_size     = 128 ", "share = 0.2, by", "{ patience = 9 }",
        "# Left out: same is constant", "# Left out: note has 3,000 distinct values"}) {
    EXPECT_THAT(job.toml, HasSubstr(part));
  }
  EXPECT_LE(std::ranges::count(job.toml, '\n'), 72);
  EXPECT_EQ(job.notes[0], "predicts sold (regression); 5 rows without a label are left out");
}

TEST(ProposeJob, ChoosesTheTaskByTheLabel) {
  TableProfile table = Shop();
  const auto loss = [&](const ColumnProfile& label) {
    table.columns.back() = label;
    const std::string toml = Propose(table, "sold").ValueOrDie().toml;
    return toml.substr(toml.find("loss   = "), 40);
  };
  EXPECT_THAT(loss(Column("sold", arrow::boolean(), 2)), HasSubstr("\"binary_cross_entropy\""));
  EXPECT_THAT(loss(Column("sold", arrow::int64(), 2)), HasSubstr("\"binary_cross_entropy\""));
  EXPECT_THAT(loss(Column("sold", arrow::int64(), 7)), HasSubstr("= \"cross_entropy\""));
  EXPECT_THAT(loss(Column("sold", arrow::int64(), 11)), HasSubstr("\"mse\""));
  EXPECT_THAT(loss(Column("sold", arrow::float64(), 2)), HasSubstr("\"mse\""));
  EXPECT_THAT(loss(Column("sold", arrow::utf8(), 30)), HasSubstr("= \"cross_entropy\""));
}

TEST(ProposeJob, LeavesOutWhatIsTheLabelUnderAnotherName) {
  TableProfile table = Shop();
  table.columns[4].same_as = "sold";
  const std::string toml = Propose(table, "sold").ValueOrDie().toml;
  EXPECT_THAT(toml, HasSubstr("# Left out: order equals"));
  EXPECT_THAT(toml, Not(HasSubstr("\"order\"")));
}

TEST(ProposeJob, LeavesOutWhatTellsTheLabelUnlessThereIsNothingElse) {
  TableProfile table = Shop();
  const Leaks leaks = {{"shop", "gives sold away in every row: target leakage?"}};
  const std::string toml = Propose(table, "sold", leaks).ValueOrDie().toml;
  EXPECT_THAT(toml, HasSubstr("# Left out: shop gives sold away in every row"));
  EXPECT_THAT(toml, Not(HasSubstr("inputs = [\"shop\"")));
  table.columns = {table.columns[1], table.columns.back()};
  EXPECT_THAT(Propose(table, "sold", leaks).ValueOrDie().toml, HasSubstr("inputs = [\"shop\"]"));
}

TEST(ProposeJob, MakesNullsOfInfiniteNumbers) {
  TableProfile table = Shop();
  table.columns[3] = Column("price", arrow::float64(), 900);
  table.columns[3].greatest = "inf";
  const std::string toml = ProposeNet(table, "sold").toml;
  EXPECT_THAT(toml, HasSubstr("CASE WHEN abs(price) < CAST('Infinity' AS DOUBLE) THEN price END"));
  EXPECT_THAT(toml, HasSubstr("inputs = [\"Floor Size\", \"price\"]\nwith   = \"median\""));
}

// Of a quarter such as "1981 Q1" with four rows each, an index would know none.
TEST(ProposeJob, LeavesOutTextsOfRareValuesAlone) {
  TableProfile table{.rows = 508};
  table.columns = {Column("quarter", arrow::utf8(), 127), Column("origin", arrow::utf8(), 4),
                   Column("sold", arrow::float64(), 200)};
  table.columns[0].rare = 127;
  const std::string toml = Propose(table, "sold").ValueOrDie().toml;
  EXPECT_THAT(toml, HasSubstr("# Left out: quarter has 127 distinct values, nearly all in fewer "
                              "than 5 rows"));
  EXPECT_THAT(toml, HasSubstr("inputs = [\"origin\"]"));
}

TEST(ProposeJob, LeavesOutTextsOfWhichThereAreAFewRowsEach) {
  TableProfile table = Shop();
  table.rows = 400;
  table.columns = {Column("car", arrow::utf8(), 300), Column("make", arrow::utf8(), 30),
                   Column("sold", arrow::float64(), 200)};
  const std::string toml = Propose(table, "sold").ValueOrDie().toml;
  EXPECT_THAT(toml, HasSubstr("# Left out: car has 300 distinct values in 400 rows"));
  EXPECT_THAT(toml, HasSubstr("inputs = [\"make\"]"));
}

TEST(ProposeJob, ALinearModelOfASeriesHasNoTrend) {
  TableProfile table = Shop();
  table.columns = {Column("day", arrow::date32(), 3000), Column("riders", arrow::float64(), 2500)};
  table.columns[0].least = "2010-01-01";
  table.columns[0].greatest = "2018-03-19";
  FirstJobSpec spec{.name = "rides", .data = ".", .label = "riders"};
  spec.source = {.from = "rides", .seen = table};
  spec.source.tables.push_back({{"rides", TypedPlace("rides.csv")}, {}});
  spec.series = {.time = "day",
                 .step = "day",
                 .season = 7,
                 .horizon = 7,
                 .num_rows = 3000,
                 .first = "2010-01-01"};
  JobOutline outline = OutlineOf(spec).ValueOrDie();
  EXPECT_THAT(JobText(outline), HasSubstr("AS trend FROM __THIS__"));
  outline.estimator = FirstEstimator::kLinear;
  const std::string toml = JobText(outline);
  for (const char* part :
       {"net    = { name = \"linear\" }", "loss   = \"mae\"",
        "parts  = [\"month\", \"day_of_week\"]",
        "kind   = \"standard_scaler\"\nid     = \"scale\"\ninputs = [{ stage = \"fill\" }]",
        "baseline       = \"riders__ago__7\""}) {
    EXPECT_THAT(toml, HasSubstr(part));
  }
  for (const char* part : {"trend", "net.hidden", "\"year\""})
    EXPECT_THAT(toml, Not(HasSubstr(part)));
}

TEST(ProposeJob, ReadsTextsOfManyValuesByTheirMeanLabelOrTheirCount) {
  TableProfile table = Shop();
  table.rows = 50'000;
  table.columns = {Column("plane", arrow::utf8(), 3000), Column("airline", arrow::utf8(), 16),
                   Column("late", arrow::float64(), 2000), Column("why", arrow::utf8(), 4)};
  const auto write = [&](const char* label, bool many, FirstEstimator estimator) {
    FirstJobSpec spec{.name = "flights", .data = ".", .label = label};
    spec.source = {.from = "flights", .seen = table};
    spec.source.tables.push_back({{"flights", TypedPlace("flights.csv")}, {}});
    JobOutline outline = OutlineOf(spec).ValueOrDie();
    EXPECT_EQ(outline.columns.many.size(), 1U);
    outline.estimator = estimator;
    if (many) ReadManyValues(outline);
    return JobText(outline);
  };
  EXPECT_THAT(write("late", false, FirstEstimator::kTrees),
              HasSubstr("# Left out: plane has 3,000 distinct values"));
  const std::string mean = write("late", true, FirstEstimator::kTrees);
  EXPECT_THAT(mean, HasSubstr("kind   = \"target_encoder\"\nid     = \"often\"\n"
                              "inputs = [\"plane\"]\nlabel  = \"late\"\n"));
  EXPECT_THAT(mean, HasSubstr("numeric = [{ stage = \"often\" }]"));
  EXPECT_THAT(mean, HasSubstr("SELECT airline, why, plane, late"));
  EXPECT_THAT(mean, Not(HasSubstr("Left out")));
  const std::string net = write("why", true, FirstEstimator::kNet);
  EXPECT_THAT(net, HasSubstr("kind   = \"frequency_encoder\""));
  EXPECT_THAT(net, HasSubstr("inputs = [\"late\", { stage = \"often\" }]"));
}

TEST(ProposeJob, LeavesOutWhatTheModelWouldOverwrite) {
  TableProfile table = Shop();
  table.columns[4].name = "Prediction";
  const std::string toml = Propose(table, "sold").ValueOrDie().toml;
  EXPECT_THAT(toml, HasSubstr("# Left out: Prediction has the name of what the model adds"));
  EXPECT_THAT(toml, Not(HasSubstr("\"Prediction\"")));
}

TEST(ProposeJob, SplitsByAnIdWhereRowsAreEqualButForIt) {
  TableProfile table{.rows = 1316};
  table.columns = {Column("n", arrow::int64(), 1316), Column("class", arrow::utf8(), 3),
                   Column("sex", arrow::utf8(), 2), Column("survived", arrow::utf8(), 2)};
  const std::string toml = Propose(table, "survived").ValueOrDie().toml;
  EXPECT_THAT(toml, HasSubstr("SELECT class, sex, n, survived"));
  EXPECT_THAT(toml, HasSubstr("by   = [\"n\"]  # many rows differ only in this"));
  EXPECT_THAT(toml, HasSubstr("by = [\"n\"] }"));
  EXPECT_THAT(toml, Not(HasSubstr("inputs = [\"n\"")));
  table.columns.erase(table.columns.begin());
  const Proposed without = Propose(table, "survived").ValueOrDie();
  EXPECT_THAT(without.notes, testing::Contains(HasSubstr("most rows have duplicates")));
}

TEST(ProposeJob, HoldsOutTheLastFifthWhereRowsStandInTheirTime) {
  TableProfile table = Shop();
  table.columns[0].ascending = true;
  table.columns[0].last_fifth = "2015-03-01";
  const Proposed job = Propose(table, "sold").ValueOrDie();
  for (const char* part : {"by_time = \"day\" ", "share = 0.1, by_time = \"day\" }"}) {
    EXPECT_THAT(job.toml, HasSubstr(part));
  }
  EXPECT_THAT(job.program, HasSubstr("Split({.test = 0.2, .by_time = \"day\"})"));
  // Months that occur once do not help to predict the last fifth.
  EXPECT_THAT(job.toml, HasSubstr("parts  = [\"day_of_week\"]"));
  table.columns[0].least = "2013-05-01";
  table.columns[0].greatest = "2015-05-01";
  EXPECT_THAT(Propose(table, "sold").ValueOrDie().toml,
              HasSubstr("parts  = [\"month\", \"day_of_week\"]"));
  EXPECT_THAT(job.notes, testing::Contains("the test rows are the last 20% by day"));
  EXPECT_THAT(job.notes, Not(testing::Contains(HasSubstr("--time"))));
}

// Files are seldom in the order of their times.
TEST(ProposeJob, SaysHowToTestOnTheLatestRows) {
  TableProfile table = Shop();
  EXPECT_THAT(Propose(table, "sold").ValueOrDie().notes,
              testing::Contains("the test rows are from all times of day; --time day tests on the "
                                "latest rows instead"));
  table.columns[0].nulls = 1;
  EXPECT_THAT(Propose(table, "sold").ValueOrDie().notes,
              Not(testing::Contains(HasSubstr("--time"))));
}

TEST(ProposeJob, KeepsRowsAboutTheSameTogether) {
  TableProfile table = Shop();
  table.columns[0] = Column("patient_id", arrow::int64(), 1200);
  table.columns[1] = Column("ward_id", arrow::int64(), 40);
  const Proposed job = Propose(table, "sold").ValueOrDie();
  for (const char* part : {"# Left out: patient_id identifies what the rows are about: 4 rows each",
                           "by   = [\"patient_id\"]", "patient_id, sold\nFROM",
                           "id     = \"index\"\ninputs = [\"ward_id\"]"}) {
    EXPECT_THAT(job.toml, HasSubstr(part));
  }
}

TEST(ProposeJob, HasALineForClassesThatAreRare) {
  TableProfile table = Shop();
  table.columns.back() = Column("sold", arrow::utf8(), 2);
  table.columns.back().top = {{"no", 4700}, {"yes", 300}};
  const Proposed job = Propose(table, "sold").ValueOrDie();
  EXPECT_THAT(job.notes,
              testing::Contains(HasSubstr("\"yes\" is 6% of the rows: a comment in the job")));
  EXPECT_THAT(job.toml, HasSubstr("# loss = { name = \"binary_cross_entropy\", class_weights = "
                                  "\"balanced\" }\n"));
  table.columns.back().top = {{"no", 3000}, {"yes", 2000}};
  const Proposed even = Propose(table, "sold").ValueOrDie();
  EXPECT_THAT(even.toml, Not(HasSubstr("class_weights")));
  EXPECT_THAT(even.notes, Not(testing::Contains(HasSubstr("class_weights"))));
}

TEST(ProposeJob, CountsTheRareOnesOfManyClassesTogether) {
  TableProfile table = Shop();
  table.columns.back() = Column("sold", arrow::utf8(), 9);
  table.columns.back().top = {{"a", 1000}, {"b", 1000}, {"c", 1000}, {"d", 1000}, {"e", 950}};
  EXPECT_THAT(Propose(table, "sold").ValueOrDie().notes,
              testing::Contains(HasSubstr("the 4 least frequent classes are 1% of the rows")));
}

TEST(ProposeJob, WritesTheSameTreesAsAProgram) {
  const std::string program = Propose(Shop(), "sold").ValueOrDie().program;
  for (const char* part : {"pt::TreeEstimator(\n          {.trees = {.rounds = ",
                           ".categorical = pt::OutputsOf(\"index\"),\n",
                           ".numeric = pt::Columns{\"Floor Size\", \"price\", \"order\"} +\n"
                           "                      pt::OutputsOf(\"when\"),\n",
                           ".loss = pt::MeanSquaredError(),", ".early_stopping = {.patience = "}) {
    EXPECT_THAT(program, HasSubstr(part));
  }
  EXPECT_THAT(program, Not(HasSubstr("Scaler")));
}

TEST(ProposeJob, WritesTheSameNetAsAProgram) {
  const std::string program = ProposeNet(Shop(), "sold").program;
  for (const char* part :
       {"session.Table(\"shop days\", session.Read().Csv(data + \"/shop days.csv\"));",
        "Split({.by = {\"day\"}, .test = 0.2})", "{\"inputs\", {\"day\"}}",
        "{.id = \"fill\",\n           .inputs = {\"Floor Size\"}}),\n",
        "pt::Columns{\"price\", \"order\"} +\n                     pt::OutputsOf(\"fill\")",
        "pt::QuantileScaler(", "pt::Tabm({.hidden = {64, 64}})", ".schedule = pt::Cosine(),",
        ".label = \"sold\",", "pt::Huber({.delta = 1})", ".share = 0.2, .by = {\"day\"}"}) {
    EXPECT_THAT(program, HasSubstr(part));
  }
}

TEST(ProposeJob, RefusesWhatCannotBeLearned) {
  const auto refused = [](const TableProfile& table, const char* label) {
    return FaultOf(Propose(table, label).status());
  };
  EXPECT_EQ(refused(Shop(), "solld").fix, "did you mean \"sold\"?");
  EXPECT_THAT(refused(Shop(), "same").what, HasSubstr("the same value in every row"));
  EXPECT_THAT(refused(Shop(), "note").what, HasSubstr("3,000 distinct values"));
  EXPECT_THAT(refused(Shop(), "day").what, HasSubstr("of type date"));
  TableProfile alone{.rows = 30};
  alone.columns = {Column("sold", arrow::float64(), 30)};
  EXPECT_THAT(refused(alone, "sold").what, HasSubstr("no column to predict \"sold\" from"));
}

}  // namespace
}  // namespace protium
