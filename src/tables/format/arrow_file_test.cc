// SPDX-License-Identifier: Apache-2.0
#include "format/arrow_file.h"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/writer.h>
#include <arrow/util/compression.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "base/fault.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class ArrowFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "arrow-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string File(const std::string& name, const arrow::RecordBatchVector& batches,
                   bool stream = false) {
    const std::string path = (folder_ / name).string();
    const auto out = *arrow::io::FileOutputStream::Open(path);
    const auto schema = batches.front()->schema();
    auto options = arrow::ipc::IpcWriteOptions::Defaults();
    options.allow_64bit = true;  // Rows beyond 2^31.
    const auto writer = stream ? *arrow::ipc::MakeStreamWriter(out, schema, options)
                               : *arrow::ipc::MakeFileWriter(out, schema, options);
    for (const auto& batch : batches) EXPECT_TRUE(writer->WriteRecordBatch(*batch).ok());
    EXPECT_TRUE(writer->Close().ok() && out->Close().ok());
    return path;
  }
  static std::shared_ptr<arrow::RecordBatch> Batch(
      const std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>>& columns) {
    arrow::FieldVector fields;
    arrow::ArrayVector arrays;
    for (const auto& [name, array] : columns) {
      fields.push_back(arrow::field(name, array->type()));
      arrays.push_back(array);
    }
    return arrow::RecordBatch::Make(arrow::schema(fields), arrays.front()->length(), arrays);
  }
  template <class Builder, class... Values>
  static std::shared_ptr<arrow::Array> Array(Builder&& builder, const Values&... values) {
    const bool all = (builder.Append(values).ok() && ...);
    EXPECT_TRUE(all && builder.AppendNull().ok());
    return *builder.Finish();
  }
  static std::string Read(const std::vector<std::string>& paths) {
    const auto rows =
        OpenRows({.paths = paths, .format = Format::kArrow}, [](double) { return Status::OK(); });
    if (!rows.ok()) return Render(FaultOf(rows.status()));
    std::string text = (*rows)->schema()->ToString();
    while (true) {
      const auto batch = (*rows)->Next();
      if (!batch.ok()) return Render(FaultOf(batch.status()));
      if (*batch == nullptr) break;
      EXPECT_TRUE((*batch)->schema()->Equals(*(*rows)->schema()));
      for (int64_t i = 0; i < (*batch)->num_rows(); ++i) {
        text += "\n";
        for (const auto& column : (*batch)->columns()) {
          text += (*column->GetScalar(i))->ToString() + "|";
        }
      }
    }
    for (const std::string& note : (*rows)->notes()) text += "\n" + note;
    return text;
  }

  fs::path folder_;
};

TEST_F(ArrowFileTest, CarriesTheNearestTypes) {
  const auto batch = Batch(
      {{"dict", Array(arrow::StringDictionaryBuilder(), "a", "b")},
       {"large", Array(arrow::LargeStringBuilder(), "x", "y")},
       {"small", Array(arrow::UInt8Builder(), uint8_t{255}, uint8_t{0})},
       {"wide", Array(arrow::UInt64Builder(), uint64_t{7}, uint64_t{8})},
       {"at", Array(arrow::TimestampBuilder(arrow::timestamp(arrow::TimeUnit::NANO, "Asia/Tokyo"),
                                            arrow::default_memory_pool()),
                    int64_t{1'000'001'000}, int64_t{0})},
       {"none", *arrow::MakeArrayOfNull(arrow::null(), 3)}});
  const std::string rows =
      "dict: string\nlarge: string\nsmall: int32\nwide: int64\nat: timestamp[us]\nnone: string\n"
      "a|x|255|7|1970-01-01 00:00:01.000001|null|\nb|y|0|8|1970-01-01 00:00:00.000000|null|\n"
      "null|null|null|null|null|null|\n"
      "times of column \"at\" are those of UTC, not of Asia/Tokyo";
  EXPECT_EQ(Read({File("t.arrow", {batch})}), rows);
  EXPECT_EQ(Read({File("s.arrow", {batch}, true)}), rows);
}

TEST_F(ArrowFileTest, ReadsViewsOfListsAsLists) {
  const auto items = std::make_shared<arrow::Int32Builder>();
  arrow::ListViewBuilder views(arrow::default_memory_pool(), items);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(views.Append(true, 2).ok() && items->AppendValues({i, 10 * i}).ok());
  }
  const auto column = *views.Finish();
  const auto nested = *arrow::FixedSizeListArray::FromArrays(column->Slice(1), 1);
  EXPECT_THAT(Read({File("t.arrow", {Batch({{"v", column}})})}),
              HasSubstr("list<item: int32>[0, 0]|\nlist<item: int32>[1, 10]|\n"
                        "list<item: int32>[2, 20]|"));
  EXPECT_THAT(Read({File("n.arrow", {Batch({{"n", nested}})})}), HasSubstr("20]"));
}

TEST_F(ArrowFileTest, ReadsLargeBatchesInSlicesAndSeveralFiles) {
  arrow::Int64Builder numbers;
  for (int64_t i = 0; i < 100'000; ++i) ASSERT_TRUE(numbers.Append(i).ok());
  const auto batch = Batch({{"n", *numbers.Finish()}});
  const std::string path = File("t.arrow", {batch, batch->Slice(0, 0), batch->Slice(0, 1)});
  const auto rows = OpenRows({.paths = {path, path}, .format = Format::kArrow},
                             [](double) { return Status::OK(); });
  ASSERT_TRUE(rows.ok());
  int64_t count = 0;
  while (const auto each = *(*rows)->Next()) {
    EXPECT_LE(each->num_rows(), 65'536);
    count += each->num_rows();
  }
  EXPECT_EQ(count, 200'002);
  EXPECT_EQ((*rows)->file(), 1u);
}

TEST_F(ArrowFileTest, RefusesWhatTablesDoNotCarry) {
  const auto field = arrow::field("x", arrow::int64());
  const auto nested = *arrow::MakeArrayOfNull(arrow::struct_({field}), 1);
  EXPECT_THAT(Read({File("t.arrow", {Batch({{"s", nested}})})}),
              AllOf(HasSubstr("column \"s\" is of type struct<x: int64>"), HasSubstr("t.arrow")));
  const auto large = Array(arrow::UInt64Builder(), ~uint64_t{0});
  EXPECT_THAT(Read({File("u.arrow", {Batch({{"big", large}})})}),
              HasSubstr("column \"big\" of type uint64 cannot be read as int64"));
  const auto one = Array(arrow::Int64Builder(), int64_t{1});
  EXPECT_THAT(
      Read({File("a.arrow", {Batch({{"a", one}})}), File("b.arrow", {Batch({{"b", one}})})}),
      AllOf(HasSubstr("b.arrow has different columns"), HasSubstr("b int64")));
  EXPECT_THAT(Read({File("c.arrow", {Batch({{"a", one}, {"A", one}})})}),
              HasSubstr("two columns are named \"A\""));
}

// A few bytes that claim more than there is memory for.
TEST_F(ArrowFileTest, RefusesRowsThatNoByteStandsBehind) {
  const int64_t rows = int64_t{1} << 40;
  const auto nulls = Batch({{"x", std::make_shared<arrow::NullArray>(rows)}});
  const auto refused = AllOf(HasSubstr("column \"x\" has 1099511627776 cells without content"),
                             HasSubstr("bomb.arrow"));
  EXPECT_THAT(Read({File("bomb.arrow", {nulls})}), refused);
  EXPECT_THAT(Read({File("bomb.arrow", {nulls}, true)}), refused);
  const auto none = arrow::RecordBatch::Make(arrow::schema({}), rows, arrow::ArrayVector{});
  EXPECT_THAT(Read({File("bomb.arrow", {none})}), HasSubstr("a batch without columns"));
}

TEST_F(ArrowFileTest, RefusesALongTextThatEveryRowNames) {
  arrow::StringBuilder texts;
  ASSERT_TRUE(texts.Append(std::string(1 << 20, 'x')).ok());
  const auto indices = *arrow::MakeArrayFromScalar(arrow::Int8Scalar(0), 64 << 10);
  const auto dictionary = *arrow::DictionaryArray::FromArrays(indices, *texts.Finish());
  EXPECT_THAT(Read({File("t.arrow", {Batch({{"t", dictionary}})})}),
              AllOf(HasSubstr("column \"t\" makes 65536 rows claim"), HasSubstr("t.arrow")));
}

// The length that compressed bytes claim precedes them.
TEST_F(ArrowFileTest, RefusesToUnpackWithoutEnd) {
  const int64_t bytes = int64_t{1} << 20, claimed = int64_t{3} << 30;
  const auto zeros = *arrow::MakeArrayFromScalar(arrow::Int64Scalar(0), bytes / 8);
  auto options = arrow::ipc::IpcWriteOptions::Defaults();
  options.codec = *arrow::util::Codec::Create(arrow::Compression::ZSTD);
  const auto sink = *arrow::io::BufferOutputStream::Create();
  const auto batch = Batch({{"x", zeros}});
  const auto writer = *arrow::ipc::MakeStreamWriter(sink, batch->schema(), options);
  ASSERT_TRUE(writer->WriteRecordBatch(*batch).ok() && writer->Close().ok());
  std::string stream = (*sink->Finish())->ToString();
  const std::string length(reinterpret_cast<const char*>(&bytes), 8);
  const size_t at = stream.rfind(length);
  ASSERT_NE(at, stream.npos);
  stream.replace(at, 8, reinterpret_cast<const char*>(&claimed), 8);
  std::ofstream(folder_ / "zeros.arrow", std::ios::binary) << stream;
  EXPECT_THAT(Read({(folder_ / "zeros.arrow").string()}),
              AllOf(HasSubstr("cap exceeded"), HasSubstr("zeros.arrow")));
}

TEST_F(ArrowFileTest, NamesAFileThatIsDamaged) {
  const std::string path =
      File("t.arrow", {Batch({{"a", Array(arrow::Int64Builder(), int64_t{1})}})});
  fs::resize_file(path, fs::file_size(path) / 2);
  EXPECT_THAT(Read({path}), AllOf(HasSubstr("cannot be read"), HasSubstr("t.arrow")));
  std::ofstream(folder_ / "text.arrow") << "a,b\n1,2\n";
  EXPECT_THAT(Read({(folder_ / "text.arrow").string()}), HasSubstr("cannot be read"));
  std::ofstream(folder_ / "empty.arrow") << "";
  EXPECT_THAT(Read({(folder_ / "empty.arrow").string()}), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace protium
