// SPDX-License-Identifier: Apache-2.0
#include "format/cell_text.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <limits>

#include "base/fault.h"
#include "format/bring.h"
#include "format/csv.h"
#include "format/file_writer.h"
#include "format/parquet_rows.h"
#include "os/file.h"

namespace protium {
namespace {

using testing::HasSubstr;

// One column of each type that a file must return unchanged.
std::shared_ptr<arrow::RecordBatch> AllTypes(bool lists) {
  using Limits = std::numeric_limits<double>;
  arrow::Int64Builder i;
  arrow::DoubleBuilder d;
  arrow::BooleanBuilder b;
  arrow::StringBuilder s;
  arrow::Date32Builder day;
  arrow::TimestampBuilder at(arrow::timestamp(arrow::TimeUnit::MICRO),
                             arrow::default_memory_pool());
  arrow::ListBuilder v(arrow::default_memory_pool(), std::make_shared<arrow::DoubleBuilder>());
  auto& items = static_cast<arrow::DoubleBuilder&>(*v.value_builder());
  EXPECT_TRUE(i.AppendValues({1, -9223372036854775807, 0, 7}).ok() && i.AppendNull().ok());
  EXPECT_TRUE(d.AppendValues({0.1, 1e300, Limits::infinity(), -Limits::infinity()}).ok());
  EXPECT_TRUE(d.AppendNull().ok() &&
              b.AppendValues(std::vector<bool>{true, false, true, false}).ok());
  EXPECT_TRUE(b.AppendNull().ok() && s.AppendValues({"", "a \"b\"\\", "x,\ny\t\x01", "é€"}).ok());
  EXPECT_TRUE(s.AppendNull().ok() && day.AppendValues({0, -1, 19000, -719162}).ok());
  EXPECT_TRUE(day.AppendNull().ok() && at.AppendValues({0, -1, 1'500'000, 86'400'000'000}).ok());
  EXPECT_TRUE(at.AppendNull().ok());
  for (int row = 0; row < 4; ++row) EXPECT_TRUE(v.Append().ok() && items.Append(row).ok());
  EXPECT_TRUE(items.AppendNull().ok() && v.AppendNull().ok());
  arrow::ArrayVector columns = {*i.Finish(), *d.Finish(),   *b.Finish(),
                                *s.Finish(), *day.Finish(), *at.Finish()};
  arrow::FieldVector fields;
  for (size_t each = 0; each < columns.size(); ++each) {
    fields.push_back(arrow::field("c" + std::to_string(each), columns[each]->type()));
  }
  if (lists) {
    columns.push_back(*v.Finish());
    fields.push_back(arrow::field("v", arrow::list(arrow::float64())));
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), 5, columns);
}

class CellTexts : public testing::Test {
 protected:
  // Returns the batch after it was written to a file of this name and read back.
  std::shared_ptr<arrow::RecordBatch> Back(const std::string& name,
                                           const arrow::RecordBatch& batch) {
    const std::string path = (folder_.path() / name).string();
    const FileForm form = *FormNamed(name);
    auto writer = FileWriter::Make(form, path, batch.schema());
    EXPECT_TRUE((*writer)->Write(batch).ok() && (*writer)->Commit().ok());
    auto rows =
        OpenRows({.paths = {path}, .format = form.format}, [](double) { return Status::OK(); });
    EXPECT_TRUE(rows.ok()) << Render(FaultOf(rows.status()));
    return rows.ok() ? *(*rows)->Next() : nullptr;
  }
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(CellTexts, ComeBackAsTheSameValues) {
  for (const char* name : {"t.csv", "t.csv.gz", "t.csv.zst", "t.jsonl", "t.jsonl.gz", "t.arrow"}) {
    const auto batch = AllTypes(!std::string(name).starts_with("t.csv"));
    const auto back = Back(name, *batch);
    ASSERT_NE(back, nullptr) << name;
    EXPECT_TRUE(back->Equals(*batch)) << name << "\n" << back->ToString();
  }
}

// NaN is equal to nothing, and a column of whole doubles must stay one of doubles.
TEST_F(CellTexts, KeepNumbersThatAreNone) {
  arrow::DoubleBuilder d;
  ASSERT_TRUE(d.AppendValues({3, std::nan(""), 1e20}).ok());
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("d", arrow::float64())}),
                                              3, {*d.Finish()});
  for (const char* name : {"t.csv", "t.jsonl"}) {
    const auto back = Back(name, *batch);
    ASSERT_EQ(back->schema()->ToString(), "d: double") << name;
    EXPECT_TRUE(back->Equals(*batch, false, arrow::EqualOptions::Defaults().nans_equal(true)));
  }
  EXPECT_EQ(*ReadFile(folder_.path() / "t.jsonl"), "{\"d\": 3.0}\n{\"d\": NaN}\n{\"d\": 1e+20}\n");
  EXPECT_EQ(*ReadFile(folder_.path() / "t.csv"), "\"d\"\n3\nNaN\n1e+20\n");
}

TEST_F(CellTexts, RefuseWhatTheirFormatCannotHold) {
  const std::string path = (folder_.path() / "t").string();
  const auto lists = AllTypes(true)->schema();
  EXPECT_THAT(FaultOf(FileWriter::Make(Format::kCsv, path, lists).status()).what,
              HasSubstr("\"v\" of type list<float64> cannot be written as CSV"));
  const auto binary = arrow::schema({arrow::field("b", arrow::list(arrow::binary()))});
  EXPECT_THAT(FaultOf(FileWriter::Make(Format::kJsonLines, path, binary).status()).what,
              HasSubstr("\"b\" of type list<binary> cannot be written as JSON"));
}

}  // namespace
}  // namespace protium
