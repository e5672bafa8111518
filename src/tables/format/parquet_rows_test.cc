// SPDX-License-Identifier: Apache-2.0
#include "format/parquet_rows.h"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>

#include <algorithm>

#include "base/fault.h"
#include "os/file.h"

namespace protium {
namespace {

using testing::HasSubstr;

// Writes the numbers [first, first + count) in row groups of `group` rows.
std::string WriteNumbers(const std::filesystem::path& path, int64_t first, int64_t count,
                         int64_t group, const std::string& column = "n") {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < count; ++i) EXPECT_TRUE(builder.Append(first + i).ok());
  const auto table = arrow::Table::Make(arrow::schema({arrow::field(column, arrow::int64())}),
                                        {builder.Finish().ValueOrDie()});
  const auto sink = arrow::io::FileOutputStream::Open(path).ValueOrDie();
  EXPECT_TRUE(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, group).ok());
  EXPECT_TRUE(sink->Close().ok());
  return path;
}

class ParquetRowsTest : public testing::Test {
 protected:
  std::vector<int64_t> Read(const std::vector<std::string>& paths, const ParquetPart& part) {
    auto read = ReadParquetRows(paths, part);
    EXPECT_TRUE(read.ok()) << read.status();
    const auto batches = Collect(*read->rows);
    EXPECT_TRUE(batches.ok()) << batches.status();
    std::vector<int64_t> all;
    for (const auto& batch : *batches) {
      const auto& numbers = static_cast<const arrow::Int64Array&>(*batch->column(0));
      all.insert(all.end(), numbers.raw_values(), numbers.raw_values() + numbers.length());
    }
    EXPECT_EQ(static_cast<int64_t>(all.size()), read->own_rows);
    return all;
  }
  const TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(ParquetRowsTest, AnyNumberOfReadersReadEveryRowOnce) {
  const std::vector<std::string> paths = {WriteNumbers(folder_.path() / "a", 0, 95, 10),
                                          WriteNumbers(folder_.path() / "b", 95, 0, 10),
                                          WriteNumbers(folder_.path() / "c", 95, 31, 7)};
  for (const int32_t parts : {1, 2, 3, 7, 40}) {
    std::vector<int64_t> all;
    for (int32_t part = 0; part < parts; ++part) {
      const auto own = Read(paths, {.part = part, .parts = parts, .threads = part % 2 == 1});
      all.insert(all.end(), own.begin(), own.end());
    }
    std::sort(all.begin(), all.end());
    ASSERT_EQ(all.size(), 126u) << parts;
    for (int64_t i = 0; i < 126; ++i) ASSERT_EQ(all[size_t(i)], i) << parts;
  }
}

TEST_F(ParquetRowsTest, FilesOfOtherColumnsAreNamed) {
  const std::vector<std::string> paths = {WriteNumbers(folder_.path() / "a", 0, 5, 5),
                                          WriteNumbers(folder_.path() / "b", 0, 5, 5, "m")};
  const Status status = ReadParquetRows(paths, {}).status();
  EXPECT_THAT(status.message(), HasSubstr(paths[1] + " has different columns than " + paths[0]));
}

TEST_F(ParquetRowsTest, ACutFileIsNamed) {
  const std::string path = WriteNumbers(folder_.path() / "a", 0, 1000, 100);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 9);
  const Fault fault = FaultOf(ReadParquetRows({path}, {}).status());
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_THAT(fault.what, HasSubstr(path));
}

TEST_F(ParquetRowsTest, AFileThatShrinksMeanwhileIsNoticed) {
  const std::string path = WriteNumbers(folder_.path() / "a", 0, 100, 10);
  auto read = ReadParquetRows({path}, {});
  ASSERT_TRUE(read.ok()) << read.status();
  WriteNumbers(path, 0, 100, 50);
  EXPECT_FALSE(Collect(*read->rows).ok());
}

TEST_F(ParquetRowsTest, APageThatLostItsChecksumIsRefused) {
  const std::string path = folder_.path() / "a";
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < 1000; ++i) ASSERT_TRUE(builder.Append(i).ok());
  const auto table = arrow::Table::Make(arrow::schema({arrow::field("n", arrow::int64())}),
                                        {builder.Finish().ValueOrDie()});
  const auto sink = arrow::io::FileOutputStream::Open(path).ValueOrDie();
  const auto properties =
      parquet::WriterProperties::Builder().enable_page_checksum()->disable_dictionary()->build();
  ASSERT_TRUE(
      parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, 1000, properties)
          .ok());
  ASSERT_TRUE(sink->Close().ok());
  EXPECT_EQ(Read({path}, {}).size(), 1000u);
  std::string bytes = ReadFile(path).ValueOrDie();
  bytes[bytes.size() / 3] ^= 1;
  ASSERT_TRUE(WriteFile(path, bytes).ok());
  const auto read = ReadParquetRows({path}, {});
  ASSERT_TRUE(read.ok()) << read.status();
  const Status status = Collect(*read->rows).status();
  EXPECT_THAT(FaultOf(status).why, HasSubstr("checksum")) << status;
}

}  // namespace
}  // namespace protium
