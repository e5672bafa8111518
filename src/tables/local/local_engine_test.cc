// SPDX-License-Identifier: Apache-2.0
#include "local/local_engine.h"

#include <arrow/api.h>
#include <duckdb.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/fault.h"
#include "column/schema.h"
#include "format/csv.h"
#include "format/file_writer.h"
#include "format/parquet.h"
#include "os/file.h"

namespace protium {
namespace {

class Local : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return (folder_.path() / name).string(); }
  Plan Csv(const std::string& name, const std::string& text, SchemaPtr schema = nullptr,
           CsvOptions options = {}) {
    std::ofstream(Path(name), std::ios::binary) << text;
    if (schema == nullptr) schema = InferCsv({Path(name)}, options).ValueOrDie().schema;
    return MakePlan(Scan{.table = name, .paths = {Path(name)}, .schema = schema, .csv = options});
  }
  static Plan Query(const std::string& text, std::vector<std::string> names = {},
                    std::vector<Plan> inputs = {}) {
    return MakePlan(Sql{text, std::move(names)}, std::move(inputs));
  }
  std::shared_ptr<arrow::Table> Rows(const Plan& plan, const Call& call = {}) {
    auto stream = engine_->Execute(plan, call);
    if (!stream.ok()) {
      ADD_FAILURE() << Render(FaultOf(stream.status()));
      return nullptr;
    }
    arrow::RecordBatchVector batches;
    while (true) {
      auto batch = (*stream)->Next();
      if (!batch.ok()) {
        ADD_FAILURE() << Render(FaultOf(batch.status()));
        return nullptr;
      }
      if (*batch == nullptr) break;
      EXPECT_TRUE((*batch)->ValidateFull().ok());
      batches.push_back(*batch);
    }
    return arrow::Table::FromRecordBatches((*stream)->schema(), batches).ValueOrDie();
  }
  Fault FaultOfPlan(const Plan& plan, const Call& call = {}) {
    auto stream = engine_->Execute(plan, call);
    if (!stream.ok()) return FaultOf(stream.status());
    while (true) {
      auto batch = (*stream)->Next();
      if (!batch.ok()) return FaultOf(batch.status());
      if (*batch == nullptr) return {.exit = Exit::kDone};
    }
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::unique_ptr<Engine> engine_ = MakeLocalEngine({}, nullptr);
};

TEST_F(Local, StreamsATableThroughSql) {
  const Plan t = Csv("t.csv", "a,b\n1,x\n2,y\n3,\n");
  const auto rows = Rows(Query("SELECT b, sum(a) AS s FROM t GROUP BY b ORDER BY b", {"t"}, {t}));
  EXPECT_EQ(Describe(*rows->schema()), "b string, s int64");
  ASSERT_EQ(rows->num_rows(), 3);
  EXPECT_TRUE(rows->GetColumnByName("b")->chunk(0)->IsNull(0));
}

TEST_F(Local, TellsHowLongEachOperatorTook) {
  const Plan t = Csv("t.csv", "a,b\n1,x\n2,y\n3,\n");
  const Plan kept =
      MakePlan(Materialize{"sums"}, {Query("SELECT b, sum(a) AS s FROM t GROUP BY b", {"t"}, {t})});
  std::vector<Json> plans;
  Call call;
  call.events = [&](const Json& event) {
    if (event["event"] == "engine_plan") plans.push_back(event);
  };
  const auto stream = engine_->Execute(kept, call).ValueOrDie();
  while (*stream->Next()) {
  }
  ASSERT_EQ(plans.size(), 1u);
  EXPECT_EQ(plans[0]["name"], "sums");
  EXPECT_GT(plans[0]["seconds"].get<double>(), 0);
  std::set<std::string> names;
  for (const Json& each : plans[0]["operators"]) names.insert(each["name"].get<std::string>());
  EXPECT_GE(names.size(), 3u) << plans[0];
  const auto by = std::ranges::find_if(plans[0]["operators"], [](const Json& each) {
    return each["name"].get<std::string>().find("GROUP_BY") != std::string::npos;
  });
  ASSERT_NE(by, plans[0]["operators"].end()) << plans[0];
  EXPECT_EQ((*by)["rows"], 3);
  EXPECT_GT((*by)["depth"], 0);
}

// Makes a database as another program would leave it.
void MakeDatabase(const std::string& path, const std::vector<std::string>& statements) {
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  ASSERT_EQ(duckdb_open(path.c_str(), &database), DuckDBSuccess);
  ASSERT_EQ(duckdb_connect(database, &connection), DuckDBSuccess);
  for (const std::string& each : statements) {
    EXPECT_EQ(duckdb_query(connection, each.c_str(), nullptr), DuckDBSuccess) << each;
  }
  duckdb_disconnect(&connection);
  duckdb_close(&database);
}

NamedTable InDuckDb(const std::string& name, const std::string& file) {
  return {name, Source{.kind = SourceKind::kDuckDb, .file = file, .table = name}};
}

TEST_F(Local, ReadsTablesOfDatabases) {
  MakeDatabase(Path("w'1.duckdb"),
               {"CREATE TABLE sales AS SELECT range AS x, 'shop' || range % 3 AS \"the shop\" "
                "FROM range(9)",
                "CREATE SCHEMA old", "CREATE TABLE old.sales AS SELECT 1 AS y"});
  const Plan sales = MakePlan(InDuckDb("sales", Path("w'1.duckdb")));
  EXPECT_EQ(Rows(sales)->num_rows(), 9);
  EXPECT_EQ(Describe(**engine_->Analyze(sales, {})), "x int64, the shop string");
  const Plan t = Csv("t.csv", "x\n3\n");
  EXPECT_EQ(
      Rows(Query("SELECT s.x FROM s JOIN t ON s.x = t.x", {"s", "t"}, {sales, t}))->num_rows(), 1);
  // The engine has run a person's SQL by now, which must open nothing else.
  MakeDatabase(Path("v.duckdb"), {"CREATE TABLE more AS SELECT 5 AS z"});
  const Plan more = MakePlan(InDuckDb("more", Path("v.duckdb")));
  const Plan old = MakePlan(InDuckDb("old.sales", Path("w'1.duckdb")));
  EXPECT_EQ(Rows(Query("SELECT y + z AS w FROM a, b", {"a", "b"}, {old, more}))->num_rows(), 1);
}

TEST_F(Local, TablesThatNoDatabaseHas) {
  MakeDatabase(Path("w.duckdb"), {"CREATE TABLE sales AS SELECT 1 AS x"});
  const Fault other = FaultOfPlan(MakePlan(InDuckDb("sale", Path("w.duckdb"))));
  EXPECT_NE(other.what.find("sale"), std::string::npos) << Render(other);
  EXPECT_EQ(FaultOfPlan(MakePlan(InDuckDb("sales", Path("none.duckdb")))).exit, Exit::kInput);
  std::ofstream(Path("text.duckdb")) << "a,b\n";
  const Fault text = FaultOfPlan(MakePlan(InDuckDb("sales", Path("text.duckdb"))));
  EXPECT_EQ(text.what, "the DuckDB database cannot be read");
  EXPECT_EQ(text.exit, Exit::kInput);
  const Fault catalogue = FaultOfPlan(MakePlan(NamedTable{"db.sales"}));
  EXPECT_EQ(catalogue.exit, Exit::kUsage);
  EXPECT_NE(catalogue.what.find("no catalogue"), std::string::npos) << Render(catalogue);
}

TEST_F(Local, AnalyzeGivesTypesAndMovesNoData) {
  const Plan t =
      Csv("t.csv", "a,d\n1,2013-01-01\nx,2013-01-02\n",
          arrow::schema({arrow::field("a", arrow::int64()), arrow::field("d", arrow::date32())}));
  const Plan plan =
      Query("SELECT sum(a) s, count(*) c, max(d) d, 0.5 h, avg(a) m FROM t", {"t"}, {t});
  EXPECT_EQ(Describe(*engine_->Analyze(plan, {}).ValueOrDie()),
            "s int64, c int64, d date, h decimal(1,1), m float64");
}

TEST_F(Local, MaterializesOnceHoweverOftenItIsRead) {
  const Plan t = Csv("t.csv", "a\n1\n2\n");
  const Plan kept =
      MakePlan(Materialize{"etl"}, {Query("SELECT a, 10 - a AS r FROM t", {"t"}, {t})});
  const Plan plan =
      Query("SELECT x.r = y.r AS same FROM x JOIN y ON x.a = y.a", {"x", "y"}, {kept, kept});
  std::ofstream(Path("t.csv")) << "a\n1\n2\n3\n";
  const auto first = Rows(plan);
  std::ofstream(Path("t.csv")) << "a\n";
  EXPECT_EQ(first->num_rows(), 3);
  EXPECT_TRUE(Rows(plan)->Equals(*first));
  EXPECT_TRUE(Rows(kept)->Equals(*Rows(kept)));
}

TEST_F(Local, BatchesAreJoinedToAMebibyte) {
  auto stream = engine_->Execute(Query("SELECT id AS n FROM range(1000000)"), {}).ValueOrDie();
  int64_t rows = 0, batches = 0;
  while (const auto batch = stream->Next().ValueOrDie()) {
    rows += batch->num_rows();
    ++batches;
  }
  EXPECT_EQ(rows, 1000000);
  EXPECT_LE(batches, 8);
}

TEST_F(Local, SplitsRowsByTheirDays) {
  std::string text = "day,n\n";
  for (int i = 0; i < 2000; ++i) text += std::to_string(i % 365) + "," + std::to_string(i) + "\n";
  const Plan t = Csv("t.csv", text);
  const Plan test = MakePlan(Split{.by = {"day"}, .seed = 7, .side = Split::Side::kPart}, {t});
  const Plan train = MakePlan(Split{.by = {"day"}, .seed = 7}, {t});
  const auto count = [&](const std::string& sql) {
    const auto rows = Rows(Query(sql, {"a", "b"}, {test, train}));
    return std::static_pointer_cast<arrow::Int64Array>(rows->column(0)->chunk(0))->Value(0);
  };
  EXPECT_EQ(count("SELECT (SELECT count(*) FROM a) + (SELECT count(*) FROM b)"), 2000);
  EXPECT_EQ(count("SELECT count(*) FROM a JOIN b ON a.day = b.day"), 0);
  const int64_t days = count("SELECT count(DISTINCT day) FROM a");
  EXPECT_GT(days, 50);
  EXPECT_LT(days, 95);
}

// The sides are hashed when the table is made; nothing is evaluated a second time.
TEST_F(Local, AKeptTableCarriesTheSidesOfItsCuts) {
  const Plan days =
      Query("SELECT id % 365 AS day, id AS n, CAST(id AS DOUBLE) AS r FROM range(5000)");
  const auto cuts = [](const Plan& kept) {
    const Plan train = MakePlan(Split{.by = {"day"}, .part = 0.2, .seed = 7}, {kept});
    return MakePlan(MarkSplit{.by = {"day"}, .part = 0.1, .seed = 8, .column = "held"}, {train});
  };
  const Plan kept = MakePlan(Materialize{"etl"}, {days});
  const Plan marked = cuts(kept);
  const auto first = Rows(marked);
  EXPECT_EQ(Describe(*first->schema()), "day int64, n int64, r float64, held bool");
  const Plan test =
      MakePlan(Split{.by = {"day"}, .part = 0.2, .seed = 7, .side = Split::Side::kPart}, {kept});
  EXPECT_EQ(Rows(test)->num_rows() + first->num_rows(), 5000);
  EXPECT_EQ(Describe(*Rows(kept)->schema()), "day int64, n int64, r float64");
  EXPECT_TRUE(Rows(marked)->Equals(*first));
  // A table that was kept before the cuts were known gives the same sides.
  const Plan early = MakePlan(Materialize{"etl"}, {kept});
  EXPECT_EQ(Rows(early)->num_rows(), 5000);
  EXPECT_TRUE(Rows(cuts(early))->Equals(*first));
}

TEST_F(Local, LooksUpPositions) {
  const Plan t = Csv("t.csv", "k\nb\nz\n\na\n");
  const auto keys = std::make_shared<std::vector<std::string>>(std::vector<std::string>{"a", "b"});
  const Plan plan = Query(
      "SELECT i FROM t ORDER BY k", {"t"},
      {MakePlan(Lookup{.column = "k", .output = "i", .keys = keys, .unseen = 2, .missing = {}},
                {t})});
  EXPECT_EQ(Rows(plan)->column(0)->chunk(0)->ToString(), "[\n  null,\n  0,\n  1,\n  2\n]");
}

TEST_F(Local, LooksUpTextsAsTheyAre) {
  const auto keys = std::make_shared<std::vector<std::string>>(
      std::vector<std::string>{"it's", "", "\\'", "ä", "a ", "A", "7"});
  const Lookup lookup{.column = "k", .output = "i", .keys = keys, .unseen = -1};
  const Plan texts = MakePlan(lookup, {Csv("odd.csv", "k\na\nA\n\"a \"\nit's\n\\'\nä\n7\n")});
  EXPECT_EQ(
      Rows(Query("SELECT i FROM t ORDER BY i", {"t"}, {texts}))->column(0)->chunk(0)->ToString(),
      "[\n  -1,\n  0,\n  2,\n  3,\n  4,\n  5,\n  6\n]");
  const Plan numbers = MakePlan(lookup, {Query("SELECT id AS k FROM range(6, 9)")});
  EXPECT_EQ(
      Rows(Query("SELECT sum(i) AS a FROM t", {"t"}, {numbers}))->column(0)->chunk(0)->ToString(),
      "[\n  4\n]");
}

TEST_F(Local, LooksUpAmongManyKeys) {
  auto keys = std::make_shared<std::vector<std::string>>();
  for (int i = 0; i < 50000; ++i) keys->push_back("key " + std::to_string(i));
  const Plan t = Query("SELECT 'key ' || id AS k FROM range(0, 60000, 7)");
  const Plan found =
      MakePlan(Lookup{.column = "k", .output = "i", .keys = keys, .unseen = -1}, {t});
  const Plan plan = Query("SELECT count(*) AS n, sum(i) AS s FROM t WHERE i >= 0", {"t"}, {found});
  const auto rows = Rows(plan);
  EXPECT_EQ(rows->column(0)->chunk(0)->ToString(), "[\n  7143\n]");
  EXPECT_EQ(rows->column(1)->chunk(0)->ToString(), "[\n  178553571\n]");
  EXPECT_TRUE(engine_->Explain(plan, {}).ok());
}

TEST_F(Local, WritesAFileWhole) {
  const Plan t = Csv("t.csv", "a,b\n1,x\n2,y\n");
  const Plan write =
      MakePlan(Write{.format = Format::kParquet, .path = Path("out/t.parquet")}, {t});
  EXPECT_EQ(engine_->Run(write, {}).ValueOrDie(), 2);
  const auto schema = ParquetSchema({Path("out/t.parquet")}).ValueOrDie();
  const Plan back = MakePlan(Scan{.table = "back",
                                  .format = Format::kParquet,
                                  .paths = {Path("out/t.parquet")},
                                  .schema = schema});
  EXPECT_TRUE(Rows(back)->Equals(*Rows(t)));
}

TEST_F(Local, ReadsHardCsv) {
  const Plan t = Csv("t.csv",
                     "\xef\xbb\xbf\"a\",\"b\"\r\n\"x,1\",2\r\n\"line\r\nbreak\",3\r\n"
                     "\"say \"\"hi\"\"\",NA\r\nNA,4\r\n\"\",5\r\n\"NA\",6\r\n",
                     nullptr, {.null = "NA"});
  const auto rows = Rows(t);
  EXPECT_EQ(Describe(*rows->schema()), "a string, b int64");
  const auto a = std::static_pointer_cast<arrow::StringArray>(rows->column(0)->chunk(0));
  ASSERT_EQ(a->length(), 6);
  EXPECT_EQ(a->GetView(1), "line\r\nbreak");
  EXPECT_EQ(a->GetView(2), "say \"hi\"");
  EXPECT_TRUE(a->IsNull(3) && !a->IsNull(4) && a->GetView(4).empty() && a->IsNull(5));
}

// A sniffer misreads each of these: lines to skip, comments, another delimiter, quote or form of
// dates, a first row that is not a header.
TEST_F(Local, ReadsCsvByWhatWasInferredAlone) {
  const auto read = [&](const std::string& text, const CsvOptions& options = {}) {
    const auto rows = Rows(Csv("odd.csv", text, nullptr, options));
    return Describe(*rows->schema()) + ": " + std::to_string(rows->num_rows()) + " " +
           rows->column(0)->GetScalar(0).ValueOrDie()->ToString();
  };
  EXPECT_EQ(read("t\n01/02/2013\n03/04/2013\n"), "t string: 2 01/02/2013");
  EXPECT_EQ(read("a;b,c\n1;2,5\n3;4,6\n"), "a;b string, c int64: 2 1;2");
  EXPECT_EQ(read("# of rows,b\n#1,2\n#3,4\n"), "# of rows string, b int64: 2 #1");
  EXPECT_EQ(read("a,b\n'x',1\n'y',2\n"), "a string, b int64: 2 'x'");
  EXPECT_EQ(read("1,2\n3,4\n5,6\n", {.header = false}), "column1 int64, column2 int64: 3 1");
  EXPECT_EQ(read("a,b\n\n1,x\n\n\n2,y\n"), "a int64, b string: 2 1");
  EXPECT_EQ(read("n\n9223372036854775808\n1\n"), "n string: 2 9223372036854775808");
  EXPECT_EQ(read("b\nt\nf\n"), "b string: 2 t");
  EXPECT_EQ(read("x,y\n1,\"2,3\"\n\"4\",5\n"), "x int64, y string: 2 1");
}

TEST_F(Local, BadCellsAreFoundWithTheirPlace) {
  std::string text = "a,b\n";
  for (int i = 2; i < 30001; ++i) text += "1,2\n";
  const auto schema =
      arrow::schema({arrow::field("a", arrow::int64()), arrow::field("b", arrow::int64())});
  Fault fault = FaultOfPlan(Csv("t.csv", text + "1,x1\n", schema));
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_EQ(fault.what, "column \"b\" holds \"x1\", which is not int64");
  EXPECT_EQ(fault.where, Path("t.csv") + ":30001");
  const Plan ragged = Csv("r.csv", text + "1,2,3\n", schema);
  fault = FaultOfPlan(MakePlan(Materialize{"etl"}, {ragged}));
  EXPECT_EQ(fault.what, "3 cells where 2 are expected");
  EXPECT_EQ(fault.where, Path("r.csv") + ":30001");
}

TEST_F(Local, ADecodedUrlThatIsNotUtf8IsAFault) {
  const Plan t = Csv("t.csv", "u\na%FFb\n");
  EXPECT_NE(FaultOfPlan(Query("SELECT url_decode(u) AS d FROM t", {"t"}, {t}))
                .what.find("the URL holds bytes that are not UTF-8: 'a%FFb'"),
            std::string::npos);
}

TEST_F(Local, BadSqlIsAUsageFaultWithItsPlace) {
  const Plan t = Csv("t.csv", "hour,day\n1,2\n");
  Fault fault = FaultOfPlan(Query("SELECT hous FROM t", {"t"}, {t}));
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_NE(fault.what.find("hous"), std::string::npos) << fault.what;
  EXPECT_NE(fault.fix.find("\"hour\""), std::string::npos) << Render(fault);
}

TEST_F(Local, AMissingFileIsNamed) {
  const Plan plan = MakePlan(Scan{.table = "t",
                                  .paths = {Path("none.csv")},
                                  .schema = arrow::schema({arrow::field("a", arrow::int64())})});
  EXPECT_EQ(FaultOfPlan(plan).where, Path("none.csv"));
  EXPECT_EQ(FaultOf(engine_->Explain(plan, {}).status()).exit, Exit::kInput);
}

// It reports its progress now and then.
TEST_F(Local, AStopEndsAQueryInTheMiddle) {
  std::stop_source source;
  const Call call{.stop = source.get_token(),
                  .events = [&](const Json&) { source.request_stop(); }};
  const Plan slow = Query("SELECT count(*) FROM range(10000000) a, range(1000000) b");
  EXPECT_EQ(FaultOfPlan(slow, call).exit, Exit::kStopped);
}

TEST_F(Local, ADeadlineEndsAQuery) {
  const Plan slow = Query("SELECT count(*) FROM range(10000000) a, range(1000000) b");
  const Call call{.deadline = Clock::now() + std::chrono::milliseconds(100)};
  EXPECT_EQ(FaultOfPlan(slow, call).exit, Exit::kStalled);
  EXPECT_EQ(FaultOfPlan(MakePlan(Materialize{"m"}, {slow}), call).exit, Exit::kStalled);
}

TEST_F(Local, TellsHowManyRowsItMade) {
  std::vector<Json> told;
  const Call call{.events = [&](const Json& event) { told.push_back(event); }};
  const Plan kept = MakePlan(Materialize{"etl"}, {Query("SELECT id AS n FROM range(1234)")});
  ASSERT_TRUE(engine_->Run(kept, call).ok());
  const auto last = std::find_if(told.rbegin(), told.rend(), [](const Json& each) {
    return each["event"] == "etl" && each["name"] == "etl";
  });
  ASSERT_NE(last, told.rend());
  EXPECT_EQ(*last, Json({{"event", "etl"}, {"name", "etl"}, {"rows", 1234}, {"percent", 100.0}}));
}

TEST_F(Local, TellsWhatIsHeldWhileATableIsMade) {
  std::stop_source source;
  const Call call{.stop = source.get_token(), .events = [&](const Json& event) {
                    const bool told = event.value("held", int64_t{-1}) >= 0 &&
                                      event.value("spilled", int64_t{-1}) >= 0;
                    if (told) source.request_stop();
                  }};
  const Plan endless = MakePlan(
      Materialize{"etl"}, {Query("SELECT count(*) AS n FROM range(10000000) a, range(1000000) b")});
  EXPECT_EQ(FaultOfPlan(endless, call).exit, Exit::kStopped);
}

TEST_F(Local, SpillsWhatOutgrowsItsMemoryOrSaysThatItCannot) {
  const Plan big =
      MakePlan(Materialize{"big"},
               {Query("SELECT id AS n, md5(CAST(id AS VARCHAR)) AS t FROM range(1000000)")});
  const auto run = [&](const std::string& spill) {
    const auto engine =
        MakeLocalEngine({.memory_bytes = 32 << 20, .threads = 2, .spill = spill}, nullptr);
    return engine->Run(big, {});
  };
  EXPECT_EQ(FaultOf(run("").status()).exit, Exit::kNoRoom);
  EXPECT_EQ(run(Path("spill")).ValueOr(-1), 1000000);
  EXPECT_TRUE(!std::filesystem::exists(Path("spill")) || std::filesystem::is_empty(Path("spill")));
}

TEST_F(Local, ReadsFilesInLittleMemory) {
  std::string text = "k,s\n";
  for (int i = 0; i < 200000; ++i) text += std::to_string(i) + ",some text\n";
  const Plan a = Csv("a.csv", text), b = Csv("b.csv", "k,t\n1,x\n2,y\n");
  engine_ =
      MakeLocalEngine({.memory_bytes = 100 << 20, .threads = 2, .spill = Path("spill")}, nullptr);
  const Plan joined =
      MakePlan(Materialize{"etl"},
               {Query("SELECT a.k, t FROM a LEFT JOIN b ON a.k = b.k", {"a", "b"}, {a, b})});
  const auto rows = Rows(Query("SELECT count(*) AS n, count(t) AS t FROM j", {"j"}, {joined}));
  ASSERT_NE(rows, nullptr);
  EXPECT_EQ(rows->column(0)->chunk(0)->ToString(), "[\n  200000\n]");
  EXPECT_EQ(rows->column(1)->chunk(0)->ToString(), "[\n  2\n]");
}

TEST_F(Local, TakesPathsByTheLetter) {
  const Plan odd = Csv("a[1]*b?.csv", "a\n1\n"), other = Csv("a1xbx.csv", "a\n1\n2\n");
  EXPECT_EQ(Rows(odd)->num_rows(), 1);
  EXPECT_EQ(Rows(other)->num_rows(), 2);
}

// DuckDB writes bloom filters, which distinguish 0.0 and -0.0.
TEST_F(Local, ZeroIsFoundWithEitherSign) {
  const std::string file = Path("zeros.parquet");
  const std::string number = "CASE WHEN i = 0 THEN '-0.0'::DOUBLE ELSE 1 + i % 50 END";
  MakeDatabase(Path("w.duckdb"), {"COPY (SELECT " + number + "::DOUBLE AS x, " + number +
                                  "::FLOAT AS f, i % 7 AS n FROM range(20000) t(i)) TO '" + file +
                                  "' (FORMAT parquet)"});
  const ParquetTable table = ReadParquetTable({file}).ValueOrDie();
  EXPECT_THAT(table.hashed, testing::ElementsAre("f", "x"));
  const Plan zeros = MakePlan(Scan{.table = "zeros",
                                   .format = Format::kParquet,
                                   .paths = {file},
                                   .schema = table.schema,
                                   .hashed = table.hashed});
  for (const char* condition : {"x = 0", "f = 0", "x IN (0.0D, 0.5D)"}) {
    const Plan found = Query(std::string("SELECT x, f FROM t WHERE ") + condition, {"t"}, {zeros});
    const auto rows = Rows(found);
    ASSERT_EQ(rows->num_rows(), 1) << condition;
    EXPECT_EQ(rows->column(0)->chunk(0)->ToString(), "[\n  -0\n]");
    EXPECT_EQ(Describe(*rows->schema()), "x float64, f float32");
  }
}

TEST_F(Local, FolderNamesAreNoColumns) {
  std::filesystem::create_directories(Path("year=1999/TEMP=20"));
  const Plan csv = Csv("year=1999/TEMP=20/y.csv", "year,temp\n2013,1.5\n");
  const std::string path = Path("year=1999/TEMP=20/y.parquet");
  ASSERT_TRUE(engine_->Run(MakePlan(Write{.path = path}, {csv}), {}).ok());
  const Plan parquet = MakePlan(Scan{.table = "y",
                                     .format = Format::kParquet,
                                     .paths = {path},
                                     .schema = ParquetSchema({path}).ValueOrDie()});
  for (const Plan& plan : {csv, parquet}) {
    const auto rows = Rows(plan);
    EXPECT_EQ(Describe(*rows->schema()), "year int64, temp float64");
    EXPECT_EQ(rows->column(0)->chunk(0)->ToString(), "[\n  2013\n]");
    EXPECT_EQ(rows->column(1)->chunk(0)->ToString(), "[\n  1.5\n]");
  }
}

// A database that was locked by text accepts no more files: files that are named later go into
// another one.
TEST_F(Local, ReadsFilesThatAreNamedAfterTextHasRun) {
  const Plan t = Csv("t.csv", "a,b\n1,x\n2,y\n");
  const Plan text = Query("SELECT a + 1 AS c FROM t", {"t"}, {t});
  const Plan kept = MakePlan(Materialize{"kept"}, {text});
  EXPECT_EQ(Rows(kept)->num_rows(), 2);
  std::filesystem::remove(Path("t.csv"));  // The kept table is not made again.
  const Plan u = Csv("u.csv", "c,d\n2,p\n3,q\n");
  std::ofstream(Path("t.csv")) << "a,b\n";
  const Plan both = Query("SELECT d FROM k JOIN u ON k.c = u.c ORDER BY d", {"k", "u"}, {kept, u});
  EXPECT_EQ(Describe(**engine_->Analyze(both, {})), "d string");
  const auto rows = Rows(both);
  ASSERT_EQ(rows->num_rows(), 2);
  EXPECT_EQ(rows->column(0)->GetScalar(1).ValueOrDie()->ToString(), "q");
  EXPECT_EQ(Rows(kept)->num_rows(), 2);
}

TEST_F(Local, ExplainsWithoutRunning) {
  const Plan t = Csv("t.csv", "a\n1\n");
  const Plan kept = MakePlan(Materialize{"etl"}, {Query("SELECT sum(a) AS s FROM t", {"t"}, {t})});
  const auto said = engine_->Explain(MakePlan(Limit{3}, {kept}), {}).ValueOrDie();
  EXPECT_NE(said.sql.find("-- materialize etl\n"), std::string::npos) << said.sql;
  EXPECT_NE(said.sql.find("SELECT * FROM (SELECT * FROM \"etl\") LIMIT 3"), std::string::npos)
      << said.sql;
  EXPECT_FALSE(said.not_exact.empty());
}

}  // namespace
}  // namespace protium
