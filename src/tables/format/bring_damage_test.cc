// SPDX-License-Identifier: Apache-2.0
// Files that were cut, or whose bytes were changed at random: every reader ends with rows or with a
// fault of the input, never otherwise. Most useful under the sanitizers.
#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/writer.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "base/fault.h"
#include "format/bring.h"
#include "os/file.h"

namespace protium {
namespace {

std::string ArrowBytes(bool stream) {
  arrow::StringBuilder texts;
  arrow::ListBuilder lists(arrow::default_memory_pool(), std::make_shared<arrow::Int64Builder>());
  auto& items = static_cast<arrow::Int64Builder&>(*lists.value_builder());
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE((i % 5 == 0 ? texts.AppendNull() : texts.Append(std::string(i, 'x'))).ok());
    EXPECT_TRUE(lists.Append().ok() && items.Append(i).ok());
  }
  const auto schema = arrow::schema(
      {arrow::field("t", arrow::utf8()), arrow::field("l", arrow::list(arrow::int64()))});
  const auto batch = arrow::RecordBatch::Make(
      schema, 20, {texts.Finish().ValueOrDie(), lists.Finish().ValueOrDie()});
  const auto out = arrow::io::BufferOutputStream::Create().ValueOrDie();
  const auto writer = stream ? *arrow::ipc::MakeStreamWriter(out, schema)
                             : *arrow::ipc::MakeFileWriter(out, schema);
  EXPECT_TRUE(writer->WriteRecordBatch(*batch).ok() && writer->Close().ok());
  return out->Finish().ValueOrDie()->ToString();
}

std::string JsonBytes() {
  return "{\"a\": 1, \"t\": \"\\u00e9\\ud83d\\ude00\", \"l\": [1, 2.5, null]}\n"
         "{\"a\": -2e3, \"o\": {\"x\": [true, {\"y\": \"\\\"\"}]}, \"l\": []}\n"
         "{\"day\": \"2013-12-31T23:59:58.123456Z\", \"a\": NaN, \"t\": null}\n";
}

std::string CsvBytes() {
  return "a;b;\"c d\"\r\n1,5;\"x\"\"y\";2013-01-01\r\n# no row\r\n ;NA;\r\n-0,25; \"\n\" "
         ";2013-12-31\r\n";
}

class Damage : public testing::Test {
 protected:
  // Reads a file with these bytes to its end.
  Status Read(const std::string& bytes, Format format, const CsvOptions& options) {
    const std::string path = (folder_.path() / "t").string();
    std::ofstream(path, std::ios::binary) << bytes;
    const auto watch = [](double) { return Status::OK(); };
    PT_LET(const auto rows, OpenRows({.paths = {path}, .format = format, .csv = options}, watch));
    while (true) {
      PT_LET(const auto batch, rows->Next());
      if (batch == nullptr) return Status::OK();
      EXPECT_TRUE(batch->ValidateFull().ok());
    }
  }

  void ExpectRowsOrFault(const std::string& whole, Format format, const CsvOptions& options = {}) {
    ASSERT_TRUE(Read(whole, format, options).ok());
    for (int round = 0; round < 150; ++round) {
      std::string bytes = whole;
      const int changes = int(random_() % 4);
      for (int i = 0; i < changes; ++i) bytes[random_() % bytes.size()] = char(random_());
      if (changes == 0 || random_() % 3 == 0) bytes.resize(random_() % bytes.size());
      const Status status = Read(bytes, format, options);
      if (status.ok()) continue;
      EXPECT_EQ(FaultOf(status).exit, Exit::kInput) << round << " " << status;
      EXPECT_FALSE(FaultOf(status).where.empty()) << round << " " << status;
    }
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::mt19937 random_{20};
};

TEST_F(Damage, ToJsonLines) { ExpectRowsOrFault(JsonBytes(), Format::kJsonLines); }

TEST_F(Damage, ToCsv) {
  CsvOptions options{.null = "NA", .delimiter = "auto", .decimal = ",", .comment = "#"};
  options.trim = true;
  ExpectRowsOrFault(CsvBytes(), Format::kCsv, options);
  options.ragged = Ragged::kSkip;
  options.encoding = Encoding::kWindows1252;
  ExpectRowsOrFault(CsvBytes(), Format::kCsv, options);
}

TEST_F(Damage, ToUtf16) {
  std::string wide = "\xff\xfe";
  for (const char c : CsvBytes()) wide += std::string{c, '\0'};
  ExpectRowsOrFault(wide, Format::kCsv, {.delimiter = ";", .comment = "#", .trim = true});
}

TEST_F(Damage, ToArrowFilesAndStreams) {
  ExpectRowsOrFault(ArrowBytes(false), Format::kArrow);
  ExpectRowsOrFault(ArrowBytes(true), Format::kArrow);
}

}  // namespace
}  // namespace protium
