// SPDX-License-Identifier: Apache-2.0
#include "column/claims.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

using testing::HasSubstr;

constexpr int64_t kBomb = int64_t{1} << 40;

std::shared_ptr<arrow::RecordBatch> RowsOf(const arrow::ArrayVector& columns) {
  arrow::FieldVector fields;
  for (const auto& each : columns) {
    fields.push_back(arrow::field("c" + std::to_string(fields.size()), each->type()));
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), columns.front()->length(), columns);
}

std::string Refusal(const arrow::ArrayVector& columns,
                    int64_t at_once = std::numeric_limits<int64_t>::max()) {
  const auto batch = RowsOf(columns);
  EXPECT_TRUE(batch->ValidateFull().ok());
  const Status status = CheckClaims(*batch, at_once);
  if (status.ok()) return "";
  EXPECT_EQ(FaultOf(status).exit, Exit::kInput);
  return Render(FaultOf(status));
}

std::shared_ptr<arrow::Array> Made(const std::shared_ptr<arrow::DataType>& type, int64_t length,
                                   std::vector<std::shared_ptr<arrow::Buffer>> buffers,
                                   std::vector<std::shared_ptr<arrow::ArrayData>> children = {}) {
  return arrow::MakeArray(
      arrow::ArrayData::Make(type, length, std::move(buffers), std::move(children), 0));
}

std::shared_ptr<arrow::Array> Nulls(int64_t rows) {
  return std::make_shared<arrow::NullArray>(rows);
}

template <class Value>
std::shared_ptr<arrow::Buffer> Values(std::vector<Value> values) {
  return arrow::Buffer::FromVector(std::move(values));
}

std::shared_ptr<arrow::Array> OneText(size_t bytes) {
  arrow::StringBuilder texts;
  EXPECT_TRUE(texts.Append(std::string(bytes, 'x')).ok());
  return *texts.Finish();
}

std::shared_ptr<arrow::Array> Dictionary(int64_t rows, size_t bytes) {
  const auto indices = *arrow::MakeArrayFromScalar(arrow::Int8Scalar(0), rows);
  return *arrow::DictionaryArray::FromArrays(indices, OneText(bytes));
}

TEST(Claims, RefusesNullsThatNoByteStandsBehind) {
  EXPECT_THAT(Refusal({Nulls(kBomb)}),
              HasSubstr("column \"c0\" has 1099511627776 cells without content, and the batch "
                        "holds only 0 bytes"));
  EXPECT_EQ(Refusal({Nulls(kFreeCells)}), "");
  // Columns are added up.
  EXPECT_THAT(Refusal({Nulls(kFreeCells), Nulls(kFreeCells)}), HasSubstr("\"c1\""));
}

TEST(Claims, GrowWithTheBytesThatAreHeld) {
  const auto numbers = *arrow::MakeArrayFromScalar(arrow::Int32Scalar(7), 1 << 20);
  arrow::ArrayVector columns(100, Nulls(1 << 20));
  EXPECT_THAT(Refusal(columns), HasSubstr("cells without content"));
  columns.push_back(numbers);
  EXPECT_EQ(Refusal(columns), "");
}

TEST(Claims, RefusesEveryTypeWithoutBytesOfItsOwn) {
  const auto empty = Values<uint8_t>({0});
  EXPECT_NE(Refusal({Made(arrow::struct_(arrow::FieldVector{}), kBomb, {nullptr})}), "");
  EXPECT_NE(Refusal({Made(arrow::fixed_size_binary(0), kBomb, {nullptr, empty})}), "");
  EXPECT_NE(Refusal({Made(arrow::fixed_size_list(arrow::int64(), 0), kBomb, {nullptr},
                          {Made(arrow::int64(), 0, {nullptr, empty})->data()})}),
            "");
  EXPECT_NE(Refusal({Made(arrow::fixed_size_list(arrow::null(), 1 << 30), 1 << 10, {nullptr},
                          {Nulls(kBomb)->data()})}),
            "");
  EXPECT_NE(Refusal({Made(arrow::list(arrow::null()), 1, {nullptr, Values<int32_t>({0, 1 << 30})},
                          {Nulls(1 << 30)->data()})}),
            "");
  EXPECT_NE(Refusal({Made(arrow::run_end_encoded(arrow::int64(), arrow::int8()), kBomb, {nullptr},
                          {Made(arrow::int64(), 1, {nullptr, Values<int64_t>({kBomb})})->data(),
                           Made(arrow::int8(), 1, {nullptr, Values<int8_t>({1})})->data()})}),
            "");
}

TEST(Claims, RefusesRowsOfNoColumns) {
  const auto batch = arrow::RecordBatch::Make(arrow::schema({}), kBomb, arrow::ArrayVector{});
  EXPECT_THAT(Render(FaultOf(CheckClaims(*batch))), HasSubstr("a batch without columns"));
}

TEST(Claims, RefusesALongTextThatManyRowsName) {
  EXPECT_THAT(Refusal({Dictionary(1 << 20, 1 << 20)}), HasSubstr("once each is written out"));
  EXPECT_EQ(Refusal({Dictionary(1 << 20, 100)}), "");
  // If few rows are converted at once, they may be long.
  EXPECT_THAT(Refusal({Dictionary(1 << 20, 3000)}), HasSubstr("\"c0\""));
  EXPECT_EQ(Refusal({Dictionary(1 << 20, 3000)}, 64 << 10), "");
}

TEST(Claims, RefusesViewsThatNameTheSameBytesAgain) {
  const auto text = std::string(1 << 20, 'x');
  arrow::StringViewBuilder texts;
  ASSERT_TRUE(texts.Append(text).ok());
  const auto one = (*texts.Finish())->data();
  const auto first = *one->buffers[1]->data_as<arrow::BinaryViewType::c_type>();
  const auto views = Values(std::vector<arrow::BinaryViewType::c_type>(10000, first));
  EXPECT_NE(Refusal({Made(arrow::utf8_view(), 10000, {nullptr, views, one->buffers[2]})}), "");

  const auto items = *arrow::MakeArrayFromScalar(arrow::Int64Scalar(7), 100'000);
  EXPECT_NE(Refusal({Made(arrow::list_view(arrow::int64()), 10'000,
                          {nullptr, Values(std::vector<int32_t>(10'000, 0)),
                           Values(std::vector<int32_t>(10'000, 100'000))},
                          {items->data()})}),
            "");
}

TEST(Claims, EndsSoonForViewsOfViews) {
  auto items = *arrow::MakeArrayFromScalar(arrow::Int64Scalar(7), 1000);
  for (int depth = 0; depth < 12; ++depth) {
    items = Made(
        arrow::list_view(items->type()), 1000,
        {nullptr, Values(std::vector<int32_t>(1000, 0)), Values(std::vector<int32_t>(1000, 1000))},
        {items->data()});
  }
  EXPECT_NE(Refusal({items}), "");
}

TEST(Claims, CountBytesOnceThatSeveralColumnsShare) {
  const auto numbers = *arrow::MakeArrayFromScalar(arrow::Int64Scalar(7), 1000);
  EXPECT_EQ(HeldBytes(*RowsOf({numbers, numbers})), HeldBytes(*RowsOf({numbers})));
  EXPECT_GE(HeldBytes(*RowsOf({numbers})), 8000);
  // 1000 columns of 8 MB each that share the same 8 MB.
  const auto large = *arrow::MakeArrayFromScalar(arrow::Int64Scalar(7), 1 << 20);
  EXPECT_NE(Refusal(arrow::ArrayVector(1000, large)), "");
}

TEST(Claims, AllowsWhatTablesHave) {
  const auto numbers = *arrow::MakeArrayFromScalar(arrow::DoubleScalar(7), 1 << 20);
  const auto flags = *arrow::MakeArrayFromScalar(arrow::BooleanScalar(true), 1 << 20);
  const auto none = *arrow::MakeArrayOfNull(arrow::utf8(), 1 << 20);
  EXPECT_EQ(Refusal({numbers, flags, none, Dictionary(1 << 20, 20)}), "");
  EXPECT_EQ(Refusal({numbers->Slice(5, 10), Dictionary(15, 20)->Slice(5, 10)}), "");
}

}  // namespace
}  // namespace protium
