// SPDX-License-Identifier: Apache-2.0
#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "base/fault.h"
#include "column/cells.h"
#include "column/stream.h"
#include "inspect/folder_tables.h"
#include "leaks/table_profile.h"
#include "os/file.h"
#include "terminal/grid.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

template <class Builder, class Value>
std::shared_ptr<arrow::Array> Column(const std::vector<std::optional<Value>>& cells,
                                     const std::shared_ptr<arrow::DataType>& type) {
  Builder builder(type, arrow::default_memory_pool());
  for (const auto& each : cells) {
    EXPECT_TRUE((each ? builder.Append(*each) : builder.AppendNull()).ok());
  }
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Texts(const std::vector<std::optional<std::string>>& cells) {
  return Column<arrow::StringBuilder, std::string>(cells, arrow::utf8());
}

std::shared_ptr<arrow::Array> Doubles(const std::vector<std::optional<double>>& cells) {
  return Column<arrow::DoubleBuilder, double>(cells, arrow::float64());
}

std::shared_ptr<arrow::Array> Counts(int64_t from, int64_t to, int64_t by) {
  arrow::Int64Builder builder;
  for (int64_t i = from; i < to; ++i) EXPECT_TRUE(builder.Append(i / by).ok());
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::RecordBatch> Rows(
    const std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>>& columns) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const auto& [name, array] : columns) {
    fields.push_back(arrow::field(name, array->type()));
    arrays.push_back(array);
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), arrays.at(0)->length(), arrays);
}

TableProfile Profile(const arrow::RecordBatchVector& batches) {
  const BatchStreamPtr stream = MakeStream(batches.at(0)->schema(), batches);
  return ProfileRows(*stream, 3).ValueOrDie();
}

TEST(CellText, IsOneShortLine) {
  EXPECT_EQ(CellText(*Texts({"a\nb\tc"}), 0), "a\\nb\\tc");
  EXPECT_EQ(CellText(*Texts({std::nullopt}), 0), "NULL");
  EXPECT_EQ(CellText(*Doubles({0.1}), 0), "0.1");
  const auto times = Column<arrow::TimestampBuilder, int64_t>(
      {1'500'000, 0}, arrow::timestamp(arrow::TimeUnit::MICRO));
  EXPECT_EQ(CellText(*times, 0), "1970-01-01 00:00:01.5");
  EXPECT_EQ(CellText(*times, 1), "1970-01-01 00:00:00");
  arrow::ListBuilder lists(arrow::default_memory_pool(), std::make_shared<arrow::Int64Builder>());
  EXPECT_TRUE(lists.Append().ok());
  EXPECT_TRUE(static_cast<arrow::Int64Builder*>(lists.value_builder())->AppendValues({4, 5}).ok());
  const auto list = lists.Finish().ValueOrDie();
  EXPECT_EQ(CellText(*list, 0), "[4, 5]");
  EXPECT_EQ(Dump(CellJson(*list, 0)), "[4,5]");
}

TEST(CellJson, KeepsWhatJsonHas) {
  EXPECT_TRUE(CellJson(*Texts({std::nullopt}), 0).is_null());
  EXPECT_EQ(CellJson(*Texts({"a\nb"}), 0), "a\nb");
  EXPECT_EQ(CellJson(*Doubles({0.5}), 0), 0.5);
  EXPECT_EQ(CellJson(*Doubles({std::numeric_limits<double>::infinity()}), 0), "inf");
  const int64_t large = (int64_t{1} << 62) + 1;
  EXPECT_EQ(CellJson(*Counts(large, large + 1, 1), 0), large);
}

TEST(DrawGrid, FitsItsWidthAndNamesTheRest) {
  const auto rows = Rows({{"id", Counts(9, 11, 1)},
                          {"städte", Texts({"Köln", "x"})},
                          {"long", Texts({std::string(50, 'y'), "z"})},
                          {"last", Doubles({1, 2.5})}});
  EXPECT_EQ(DrawGrid(*rows, 80).substr(0, 30), "   id  städte  long          ");
  const std::string cut = DrawGrid(*rows, 20);
  EXPECT_EQ(cut,
            "   id  städte\n"
            "int64  string\n"
            "    9  Köln\n"
            "   10  x\n"
            "2 more columns: l...\n");
  EXPECT_THAT(DrawGrid(*rows, 80), HasSubstr(std::string(29, 'y') + "..."));
  EXPECT_THAT(DrawGrid(*rows, 80), Not(HasSubstr("more column")));
}

TEST(ProfileRows, TellsWhatColumnsHold) {
  const TableProfile table =
      Profile({Rows({{"x", Doubles({2.5, std::nullopt, 1, 0.0})},
                     {"t", Texts({"b", "a", "b", std::nullopt})}}),
               Rows({{"x", Doubles({-0.0, std::nan("")})}, {"t", Texts({"b", "c"})}})});
  EXPECT_EQ(table.rows, 6);
  EXPECT_EQ(table.head->num_rows(), 3);
  const ColumnProfile& x = *table.Find("x");
  EXPECT_EQ(x.nulls, 2);
  EXPECT_EQ(x.distinct, 3);
  EXPECT_TRUE(x.exact);
  EXPECT_EQ(x.least + " " + x.median + " " + x.greatest, "0 0 2.5");
  EXPECT_THAT(x.top[0], Pair("0", 2));
  const ColumnProfile& t = *table.Find("t");
  EXPECT_EQ(t.nulls, 1);
  EXPECT_THAT(t.top, ElementsAre(Pair("b", 3), Pair("a", 1), Pair("c", 1)));
  EXPECT_EQ(t.least + t.median + t.greatest, "ac");
}

TEST(ProfileRows, EstimatesHowManyValuesDifferWhereTheyAreMany) {
  const TableProfile table = Profile({Rows({{"id", Counts(0, 300'000, 1)},
                                            {"pairs", Counts(0, 300'000, 2)},
                                            {"few", Counts(0, 300'000, 100)}})});
  EXPECT_FALSE(table.Find("id")->exact);
  EXPECT_NEAR(double(table.Find("id")->distinct), 300'000, 15'000);
  EXPECT_NEAR(double(table.Find("pairs")->distinct), 150'000, 7'500);
  EXPECT_TRUE(table.Find("id")->top.empty());
  EXPECT_EQ(table.Find("few")->distinct, 3000);
  EXPECT_TRUE(table.Find("few")->exact);
  EXPECT_NEAR(std::stod(table.Find("id")->median), 150'000, 3000);
  EXPECT_EQ(table.Find("id")->greatest, "299999");
}

TEST(ProfileRows, NamesColumnsOfNoUse) {
  const auto ids = Counts(0, 30, 1);
  std::vector<std::optional<std::string>> same(30, "x"), none(30);
  const TableProfile table = Profile({Rows({{"id", ids},
                                            {"copy", ids},
                                            {"half", Counts(0, 30, 2)},
                                            {"same", Texts(same)},
                                            {"none", Texts(none)}})});
  const auto why = [&](const char* name) { return WhyUseless(table, *table.Find(name)); };
  EXPECT_EQ(why("id"), "has a different value in every row: an id?");
  EXPECT_EQ(why("copy"), "equals id in every row");
  EXPECT_EQ(why("half"), "");
  EXPECT_EQ(why("same"), "is constant");
  EXPECT_EQ(why("none"), "is empty");
  const Json json = ProfileToJson(table);
  EXPECT_EQ(json["columns"][3]["note"], "is constant");
  EXPECT_EQ(json["columns"][3]["top"][0]["rows"], 30);
}

TEST(ProfileRows, TakesSentencesForNoIds) {
  std::vector<std::optional<std::string>> notes, codes;
  for (int i = 0; i < 30; ++i) {
    notes.push_back("house " + std::to_string(i) + " in the old town");
    codes.push_back("h-" + std::to_string(i));
  }
  const TableProfile table = Profile({Rows({{"note", Texts(notes)}, {"code", Texts(codes)}})});
  EXPECT_EQ(WhyUseless(table, *table.Find("note")), "");
  EXPECT_EQ(WhyUseless(table, *table.Find("code")), "has a different value in every row: an id?");
  EXPECT_FALSE(ProfileToJson(table)["columns"][0].contains("note"));
}

TEST(ListTables, FindsFilesAndFoldersOfThem) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  const auto touch = [&](const std::string& name) {
    std::filesystem::create_directories((folder.path() / name).parent_path());
    std::ofstream(folder.path() / name) << "a\n1\n";
  };
  for (const char* name : {"b.CSV", "a.parquet", "notes.txt", ".c.csv", "parts/1.csv", "x/y.md"}) {
    touch(name);
  }
  // Links to nothing and to themselves are skipped, in the folder and in those below.
  std::filesystem::create_directories(folder.path() / "links");
  for (const char* link : {"gone.csv", "links/gone.csv"}) {
    std::filesystem::create_symlink("nowhere.csv", folder.path() / link);
  }
  std::filesystem::create_symlink("loop.csv", folder.path() / "loop.csv");
  std::vector<std::string> names;
  for (const TablePlace& each : ListTables(folder.path()).ValueOrDie()) names.push_back(each.name);
  EXPECT_THAT(names, ElementsAre("a", "b", "parts"));
  const Fault fault = FaultOf(ListTables(folder.path() / "none").status());
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_THAT(fault.fix, HasSubstr("--data"));
}

TEST(ReadTablePlace, WantsANameAndAPath) {
  EXPECT_EQ(ReadTablePlace("t=a=b.csv").ValueOrDie().at.path, "a=b.csv");
  for (const char* wrong : {"t", "=x", "t="}) {
    EXPECT_EQ(FaultOf(ReadTablePlace(wrong).status()).exit, Exit::kUsage) << wrong;
  }
}

}  // namespace
}  // namespace protium
