// SPDX-License-Identifier: Apache-2.0
// Every type by every way in and every way out, on every engine: the output equals the input, in
// the type that tables have for it (Kept), or is refused by name.
#include <arrow/api.h>
#include <arrow/compute/cast.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>

#include "base/fault.h"
#include "column/schema.h"
#include "column/stream.h"
#include "engines.h"
#include "format/file_writer.h"
#include "frame/given_rows.h"
#include "frame/session_state.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

using ArrayPtr = std::shared_ptr<arrow::Array>;
using TypePtr = std::shared_ptr<arrow::DataType>;

// A column with a value, NULL and another value: the values as text, and as JSON where that
// differs. None: the format has no cell for them.
struct TypeCase {
  TypePtr type;
  std::vector<std::string> cells;
  std::optional<std::vector<std::string>> csv, json;
};

std::vector<TypeCase> EveryType() {
  using arrow::TimeUnit;
  using Cells = std::vector<std::string>;
  const auto numbers = [](TypePtr type, const std::string& one, const std::string& other) {
    const Cells cells = {one, other};
    return TypeCase{std::move(type), cells, cells, cells};
  };
  const auto texts = [](TypePtr type) {
    const Cells cells = {"a", "b c"}, quoted = {"\"a\"", "\"b c\""};
    return TypeCase{std::move(type), cells, quoted, quoted};
  };
  const auto times = [](TypePtr type, const std::string& cell) {
    std::string iso = "\"" + cell + "\"";
    if (cell.size() > 10) iso[11] = 'T';
    const Cells cells = {cell, cell}, quoted = {iso, iso};
    return TypeCase{std::move(type), cells, cells, quoted};
  };
  return {
      numbers(arrow::boolean(), "true", "false"),
      numbers(arrow::int8(), "-128", "127"),
      numbers(arrow::int16(), "-32768", "32767"),
      numbers(arrow::int32(), "-2147483648", "2147483647"),
      numbers(arrow::int64(), "-9223372036854775808", "9223372036854775807"),
      numbers(arrow::uint8(), "0", "255"),
      numbers(arrow::uint16(), "0", "65535"),
      numbers(arrow::uint32(), "0", "4294967295"),
      numbers(arrow::uint64(), "0", "9223372036854775807"),
      numbers(arrow::float32(), "0.1", "-1.5"),
      numbers(arrow::float64(), "0.1", "-1.5"),
      numbers(arrow::decimal128(4, 2), "99.99", "-0.10"),
      numbers(arrow::decimal128(9, 2), "1234567.50", "-0.10"),
      numbers(arrow::decimal128(18, 0), "999999999999999999", "-1"),
      numbers(arrow::decimal128(38, 10), "12345678901234567.1234567890", "-0.1000000000"),
      numbers(arrow::decimal256(38, 10), "12345678901234567.1234567890", "-0.1000000000"),
      times(arrow::date32(), "2013-12-31"),
      times(arrow::timestamp(TimeUnit::SECOND), "2013-12-31 23:59:58"),
      times(arrow::timestamp(TimeUnit::MILLI), "2013-12-31 23:59:58.123"),
      times(arrow::timestamp(TimeUnit::MICRO), "2013-12-31 23:59:58.123456"),
      times(arrow::timestamp(TimeUnit::MICRO, "UTC"), "2013-12-31 23:59:58.123456"),
      texts(arrow::utf8()),
      texts(arrow::large_utf8()),
      TypeCase{arrow::binary(), Cells{"a", "b"}, std::nullopt, std::nullopt},
  };
}

ArrayPtr Parsed(const TypePtr& type, const std::vector<std::optional<std::string>>& cells) {
  arrow::StringBuilder texts;
  for (const auto& cell : cells) {
    EXPECT_TRUE((cell ? texts.Append(*cell) : texts.AppendNull()).ok());
  }
  const ArrayPtr text = texts.Finish().ValueOrDie();
  // Arrow reads a time with a zone only if the text names one: these are in UTC.
  if (type->id() == arrow::Type::TIMESTAMP) {
    const TypePtr plain = arrow::timestamp(static_cast<const arrow::TimestampType&>(*type).unit());
    const ArrayPtr parsed = arrow::compute::Cast(*text, plain).ValueOrDie();
    return parsed->View(type).ValueOrDie();
  }
  return arrow::compute::Cast(*text, type).ValueOrDie();
}

ArrayPtr ColumnOf(const TypeCase& given) {
  return Parsed(given.type, {given.cells[0], std::nullopt, given.cells[1]});
}

// [value, NULL], NULL and [].
ArrayPtr ListColumnOf(const TypeCase& given) {
  const ArrayPtr items = Parsed(given.type, {given.cells[0], std::nullopt});
  arrow::Int32Builder offsets;
  EXPECT_TRUE(offsets.Append(0).ok() && offsets.AppendNull().ok() && offsets.Append(2).ok() &&
              offsets.Append(2).ok());
  return arrow::ListArray::FromArrays(*offsets.Finish().ValueOrDie(), *items).ValueOrDie();
}

bool IsKeptAs(const arrow::DataType& given, const arrow::DataType& kept) {
  if (arrow::is_integer(given.id())) {
    return arrow::is_signed_integer(kept.id()) && kept.bit_width() >= given.bit_width();
  }
  if (arrow::is_decimal(given.id())) return kept.Equals(*CarriedDecimal(given));
  if (given.id() == arrow::Type::TIMESTAMP) {
    return kept.Equals(arrow::timestamp(arrow::TimeUnit::MICRO));
  }
  if (given.id() == arrow::Type::LARGE_STRING) return kept.id() == arrow::Type::STRING;
  if (given.id() != arrow::Type::LIST) return kept.Equals(given);
  return kept.id() == arrow::Type::LIST &&
         IsKeptAs(*given.field(0)->type(), *kept.field(0)->type());
}

// Without the item names of lists, which have no meaning.
TypePtr Bare(const TypePtr& type) {
  return type->id() == arrow::Type::LIST ? arrow::list(Bare(type->field(0)->type())) : type;
}

class Exits : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "exits-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    auto session = OpenSession({.engine = GetParam(), .folder = folder_ / "run", .base = folder_});
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = std::move(*session);
  }
  void TearDown() override {
    session_.reset();
    fs::remove_all(folder_);
  }

  // All columns at once, preceded by the row numbers.
  static std::shared_ptr<arrow::RecordBatch> Batch(const std::vector<ArrayPtr>& columns) {
    arrow::ArrayVector all = {Parsed(arrow::int32(), {"0", "1", "2"})};
    arrow::FieldVector fields = {arrow::field("n", arrow::int32())};
    for (const ArrayPtr& column : columns) {
      fields.push_back(arrow::field("c" + std::to_string(fields.size()), column->type()));
      all.push_back(column);
    }
    return arrow::RecordBatch::Make(arrow::schema(fields), 3, all);
  }

  std::string Write(const std::string& name, const arrow::RecordBatch& batch) {
    const std::string path = (folder_ / name).string();
    const Format format = name.ends_with(".arrow") ? Format::kArrow : Format::kParquet;
    auto writer = FileWriter::Make(format, path, batch.schema()).ValueOrDie();
    EXPECT_TRUE(writer->Write(batch).ok() && writer->Commit().ok());
    return path;
  }

  // By each way in: files of both formats, and rows of the caller.
  std::vector<std::pair<std::string, DataFrame>> Sources(
      const std::shared_ptr<arrow::RecordBatch>& batch) {
    const BatchStreamPtr rows = MakeStream(batch->schema(), {batch});
    const auto plan = KeepRows("given", (folder_ / "given.parquet").string(), *rows, {});
    EXPECT_TRUE(plan.ok()) << plan.status();
    return {{"parquet", session_->Read().Parquet(Write("in.parquet", *batch))},
            {"arrow", session_->Read().Arrow(Write("in.arrow", *batch))},
            {"rows", DataFrame(*session_, *plan)}};
  }

  static std::shared_ptr<arrow::RecordBatch> RowsOf(const DataFrame& frame) {
    const auto stream = frame.Sort({Asc("n")}).Stream();
    EXPECT_TRUE(stream.ok()) << Render(FaultOf(stream.status()));
    if (!stream.ok()) return nullptr;
    arrow::RecordBatchVector batches;
    while (const auto batch = (*stream)->Next().ValueOrDie()) batches.push_back(batch);
    const auto table = arrow::Table::FromRecordBatches((*stream)->schema(), batches);
    return (*table)->CombineChunksToBatch().ValueOrDie();
  }

  static void ExpectKept(const arrow::RecordBatch& given, const DataFrame& frame) {
    const auto kept = RowsOf(frame);
    ASSERT_NE(kept, nullptr);
    ASSERT_EQ(kept->num_columns(), given.num_columns());
    for (int i = 0; i < given.num_columns(); ++i) {
      const ArrayPtr& before = given.column(i);
      const TypePtr after = Bare(kept->column(i)->type());
      SCOPED_TRACE(before->type()->ToString() + " as " + after->ToString());
      EXPECT_TRUE(IsKeptAs(*before->type(), *after));
      const auto wanted = arrow::compute::Cast(*before, after);
      const auto found = arrow::compute::Cast(*kept->column(i), after);
      ASSERT_TRUE(wanted.ok() && found.ok());
      EXPECT_TRUE((*found)->Equals(**wanted)) << (*found)->ToString();
    }
  }

  // The lines of a text file, or of the files in the folder that executors have written.
  static std::vector<std::string> Lines(const fs::path& path) {
    std::vector<std::string> lines;
    const auto read = [&](const fs::path& file) {
      std::ifstream in(file);
      for (std::string line; std::getline(in, line);) lines.push_back(line);
    };
    if (!fs::is_directory(path)) read(path);
    for (const auto& each : fs::recursive_directory_iterator(path.parent_path())) {
      const std::string name = each.path().filename().string();
      const bool part = each.path().parent_path() == path && name.starts_with("part-");
      if (part && name.ends_with(".csv")) read(each.path());
    }
    return lines;
  }

  bool OnSpark() const { return GetParam().starts_with("sc://"); }

  fs::path folder_;
  std::unique_ptr<Session> session_;
};

TEST_P(Exits, KeepEveryType) {
  std::vector<ArrayPtr> columns;
  for (const TypeCase& each : EveryType()) columns.push_back(ColumnOf(each));
  const auto batch = Batch(columns);
  for (const auto& [name, frame] : Sources(batch)) {
    SCOPED_TRACE("from " + name);
    ExpectKept(*batch, frame);
    for (const std::string sink : {"out.parquet", "out.arrow"}) {
      SCOPED_TRACE("to " + sink);
      const std::string path = (folder_ / (name + "." + sink)).string();
      const Status written = frame.Write().File(path);
      ASSERT_TRUE(written.ok()) << Render(FaultOf(written));
      ExpectKept(*batch, session_->Read().File(path));
    }
  }
}

TEST_P(Exits, KeepListsOfEveryType) {
  std::vector<ArrayPtr> columns;
  for (const TypeCase& each : EveryType()) {
    columns.push_back(ListColumnOf(each));
  }
  const auto batch = Batch(columns);
  for (const auto& [name, frame] : Sources(batch)) {
    SCOPED_TRACE("from " + name);
    ExpectKept(*batch, frame);
    for (const std::string sink : {"lists.parquet", "lists.arrow"}) {
      SCOPED_TRACE("to " + sink);
      const std::string path = (folder_ / (name + "." + sink)).string();
      const Status written = frame.Write().File(path);
      ASSERT_TRUE(written.ok()) << Render(FaultOf(written));
      ExpectKept(*batch, session_->Read().File(path));
    }
  }
}

// Spark's executors write times and quotes of CSV in their own form.
TEST_P(Exits, WriteTextWithAllDigits) {
  std::vector<ArrayPtr> columns;
  std::vector<std::string> csv = {"0", "2"}, json = {"0", "2"};
  for (const TypeCase& each : EveryType()) {
    const bool numbers = arrow::is_numeric(each.type->id()) || arrow::is_decimal(each.type->id());
    if (!each.csv || !each.json || (OnSpark() && !numbers)) continue;
    columns.push_back(ColumnOf(each));
    const std::string name = "c" + std::to_string(columns.size());
    for (size_t i = 0; i < 2; ++i) {
      csv[i] += "," + (*each.csv)[i];
      json[i] += ", \"" + name + "\": " + (*each.json)[i];
    }
  }
  for (const auto& [name, frame] : Sources(Batch(columns))) {
    SCOPED_TRACE("from " + name);
    const fs::path text = folder_ / (name + ".csv"), lines = folder_ / (name + ".jsonl");
    ASSERT_TRUE(frame.Sort({Asc("n")}).Write().Csv(text.string()).ok());
    EXPECT_THAT(Lines(text), testing::IsSupersetOf({csv[0], csv[1]}));
    ASSERT_TRUE(frame.Sort({Asc("n")}).Write().JsonLines(lines.string()).ok());
    const auto of = [&](size_t i) { return "{\"n\": " + json[i] + "}"; };
    EXPECT_THAT(Lines(lines), testing::IsSupersetOf({of(0), of(1)}));
  }
}

TEST_P(Exits, RefuseWhatTextDoesNotHold) {
  const TypeCase bytes{arrow::binary(), {"a", "b"}, {}, {}};
  const TypeCase numbers{arrow::int64(), {"1", "2"}, {}, {}};
  for (const ArrayPtr& column : {ColumnOf(bytes), ListColumnOf(bytes), ListColumnOf(numbers)}) {
    const std::string path = Write("in.parquet", *Batch({column}));
    const DataFrame frame = session_->Read().Parquet(path);
    const Fault fault = FaultOf(frame.Write().Csv((folder_ / "no.csv").string()));
    EXPECT_EQ(fault.exit, Exit::kUsage) << Render(fault);
    EXPECT_THAT(fault.what, HasSubstr("column \"c1\" of type "));
    EXPECT_FALSE(fs::exists(folder_ / "no.csv"));
    if (column == nullptr || column->type()->Equals(arrow::list(arrow::int64()))) continue;
    const Fault json = FaultOf(frame.Write().JsonLines((folder_ / "no.jsonl").string()));
    EXPECT_EQ(json.exit, Exit::kUsage) << Render(json);
    EXPECT_THAT(json.what, HasSubstr("cannot be written as JSON"));
  }
}

// A type that tables do not have is named, with its file.
TEST_P(Exits, RefuseWhatTablesDoNotHold) {
  const auto fault_of = [&](const TypePtr& type, const std::string& cell) {
    const std::string path = Write("odd.parquet", *Batch({Parsed(type, {cell, {}, cell})}));
    const auto stream = session_->Read().Parquet(path).Stream();
    Status status = stream.status();
    while (status.ok()) {
      const auto batch = (*stream)->Next();
      status = batch.status();
      if (batch.ok() && *batch == nullptr) break;
    }
    return FaultOf(status);
  };
  const Fault digits = fault_of(arrow::decimal256(50, 2), "1.50");
  EXPECT_EQ(digits.exit, Exit::kInput);
  EXPECT_THAT(digits.what, HasSubstr("\"c1\" is of type decimal256(50, 2)"));
  EXPECT_THAT(digits.where, HasSubstr("odd.parquet"));
  EXPECT_THAT(digits.fix, HasSubstr("fewer digits"));
  if (OnSpark()) return;  // It reads the two below by its own rules, with its own messages.
  const Fault large = fault_of(arrow::uint64(), "18446744073709551615");
  EXPECT_THAT(large.what, HasSubstr("column \"c1\" holds 18446744073709551615"));
  EXPECT_THAT(large.where, HasSubstr("odd.parquet"));
  EXPECT_THAT(large.fix, HasSubstr("CAST(c1 AS DECIMAL(38,0))"));
  const Fault nanos =
      fault_of(arrow::timestamp(arrow::TimeUnit::NANO), "2013-12-31 23:59:58.000000001");
  EXPECT_THAT(nanos.what, HasSubstr("has nanoseconds"));
  EXPECT_THAT(nanos.where, HasSubstr("odd.parquet"));
  EXPECT_THAT(nanos.fix, HasSubstr("date_trunc('MICROSECOND', c1)"));
}

TEST_P(Exits, RefuseColumnsThatNoQueryCanName) {
  const ArrayPtr ones = Parsed(arrow::int64(), {"1"});
  const auto named = [&](const std::string& a, const std::string& b) {
    const auto schema =
        arrow::schema({arrow::field(a, ones->type()), arrow::field(b, ones->type())});
    return arrow::RecordBatch::Make(schema, 1, {ones, ones});
  };
  for (const std::string name : {"names.parquet", "names.arrow"}) {
    const auto fault_of = [&](const std::string& a, const std::string& b) {
      const std::string path = Write(name, *named(a, b));
      return FaultOf(session_->Read().File(path).Schema().status());
    };
    const Fault none = fault_of("a", "");
    EXPECT_EQ(none.what, "column 2 has no name");
    EXPECT_THAT(none.where, HasSubstr(name));
    EXPECT_EQ(fault_of("a", "A").what, "two columns are named \"A\"");
    EXPECT_THAT(fault_of(std::string("a\0b", 3), "c").what, HasSubstr("a NUL character"));
  }
  std::ofstream(folder_ / "names.jsonl") << "{\"\": 1, \"b\": 2}\n";
  const Fault lines = FaultOf(session_->Read().File("names.jsonl").Schema().status());
  EXPECT_EQ(lines.what, "column 1 has no name");
  EXPECT_THAT(lines.where, HasSubstr("names.jsonl"));
}

// Computed results also keep their type.
TEST_P(Exits, KeepTypesOfResults) {
  const std::string path =
      Write("in.parquet", *Batch({Parsed(arrow::decimal128(9, 2), {"1.25", {}, "2.50"})}));
  session_->Table("t", session_->Read().Parquet(path));
  const DataFrame made = session_->Sql(
      "SELECT n, c1 * 2 AS twice, CAST(n AS DECIMAL(38,10)) / 3 AS third, array(c1, c1) AS pair, "
      "DATE'2020-01-02' AS day FROM t");
  const auto schema = made.Schema();
  ASSERT_TRUE(schema.ok()) << Render(FaultOf(schema.status()));
  EXPECT_EQ(
      Describe(**schema),
      "n int32, twice decimal(11,2), third decimal(38,10), pair list<decimal(9,2)>, day date");
  const fs::path out = folder_ / "out.parquet";
  ASSERT_TRUE(made.Write().Parquet(out.string()).ok());
  EXPECT_EQ(Describe(*session_->Read().Parquet(out.string()).Schema().ValueOrDie()),
            Describe(**schema));
  EXPECT_EQ(RowsOf(made)->GetColumnByName("twice")->GetScalar(0).ValueOrDie()->ToString(), "2.50");
}

TEST_P(Exits, KeepStructsAndMaps) {
  const std::string path =
      Write("in.parquet", *Batch({Parsed(arrow::decimal128(9, 2), {"1.25", {}, "2.50"})}));
  session_->Table("t", session_->Read().Parquet(path));
  const DataFrame made = session_->Sql(
      "SELECT n, named_struct('a', n, 'b', c1) AS s, map('k', c1) AS m FROM t ORDER BY n LIMIT 1");
  const fs::path out = folder_ / "out.parquet", lines = folder_ / "out.jsonl";
  ASSERT_TRUE(made.Write().Parquet(out.string()).ok());
  const DataFrame again = session_->Read().Parquet(out.string());
  const Status written = again.Write().JsonLines(lines.string());
  ASSERT_TRUE(written.ok()) << Render(FaultOf(written));
  EXPECT_THAT(Lines(lines),
              testing::ElementsAre(R"({"n": 0, "s": {"a": 0, "b": 1.25}, "m": {"k": 1.25}})"));
  const Fault fault = FaultOf(again.Write().Csv((folder_ / "no.csv").string()));
  EXPECT_THAT(fault.what, HasSubstr("column \"s\" of type struct<"));
}

std::string ExitsEngine(const testing::TestParamInfo<std::string>& info) {
  return info.param.substr(0, info.param.find(':'));
}

INSTANTIATE_TEST_SUITE_P(On, Exits, testing::ValuesIn(EngineAddresses()), ExitsEngine);

}  // namespace
}  // namespace protium
