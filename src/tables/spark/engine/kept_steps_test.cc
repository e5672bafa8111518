// SPDX-License-Identifier: Apache-2.0
#include "spark/engine/kept_steps.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "column/schema.h"

namespace protium {
namespace {

class KeptSteps : public testing::Test {
 protected:
  static SchemaPtr Files() {
    return arrow::schema({arrow::field("day", arrow::int64(), false),
                          arrow::field("x", arrow::float64()),
                          arrow::field("pt_cut_0", arrow::boolean(), false),
                          arrow::field("pt_cut_1", arrow::boolean(), false)});
  }

  // Days 0 to 3; the first two are on the part's side of the first cut, the even ones on that of
  // the second.
  static std::shared_ptr<arrow::RecordBatch> Lying() {
    arrow::Int64Builder day;
    arrow::DoubleBuilder x;
    arrow::BooleanBuilder first, second;
    for (int64_t i = 0; i < 4; ++i) {
      EXPECT_TRUE(day.Append(i).ok() && x.Append(double(i) / 2).ok());
      EXPECT_TRUE(first.Append(i < 2).ok() && second.Append(i % 2 == 0).ok());
    }
    return arrow::RecordBatch::Make(Files(), 4,
                                    {day.Finish().ValueOrDie(), x.Finish().ValueOrDie(),
                                     first.Finish().ValueOrDie(), second.Finish().ValueOrDie()});
  }

  // Returns the columns that the steps of `plan` give, and the first of its rows; or "no".
  std::string Made(const Plan& plan, const arrow::FieldVector& wanted) {
    EXPECT_EQ(FindSource(plan), kept_.get());
    const auto steps = StepsFrom(kept_.get(), rows_, Files(), plan, *arrow::schema(wanted));
    if (!steps) return "no";
    const auto batch = steps->Apply(Lying()).ValueOrDie();
    std::string text = Describe(*batch->schema()) + ":";
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      text += " " + batch->column(0)->GetScalar(i).ValueOrDie()->ToString();
    }
    return text;
  }

  const Plan kept_ = MakePlan(Materialize{"etl"}, {MakePlan(Sql{"SELECT 1"})});
  const KeptRows rows_{.table = {},
                       .columns = {"day", "x"},
                       .marks = {{{"day"}, 0.2, 7, "pt_cut_0"}, {{"day"}, 0.1, 8, "pt_cut_1"}}};
  const arrow::FieldVector table_ = {arrow::field("day", arrow::int64()),
                                     arrow::field("x", arrow::float64())};
};

TEST_F(KeptSteps, ReadTheSidesOfCutsAndHideTheirColumns) {
  EXPECT_EQ(Made(kept_, table_), "day int64, x float64: 0 1 2 3");
  const Plan train = MakePlan(Split{.by = {"day"}, .part = 0.2, .seed = 7}, {kept_});
  EXPECT_EQ(Made(train, table_), "day int64, x float64: 2 3");
  const Plan test =
      MakePlan(Split{.by = {"day"}, .part = 0.2, .seed = 7, .side = Split::Side::kPart}, {kept_});
  EXPECT_EQ(Made(test, table_), "day int64, x float64: 0 1");
  const Plan marked =
      MakePlan(MarkSplit{.by = {"day"}, .part = 0.1, .seed = 8, .column = "held"}, {train});
  const Plan learning = MakePlan(Filter{!Col("held")}, {marked});
  auto with = table_;
  with.push_back(arrow::field("held", arrow::boolean(), false));
  EXPECT_EQ(Made(learning, with), "day int64, x float64, held bool: 3");
}

// Days 0 and 1 are on the part's side of this cut.
TEST_F(KeptSteps, MakeCutsThatRowsDoNotCarry) {
  const Split cut{.by = {"day"}, .part = 0.5, .seed = 9};
  EXPECT_EQ(Made(MakePlan(cut, {kept_}), table_), "day int64, x float64: 2 3");
  auto with = table_;
  with.push_back(arrow::field("held", arrow::boolean(), false));
  const Plan train = MakePlan(Split{.by = {"day"}, .part = 0.2, .seed = 7}, {kept_});
  const Plan held = MakePlan(
      Filter{!Col("held")},
      {MakePlan(MarkSplit{.by = cut.by, .part = cut.part, .seed = cut.seed, .column = "held"},
                {train})});
  EXPECT_EQ(Made(held, with), "day int64, x float64, held bool: 2 3");
}

TEST_F(KeptSteps, LeaveMarksOnlyOfCutsBeyondThem) {
  const Plan by_day = MakePlan(Split{.by = {"day"}, .part = 0.5, .seed = 9}, {kept_});
  const Plan by_x = MakePlan(Split{.by = {"x"}, .part = 0.5, .seed = 9}, {by_day});
  const auto marks = CutsToMark(by_x, kept_.get(), arrow::schema(table_));
  ASSERT_EQ(marks.size(), 1u);
  EXPECT_EQ(marks[0].by, Columns{"x"});
}

TEST_F(KeptSteps, LeaveToSparkWhatOnlySparkKnows) {
  const Plan other = MakePlan(Split{.by = {"x"}, .part = 0.2, .seed = 9}, {kept_});
  EXPECT_EQ(Made(other, table_), "no");
  const Plan sum = MakePlan(Project{{{"x", Col("day") + Lit(int64_t{1})}}}, {kept_});
  EXPECT_EQ(Made(sum, {arrow::field("x", arrow::int64())}), "no");
  const Plan real = MakePlan(Project{{{"day", MakeCall("cast_double", {Col("day")})}}}, {kept_});
  EXPECT_EQ(Made(real, {arrow::field("day", arrow::int64())}), "no");
  EXPECT_EQ(Made(real, {arrow::field("day", arrow::float64())}), "day float64: 0 1 2 3");
  EXPECT_EQ(FindSource(MakePlan(Limit{3}, {kept_})), nullptr);
  const auto lists = arrow::schema({arrow::field("l", arrow::list(arrow::int64()))});
  EXPECT_FALSE(StepsFrom(kept_.get(), {}, lists, kept_, *lists));
}

}  // namespace
}  // namespace protium
