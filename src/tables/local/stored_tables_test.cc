// SPDX-License-Identifier: Apache-2.0
// Tables that one engine makes and the next one takes. Each engine stands for a run.
#include "local/stored_tables.h"

#include <arrow/api.h>
#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "base/fault.h"
#include "column/schema.h"
#include "format/csv.h"
#include "local/local_engine.h"
#include "os/file_size_limit.h"
#include "os/temporary_folder.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class StoredTablesTest : public testing::Test {
 protected:
  StoredTablesTest() { Write("a,b\n1,x\n2,y\n3,\n"); }

  fs::path Store() const { return folder_.path() / "store"; }
  void Write(const std::string& text) {
    std::ofstream(folder_.path() / "t.csv", std::ios::binary) << text;
  }
  Plan Kept(const std::string& sql) {
    const std::string path = (folder_.path() / "t.csv").string();
    const Plan t = MakePlan(
        Scan{.table = "t", .paths = {path}, .schema = InferCsv({path}, {}).ValueOrDie().schema});
    return MakePlan(Materialize{"etl"}, {MakePlan(Sql{sql, {"t"}}, {t})});
  }
  std::unique_ptr<Engine> OpenRun(const std::string& run, bool fresh = false) {
    return MakeLocalEngine({.store = Store(), .fresh = fresh, .run = run}, nullptr);
  }
  Call Listening() {
    events_.clear();
    Call call;
    call.events = [this](const Json& event) { events_.push_back(event); };
    return call;
  }
  // The rows that a new run reads, as text.
  std::string Run(const std::string& run, const Plan& plan, bool fresh = false) {
    const auto engine = OpenRun(run, fresh);
    return RowsOf(*engine, plan);
  }
  std::string RowsOf(Engine& engine, const Plan& plan) {
    const auto stream = engine.Execute(plan, Listening());
    if (!stream.ok()) return Render(FaultOf(stream.status()));
    std::string text;
    while (true) {
      const auto batch = (*stream)->Next().ValueOrDie();
      if (batch == nullptr) return text;
      for (int64_t row = 0; row < batch->num_rows(); ++row) {
        for (int column = 0; column < batch->num_columns(); ++column) {
          text += batch->column(column)->GetScalar(row).ValueOrDie()->ToString() + " ";
        }
      }
    }
  }
  // Of which runs tables were taken.
  std::vector<std::string> Taken() const {
    std::vector<std::string> runs;
    for (const Json& each : events_) {
      if (each["event"] == "table_taken") runs.push_back(each["run"]);
    }
    return runs;
  }
  std::vector<std::string> Notes() const {
    std::vector<std::string> notes;
    for (const Json& each : events_) {
      if (each["event"] == "note") notes.push_back(each["message"]);
    }
    return notes;
  }
  int Objects() const {
    int objects = 0;
    for (const auto& each : fs::recursive_directory_iterator(Store() / "objects")) {
      objects += each.path().filename() == "manifest.json" ? 1 : 0;
    }
    return objects;
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::vector<Json> events_;
};

TEST_F(StoredTablesTest, TheNextRunTakesTheRows) {
  const Plan kept = Kept("SELECT a * 10 AS c, b FROM t");
  EXPECT_EQ(Run("one", kept), "10 x 20 y 30 null ");
  EXPECT_TRUE(Taken().empty());
  EXPECT_EQ(Objects(), 1);
  EXPECT_EQ(Run("two", Kept("SELECT a * 10 AS c, b FROM t")), "10 x 20 y 30 null ");
  EXPECT_THAT(Taken(), ElementsAre("one"));
  EXPECT_TRUE(Notes().empty());
  EXPECT_TRUE(fs::is_empty(Store() / "open"));
}

TEST_F(StoredTablesTest, AQueryAndAFileThatChangedAreMadeAnew) {
  Run("one", Kept("SELECT a FROM t"));
  EXPECT_EQ(Run("two", Kept("SELECT a + 1 AS a FROM t")), "2 3 4 ");
  EXPECT_TRUE(Taken().empty());
  // As many bytes, within the same second.
  Write("a,b\n7,x\n2,y\n3,\n");
  EXPECT_EQ(Run("three", Kept("SELECT a FROM t")), "7 2 3 ");
  EXPECT_TRUE(Taken().empty());
  EXPECT_EQ(Objects(), 3);
  Write("a,b\n1,x\n2,y\n3,\n");
  EXPECT_EQ(Run("four", Kept("SELECT a FROM t")), "1 2 3 ");
  EXPECT_THAT(Taken(), ElementsAre("one"));
}

TEST_F(StoredTablesTest, WhatVariesIsNeverKept) {
  for (const char* sql : {"SELECT a, now() AS n FROM t", "SELECT a FROM t LIMIT 2",
                          "SELECT a, last_value(a) OVER (ORDER BY b) AS r FROM t",
                          "SELECT avg(CAST(a AS DOUBLE)) AS m FROM t"}) {
    Run("one", Kept(sql));
    EXPECT_EQ(Objects(), 0) << sql;
  }
  Run("one", Kept("SELECT exp(a) AS e FROM t"));
  EXPECT_EQ(Objects(), 1);
  Run("one", Kept("SELECT b, sum(a) AS s, avg(a * 0.1) AS m FROM t GROUP BY b"));
  Run("one", Kept("SELECT a, row_number() OVER (ORDER BY b) AS r FROM t"));
  EXPECT_EQ(Objects(), 3);
}

// Ten rows tie everywhere. Without the order that BreakTies() adds, two threads give other rows in
// nearly every run; sums of whole numbers and decimals never vary.
TEST_F(StoredTablesTest, WhatIsKeptIsTheSameWithAnyThreads) {
  const Plan kept = Kept(
      "SELECT sum(crc32(concat_ws(',', id, l, n, m))) AS rows, sum(id * 0.1) AS s FROM (SELECT id, "
      "lag(id) OVER (PARTITION BY id % 7 ORDER BY id % 40000) AS l, "
      "row_number() OVER (ORDER BY id % 40000) AS n, "
      "max(id) OVER (ORDER BY id % 40000 ROWS 3 PRECEDING) AS m FROM range(400000) r(id)) t");
  std::set<std::string> seen;
  for (const int32_t threads : {1, 2, 4, 2, 4}) {
    const auto engine = MakeLocalEngine({.threads = threads}, nullptr);
    seen.insert(RowsOf(*engine, kept));
  }
  EXPECT_EQ(seen.size(), 1u) << *seen.begin();
  EXPECT_THAT(*seen.begin(), HasSubstr(" "));
}

// What is made of the rows is named by their contents: the same for another text of the same query.
TEST_F(StoredTablesTest, WhatIsMadeOfTheRowsIsNamedByTheirContents) {
  std::vector<bool> made_before;
  const auto name = [&](const std::string& sql, const std::string& predicate = "a") {
    const auto engine = OpenRun("one");
    const Plan kept = Kept(sql);
    const Plan above = MakePlan(Filter{MakeCall("is_not_null", {Col(predicate)})}, {kept});
    const Json before = engine->NameRows(above, {}).causes;
    RowsOf(*engine, above);
    // Known before that if an earlier run has made it.
    if (!before.is_null()) {
      EXPECT_EQ(engine->NameRows(above, {}).causes, before);
    }
    made_before.push_back(!before.is_null());
    return engine->NameRows(above, {});
  };
  const RowsName first = name("SELECT a, b FROM t");
  ASSERT_FALSE(first.causes.is_null());
  ASSERT_EQ(first.inputs.size(), 1u);
  EXPECT_EQ(first.inputs[0].path, (folder_.path() / "t.csv").string());
  EXPECT_EQ(name("SELECT a, b FROM t").causes, first.causes);  // Taken.
  EXPECT_EQ(name("SELECT t.a, b FROM t ORDER BY b").causes, first.causes);
  EXPECT_NE(name("SELECT a, b FROM t", "b").causes, first.causes);
  EXPECT_NE(name("SELECT a, upper(b) AS b FROM t").causes, first.causes);
  EXPECT_NE(name("SELECT a, b FROM t UNION ALL SELECT a, b FROM t WHERE a = 1").causes,
            first.causes);
  EXPECT_NE(name("SELECT CAST(a AS DOUBLE) AS a, b FROM t").causes, first.causes);
  EXPECT_NE(name("SELECT CAST('0.0' AS DOUBLE) AS a FROM t").causes,
            name("SELECT CAST('-0.0' AS DOUBLE) AS a FROM t").causes);
  EXPECT_TRUE(name("SELECT a, now() AS b FROM t").causes.is_null());
  EXPECT_THAT(made_before,
              ElementsAre(false, true, false, true, false, false, false, false, false, false));
}

TEST_F(StoredTablesTest, RowsThatMayVaryHaveNoName) {
  const auto engine = OpenRun("one");
  const Plan kept = Kept("SELECT a, b FROM t");
  RowsOf(*engine, kept);
  const auto named = [&](const Plan& plan) { return !engine->NameRows(plan, {}).causes.is_null(); };
  const auto keys =
      std::make_shared<const std::vector<std::string>>(std::vector<std::string>{"x", "y"});
  EXPECT_TRUE(named(kept));
  EXPECT_TRUE(named(MakePlan(Lookup{"b", "i", keys, 7, {}}, {kept})));
  EXPECT_TRUE(named(MakePlan(Sql{"SELECT a + 1 AS c FROM r", {"r"}}, {kept})));
  EXPECT_FALSE(named(MakePlan(Sql{"SELECT now() AS c FROM r", {"r"}}, {kept})));
  EXPECT_FALSE(named(MakePlan(Limit{2}, {kept})));
  EXPECT_FALSE(named(MakePlan(MapTask{.task = "own"}, {kept})));
  EXPECT_FALSE(named(kept->inputs.front()));  // Of files.
  const auto without = MakeLocalEngine({}, nullptr);
  RowsOf(*without, kept);
  EXPECT_TRUE(without->NameRows(kept, {}).causes.is_null());
  EXPECT_EQ(without->Kept(), nullptr);
}

TEST_F(StoredTablesTest, FreshMakesThemAnew) {
  const Plan kept = Kept("SELECT a FROM t");
  Run("one", kept);
  EXPECT_EQ(Run("two", kept, true), "1 2 3 ");
  EXPECT_TRUE(Taken().empty());
  EXPECT_EQ(Objects(), 1);
  Run("three", kept);
  EXPECT_THAT(Taken(), ElementsAre("two"));
}

TEST_F(StoredTablesTest, SplitsOfTakenTablesAreTheSame) {
  const Plan kept = Kept("SELECT a, b FROM t");
  const auto side = [&](Split::Side side, int64_t seed) {
    return MakePlan(Split{.by = {"a"}, .part = 0.5, .seed = seed, .side = side}, {kept});
  };
  const auto without = MakeLocalEngine({}, nullptr);
  for (const int64_t seed : {1, 1, 2}) {  // The second time the sides are taken, too.
    for (const auto each : {Split::Side::kRest, Split::Side::kPart}) {
      EXPECT_EQ(Run("one", side(each, seed)), RowsOf(*without, side(each, seed)));
    }
  }
  EXPECT_EQ(Objects(), 1);
}

TEST_F(StoredTablesTest, ADamagedObjectIsMadeAgainAndSaid) {
  const Plan kept = Kept("SELECT a FROM t");
  Run("one", kept);
  for (const auto& each : fs::recursive_directory_iterator(Store() / "objects")) {
    if (each.path().filename() == "table.duckdb") fs::resize_file(each.path(), 100);
  }
  EXPECT_EQ(Run("two", kept), "1 2 3 ");
  EXPECT_TRUE(Taken().empty());
  ASSERT_EQ(Notes().size(), 1u);
  EXPECT_THAT(Notes()[0], HasSubstr("was damaged and is dropped"));
  Run("three", kept);
  EXPECT_THAT(Taken(), ElementsAre("two"));
}

TEST_F(StoredTablesTest, AFullDiskCostsTheKeepingNotTheRun) {
  Run("none", Kept("SELECT b FROM t"));
  std::string rows;
  {
    const auto engine = OpenRun("one");
    const FileSizeLimit limit(8192);
    rows = RowsOf(*engine, Kept("SELECT a FROM t"));
  }
  EXPECT_EQ(rows, "1 2 3 ");
  ASSERT_EQ(Notes().size(), 1u);
  EXPECT_THAT(Notes()[0], HasSubstr("not kept"));
}

TEST_F(StoredTablesTest, AStoreThatCannotBeOpenedIsANote) {
  fs::create_directories(Store());
  fs::permissions(Store(), fs::perms::all);
  EXPECT_EQ(Run("one", Kept("SELECT a FROM t")), "1 2 3 ");
  ASSERT_EQ(Notes().size(), 1u);
  EXPECT_THAT(Notes()[0], HasSubstr("is open to others"));
}

TEST_F(StoredTablesTest, ThePersonsSqlCannotOpenTheStore) {
  const auto engine = OpenRun("one");
  EXPECT_EQ(RowsOf(*engine, Kept("SELECT a FROM t")), "1 2 3 ");
  for (const auto& each : fs::recursive_directory_iterator(Store() / "objects")) {
    if (each.path().filename() != "table.duckdb") continue;
    const Plan other =
        MakePlan(Scan{.table = "o", .paths = {each.path().string()}, .schema = arrow::schema({})});
    EXPECT_THAT(RowsOf(*engine, Kept("SELECT * FROM read_text('" + each.path().string() + "')")),
                HasSubstr("error"));
  }
}

TEST_F(StoredTablesTest, ThePlanSaysWhatWouldBeTaken) {
  const Plan kept = Kept("SELECT a FROM t");
  auto said = OpenRun("one")->Explain(kept, {}).ValueOrDie().kept;
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0]["name"], "etl");
  EXPECT_FALSE(said[0].contains("from"));
  Run("one", kept);
  said = OpenRun("two")->Explain(kept, {}).ValueOrDie().kept;
  EXPECT_EQ(said[0]["from"], "one");
  EXPECT_EQ(said[0]["rows"], 3);
  said = OpenRun("two")->Explain(Kept("SELECT now() AS n FROM t"), {}).ValueOrDie().kept;
  EXPECT_EQ(said[0]["not"], "now: gives a different value in every run");
  EXPECT_TRUE(MakeLocalEngine({}, nullptr)->Explain(kept, {}).ValueOrDie().kept.is_null());
}

TEST_F(StoredTablesTest, NoRowsAreHadWithoutMakingTheTable) {
  const auto engine = OpenRun("one");
  const Plan none = MakePlan(Limit{0}, {Kept("SELECT a AS c, b FROM t")});
  const auto stream = engine->Execute(none, {}).ValueOrDie();
  EXPECT_EQ(Describe(*stream->schema()), "c int64, b string");
  EXPECT_EQ(*stream->Next(), nullptr);
  EXPECT_EQ(Objects(), 0);
  EXPECT_FALSE(engine->Execute(MakePlan(Limit{0}, {Kept("SELECT zebra FROM t")}), {}).ok());
}

TEST_F(StoredTablesTest, TwoRunsAtTheSameTimeMakeTheTableOnce) {
  const Plan kept = Kept("SELECT x.a FROM t x, t y, t z ORDER BY x.a");
  const auto one = OpenRun("one"), two = OpenRun("two");
  std::vector<std::jthread> runs;
  std::atomic<int> rows = 0;
  for (Engine* engine : {one.get(), two.get()}) {
    runs.emplace_back([&, engine] {
      const auto stream = engine->Execute(kept, {}).ValueOrDie();
      while (const auto batch = *stream->Next()) rows += int(batch->num_rows());
    });
  }
  runs.clear();
  EXPECT_EQ(rows, 54);
  EXPECT_EQ(Objects(), 1);
}

}  // namespace
}  // namespace protium
