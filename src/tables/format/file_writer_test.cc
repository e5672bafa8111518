// SPDX-License-Identifier: Apache-2.0
#include "format/file_writer.h"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "base/fault.h"
#include "column/schema.h"
#include "format/parquet.h"
#include "os/file.h"
#include "os/file_size_limit.h"

namespace protium {
namespace {

std::shared_ptr<arrow::RecordBatch> Rows(int64_t count) {
  std::vector<int64_t> numbers(count);
  uint64_t state = 1;  // Not compressible.
  for (int64_t& number : numbers) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    number = static_cast<int64_t>(state);
  }
  arrow::Int64Builder n;
  arrow::StringBuilder s;
  EXPECT_TRUE(n.AppendValues(numbers).ok());
  for (int64_t i = 0; i < count; ++i) {
    EXPECT_TRUE((i % 3 == 0 ? s.AppendNull() : s.Append(i % 3 == 1 ? "a \"b\"" : "")).ok());
  }
  return arrow::RecordBatch::Make(
      arrow::schema({arrow::field("n", arrow::int64()), arrow::field("s", arrow::utf8())}), count,
      {n.Finish().ValueOrDie(), s.Finish().ValueOrDie()});
}

std::string Read(const std::string& path) { return ReadFile(path).ValueOr("(none)"); }

class Writing : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return (folder_.path() / name).string(); }
  size_t Files() const {
    return std::distance(std::filesystem::directory_iterator(folder_.path()), {});
  }
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(Writing, ParquetComesBackAsItWas) {
  const auto rows = Rows(1000);
  auto file =
      FileWriter::Make(Format::kParquet, Path("sub/t.parquet"), rows->schema()).ValueOrDie();
  ASSERT_TRUE(file->Write(*rows).ok() && file->Write(*rows).ok());
  EXPECT_FALSE(std::filesystem::exists(Path("sub/t.parquet")));
  ASSERT_TRUE(file->Commit().ok());
  EXPECT_TRUE(ParquetSchema({Path("sub/t.parquet")}).ValueOrDie()->Equals(*rows->schema()));
  auto input = arrow::io::ReadableFile::Open(Path("sub/t.parquet")).ValueOrDie();
  auto reader = parquet::arrow::OpenFile(input, arrow::default_memory_pool()).ValueOrDie();
  const auto table = reader->ReadTable().ValueOrDie();
  EXPECT_TRUE(table->Equals(*arrow::Table::FromRecordBatches({rows, rows}).ValueOrDie()));
}

// A dictionary of values that hardly repeat takes more time than everything else.
TEST_F(Writing, ParquetHasDictionariesWhereValuesRepeat) {
  const auto rows = Rows(5000);
  arrow::DoubleBuilder few;
  for (int i = 0; i < 5000; ++i) ASSERT_TRUE(few.Append(i % 7).ok());
  const auto all = rows->AddColumn(2, "few", few.Finish().ValueOrDie()).ValueOrDie();
  auto file = FileWriter::Make(Format::kParquet, Path("t.parquet"), all->schema()).ValueOrDie();
  ASSERT_TRUE(file->Write(*all).ok() && file->Commit().ok());
  const auto metadata = parquet::ParquetFileReader::OpenFile(Path("t.parquet"))->metadata();
  const auto group = metadata->RowGroup(0);
  for (const auto& [column, expected] : {std::pair{0, false}, {1, true}, {2, true}}) {
    EXPECT_EQ(group->ColumnChunk(column)->has_dictionary_page(), expected) << column;
  }
}

TEST_F(Writing, CsvTellsNullFromEmptyText) {
  const auto rows = Rows(3);
  auto file = FileWriter::Make(Format::kCsv, Path("t.csv"), rows->schema()).ValueOrDie();
  ASSERT_TRUE(file->Write(*rows->Slice(0, 3)).ok() && file->Commit().ok());
  const std::string text = Read(Path("t.csv"));
  EXPECT_TRUE(text.starts_with("\"n\",\"s\"\n")) << text;
  EXPECT_NE(text.find(",\n"), std::string::npos) << text;
  EXPECT_NE(text.find(",\"a \"\"b\"\"\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find(",\"\"\n"), std::string::npos) << text;
}

TEST_F(Writing, AWriterThatIsGivenUpLeavesWhatWasThere) {
  ASSERT_TRUE(WriteFile(Path("t.parquet"), "before").ok());
  {
    auto file = FileWriter::Make(Format::kParquet, Path("t.parquet"), Rows(1)->schema());
    ASSERT_TRUE((*file)->Write(*Rows(10)).ok());
  }
  EXPECT_EQ(Read(Path("t.parquet")), "before");
  EXPECT_EQ(Files(), 1u);
}

TEST_F(Writing, AFullDiskKeepsThePreviousFileAndSaysHowMuchAndWhere) {
  for (const Format format : {Format::kParquet, Format::kCsv}) {
    ASSERT_TRUE(WriteFile(Path("t"), "before").ok());
    const auto rows = Rows(100000);
    Status status;
    {
      const FileSizeLimit limit(100000);
      auto file = FileWriter::Make(format, Path("t"), rows->schema()).ValueOrDie();
      status = file->Write(*rows);
      if (status.ok()) status = file->Commit();
    }
    const Fault fault = FaultOf(status);
    EXPECT_EQ(fault.exit, Exit::kNoRoom) << fault.what;
    EXPECT_NE((fault.what + fault.where).find(Path("t")), std::string::npos) << Render(fault);
    EXPECT_NE(fault.what.find("bytes"), std::string::npos) << Render(fault);
    EXPECT_EQ(Read(Path("t")), "before");
    EXPECT_EQ(Files(), 1u);
  }
}

TEST_F(Writing, ATruncatedParquetFileIsAFault) {
  const auto rows = Rows(1000);
  auto file = FileWriter::Make(Format::kParquet, Path("t.parquet"), rows->schema()).ValueOrDie();
  ASSERT_TRUE(file->Write(*rows).ok() && file->Commit().ok());
  const std::string whole = Read(Path("t.parquet"));
  for (const size_t size : {size_t{0}, size_t{3}, whole.size() / 2, whole.size() - 1}) {
    std::ofstream(Path("cut.parquet"), std::ios::binary) << whole.substr(0, size);
    const Fault fault = FaultOf(ParquetSchema({Path("cut.parquet")}).status());
    EXPECT_EQ(fault.exit, Exit::kInput);
    EXPECT_TRUE(fault.what.starts_with(Path("cut.parquet"))) << fault.what;
    EXPECT_FALSE(fault.why.empty());
  }
}

}  // namespace
}  // namespace protium
