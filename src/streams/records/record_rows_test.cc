// SPDX-License-Identifier: Apache-2.0
#include "records/record_rows.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

using testing::HasSubstr;

RecordRows Rows(arrow::FieldVector fields) {
  return RecordRows::Make(EventColumns(*arrow::schema(std::move(fields)))).ValueOrDie();
}

std::string WhyNot(const Status& status) { return FaultOf(status).what; }

}  // namespace

TEST(RecordRows, HaveTheTypesOfTables) {
  RecordRows rows =
      Rows({arrow::field("n", arrow::int32()), arrow::field("x", arrow::float32()),
            arrow::field("ok", arrow::boolean()), arrow::field("day", arrow::date32()),
            arrow::field("at", arrow::timestamp(arrow::TimeUnit::MICRO)),
            arrow::field("s", arrow::utf8()), arrow::field("v", arrow::list(arrow::float64()))});
  EXPECT_EQ(*rows.AddObject(R"({"s": "a\nb", "n": 7, "x": 1e3, "ok": true, "day": "2026-11-01",
      "at": "2026-11-01T10:00", "v": [1, null, 2.5], "other": {"deep": [1]}})"),
            "other");
  EXPECT_EQ(*rows.AddObject("{}"), "");
  const auto batch = *rows.Finish();
  ASSERT_TRUE(batch->ValidateFull().ok());
  ASSERT_EQ(batch->num_rows(), 2);
  EXPECT_EQ(batch->column(0)->ToString(), "[\n  7,\n  null\n]");
  EXPECT_EQ(batch->GetColumnByName("s")->GetScalar(0).ValueOrDie()->ToString(), "a\nb");
  EXPECT_EQ(batch->GetColumnByName("day")->GetScalar(0).ValueOrDie()->ToString(), "2026-11-01");
  for (int i = 0; i < batch->num_columns(); ++i) EXPECT_TRUE(batch->column(i)->IsNull(1));
  EXPECT_EQ(rows.rows(), 0);
}

TEST(RecordRows, RefuseAnEventByItself) {
  RecordRows rows =
      Rows({arrow::field("n", arrow::int64()), arrow::field("v", arrow::list(arrow::int64()))});
  const std::pair<const char*, const char*> bad[] = {
      {R"([1])", "not an object"},
      {R"({"n": 7)", "not valid JSON"},
      {R"({"n": 7} 8)", "not valid JSON"},
      {R"({"n": 7, "n": 8})", "\"n\" twice"},
      {R"({"v": [1], "n": "x"})", "column \"n\" holds"},
      {R"({"n": 1.5})", "column \"n\" holds"},
      {R"({"n": 1, "v": [1, "x"]})", "column \"v\" holds"},
      {R"({"n": 1, "v": 3})", "not a list"},
      {R"({"n": {"a": 1}})", "column \"n\" holds"},
      {"", "not an object"}};
  for (const auto& [text, why] : bad) {
    ASSERT_TRUE(rows.AddObject(R"({"n": 1, "v": [2]})").ok());
    const auto refused = rows.AddObject(text);
    ASSERT_FALSE(refused.ok()) << text;
    EXPECT_EQ(FaultOf(refused.status()).exit, Exit::kInput);
    EXPECT_THAT(WhyNot(refused.status()), HasSubstr(why)) << text;
  }
  const auto batch = *rows.Finish();
  EXPECT_EQ(batch->num_rows(), int64_t(std::size(bad)));
  EXPECT_TRUE(batch->ValidateFull().ok());
  EXPECT_EQ(batch->column(0)->null_count(), 0);
}

TEST(RecordRows, TakeCells) {
  RecordRows rows = Rows({arrow::field("n", arrow::int64()), arrow::field("s", arrow::utf8())});
  using Cells = std::vector<std::optional<std::string_view>>;
  EXPECT_TRUE(rows.AddCells(Cells{"7", "x"}).ok());
  EXPECT_TRUE(rows.AddCells(Cells{std::nullopt, "7"}).ok());
  EXPECT_THAT(WhyNot(rows.AddCells(Cells{"seven", "y"})), HasSubstr("\"seven\""));
  const auto batch = *rows.Finish();
  EXPECT_EQ(batch->num_rows(), 2);
  EXPECT_TRUE(batch->column(0)->IsNull(1));
}

}  // namespace protium
