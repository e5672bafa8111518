// SPDX-License-Identifier: Apache-2.0
// Functions as tasks, within one process; local/map_task_test.cc runs them in workers.
#include "protium/functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "column/stream.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const SchemaPtr kInput =
    arrow::schema({arrow::field("shop", arrow::utf8()), arrow::field("n", arrow::int32())});
const SchemaPtr kOutput =
    arrow::schema({arrow::field("shop", arrow::utf8()), arrow::field("made", arrow::float64())});

// A partition in this process.
class Partition : public TaskContext {
 public:
  Partition(arrow::RecordBatchVector rows, SchemaPtr output, Columns groups = {})
      : input_(MakeStream(kInput, std::move(rows))),
        output_(std::move(output)),
        groups_(std::move(groups)) {}
  int32_t rank() const override { return 0; }
  int32_t world() const override { return 1; }
  int32_t attempt() const override { return 0; }
  const std::string& host() const override { return text_; }
  const std::vector<Device>& devices() const override { return devices_; }
  const std::string& config() const override { return text_; }
  const Columns& groups() const override { return groups_; }
  BatchStream& input() override { return *input_; }
  const SchemaPtr& output_schema() const override { return output_; }
  Status Emit(const arrow::RecordBatch& batch) override {
    emitted.push_back(batch.Slice(0));
    return Status::OK();
  }
  Result<Communicator*> communicator() override { return Status::Invalid("no gang"); }
  void Send(const Json&) override {}
  std::stop_token stop() const override { return {}; }

  arrow::RecordBatchVector emitted;

 private:
  BatchStreamPtr input_;
  SchemaPtr output_;
  Columns groups_;
  std::string text_;
  std::vector<Device> devices_;
};

// Shops by letter, "-" for NULL; n counts from 0, and 7 is NULL.
RowBatch Rows(const std::string& shops) {
  arrow::StringBuilder names;
  arrow::Int32Builder numbers;
  for (const char shop : shops) {
    EXPECT_TRUE((shop == '-' ? names.AppendNull() : names.Append(std::string(1, shop))).ok());
    const int32_t n = int32_t(numbers.length());
    EXPECT_TRUE((n == 7 ? numbers.AppendNull() : numbers.Append(n)).ok());
  }
  return arrow::RecordBatch::Make(kInput, int64_t(shops.size()),
                                  {names.Finish().ValueOrDie(), numbers.Finish().ValueOrDie()});
}

std::vector<std::string> Texts(const arrow::RecordBatchVector& batches, int column) {
  std::vector<std::string> texts;
  for (const auto& batch : batches) {
    for (int64_t i = 0; i < batch->num_rows(); ++i) {
      const auto cell = batch->column(column)->GetScalar(i).ValueOrDie();
      texts.push_back(cell->is_valid ? cell->ToString() : "-");
    }
  }
  return texts;
}

TEST(Functions, OfARowSkipNullsUnlessTheyTakeThem) {
  Partition plain({Rows("ab-cdefgh")}, kOutput);
  ASSERT_TRUE(EachRow("made", {"n"}, [](double n) { return n / 2; })(plain).ok());
  EXPECT_THAT(Texts(plain.emitted, 1),
              ElementsAre("0", "0.5", "1", "1.5", "2", "2.5", "3", "-", "4"));
  EXPECT_EQ(Texts(plain.emitted, 0)[2], "-");
  Partition taking({Rows("a-")}, kOutput);
  const auto length = [](std::optional<std::string_view> shop, int64_t n) -> std::optional<double> {
    if (!shop) return std::nullopt;
    return double(shop->size()) + double(n);
  };
  ASSERT_TRUE(EachRow("made", {"SHOP", "n"}, length)(taking).ok());
  EXPECT_THAT(Texts(taking.emitted, 1), ElementsAre("1", "-"));
}

TEST(Functions, OfARowMayFail) {
  Partition rows({Rows("ab")}, kOutput);
  const auto fails = [](int64_t n) -> Result<double> {
    if (n == 1) return Fail({.exit = Exit::kInput, .what = "one is too many"});
    return 0.0;
  };
  EXPECT_EQ(FaultOf(EachRow("made", {"n"}, fails)(rows)).what, "one is too many");
}

TEST(Functions, OfARowThatDoNotFitTheTable) {
  const auto what = [](const Task& task) {
    Partition rows({Rows("ab")}, kOutput);
    return FaultOf(task(rows)).what;
  };
  const auto twice = [](double n) { return 2 * n; };
  EXPECT_THAT(what(EachRow("made", {"shop"}, twice)),
              HasSubstr("\"shop\" as float64, and it is string"));
  EXPECT_THAT(what(EachRow("made", {"m"}, twice)), HasSubstr("reads column \"m\""));
  EXPECT_THAT(what(EachRow("made", {"n", "n"}, twice)), HasSubstr("1 parameters, and 2 columns"));
  EXPECT_THAT(what(EachRow("other", {"n"}, twice)), HasSubstr("has a column \"made\""));
  EXPECT_THAT(what(EachRow("made", {"n"}, [](int64_t n) { return n; })),
              HasSubstr("\"made\" of a task's output is float64, and int64 was made"));
}

TEST(Functions, OfABatchAreMadeOnce) {
  int made = 0;
  const Task task = EachBatch([&](TaskContext&) -> Result<BatchFunction> {
    ++made;
    return BatchFunction([](const RowBatch& rows) -> Result<RowBatch> {
      return rows->num_rows() == 2 ? nullptr : rows;
    });
  });
  Partition rows({Rows("ab"), Rows("cde"), Rows("f")}, kInput);
  ASSERT_TRUE(task(rows).ok());
  EXPECT_EQ(made, 1);
  EXPECT_THAT(Texts(rows.emitted, 0), ElementsAre("c", "d", "e", "f"));
  Partition wrong({Rows("a")}, kOutput);
  EXPECT_THAT(FaultOf(task(wrong)).what, HasSubstr("other columns than its output"));
}

TEST(Functions, OfAGroupSeeItWhole) {
  const auto count = [](const RowBatch& rows) -> Result<RowBatch> {
    arrow::DoubleBuilder size;
    PT_TRY(size.Append(double(rows->num_rows())));
    PT_LET(auto sizes, size.Finish());
    return arrow::RecordBatch::Make(kOutput, 1, {rows->column(0)->Slice(0, 1), sizes});
  };
  Partition rows({Rows("--a"), Rows("aa"), Rows("abc")}, kOutput, {"shop"});
  ASSERT_TRUE(EachGroup(count)(rows).ok());
  EXPECT_THAT(Texts(rows.emitted, 0), ElementsAre("-", "a", "b", "c"));
  EXPECT_THAT(Texts(rows.emitted, 1), ElementsAre("2", "4", "1", "1"));
  Partition ungrouped({Rows("a")}, kOutput);
  EXPECT_THAT(FaultOf(EachGroup(count)(ungrouped)).fix, HasSubstr("GroupBy"));
}

}  // namespace
}  // namespace protium
