// SPDX-License-Identifier: Apache-2.0
// What is part of a cause, one change each.
#include "local/table_cause.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/fault.h"
#include "os/temporary_folder.h"
#include "store/manifest.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

class TableCauseTest : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) {
    const fs::path path = folder_.path() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  static Scan ScanOf(const std::string& path) {
    return {.table = "t",
            .paths = {path},
            .schema = arrow::schema({arrow::field("a", arrow::int64())})};
  }
  static Plan Kept(Scan scan, const std::string& sql = "SELECT a FROM t") {
    return MakePlan(Materialize{"etl"}, {MakePlan(Sql{sql, {"t"}}, {MakePlan(std::move(scan))})});
  }
  std::string NameOf(const Plan& kept) {
    const auto cause = FindCause(kept, hashes_, nullptr).ValueOrDie();
    EXPECT_EQ(cause.refused, "");
    return CauseName("table", cause.causes);
  }
  std::string RefusedFor(Verb verb) {
    return FindCause(MakePlan(Materialize{"etl"}, {MakePlan(std::move(verb), {})}), hashes_,
                     nullptr)
        .ValueOrDie()
        .refused;
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  bool fresh_ = false;
  std::unique_ptr<StoreIndex> index_ =
      StoreIndex::Open(folder_.path() / "index", fresh_).ValueOrDie();
  InputHashes hashes_{*index_};
};

TEST_F(TableCauseTest, EqualPlansOverEqualContentsHaveOneCause) {
  const std::string before = NameOf(Kept(ScanOf(Write("x/t.csv", "a\n1\n"))));
  EXPECT_EQ(NameOf(Kept(ScanOf(Write("y/t.csv", "a\n1\n")))), before);
  EXPECT_NE(NameOf(Kept(ScanOf(Write("x/t.csv", "a\n2\n")))), before);
}

TEST_F(TableCauseTest, EveryChangeThatMayChangeTheRowsChangesIt) {
  const Scan scan = ScanOf(Write("t.csv", "a\n1\n"));
  std::set<std::string> names = {NameOf(Kept(scan)), NameOf(Kept(scan, "SELECT a + 1 FROM t"))};
  Scan other = scan;
  other.csv.null = {"NA"};
  names.insert(NameOf(Kept(other)));
  other = scan;
  other.schema = arrow::schema({arrow::field("a", arrow::float64())});
  names.insert(NameOf(Kept(other)));
  other = scan;
  other.format = Format::kParquet;
  names.insert(NameOf(Kept(other)));
  other = scan;
  other.paths.push_back(scan.paths[0]);
  names.insert(NameOf(Kept(other)));
  other = scan;
  other.partitions = {.columns = arrow::schema({arrow::field("d", arrow::utf8())}),
                      .values = {{"1"}}};
  names.insert(NameOf(Kept(other)));
  other.partitions.values = {{"2"}};
  names.insert(NameOf(Kept(other)));
  const Plan filtered = MakePlan(Filter{Col("a") > Lit(0.1)}, {MakePlan(scan)});
  names.insert(NameOf(MakePlan(Materialize{"etl"}, {filtered})));
  const Plan other_filter = MakePlan(Filter{Col("a") > Lit(0.10000000000000002)}, {MakePlan(scan)});
  names.insert(NameOf(MakePlan(Materialize{"etl"}, {other_filter})));
  EXPECT_EQ(names.size(), 10u);
}

TEST_F(TableCauseTest, PlansThatAreDrawnAlikeAreTwo) {
  const Scan scan = ScanOf(Write("t.csv", "a\n1\n"));
  const auto filtered = [&](std::vector<Expr> arguments) {
    arguments.insert(arguments.begin(), Col("a"));
    const Plan rows = MakePlan(Filter{MakeCall("in", std::move(arguments))}, {MakePlan(scan)});
    return MakePlan(Materialize{"etl"}, {rows});
  };
  const Plan one = filtered({Lit("x', 'y")}), two = filtered({Lit("x"), Lit("y")});
  EXPECT_EQ(Explain(one), Explain(two));
  EXPECT_NE(NameOf(one), NameOf(two));
  EXPECT_NE(NameOf(filtered({Lit(std::nan(""))})), NameOf(filtered({Lit({})})));
}

TEST_F(TableCauseTest, TheSameTextsInOtherPlacesAreAnotherPlan) {
  const Scan a = ScanOf(Write("a.csv", "a\n1\n")), b = ScanOf(Write("b.csv", "a\n2\n"));
  const auto joined = [&](const Scan& left, const Scan& right) {
    return MakePlan(Materialize{"etl"}, {MakePlan(Sql{"SELECT * FROM l, r", {"l", "r"}},
                                                  {MakePlan(left), MakePlan(right)})});
  };
  EXPECT_NE(NameOf(joined(a, b)), NameOf(joined(b, a)));
}

TEST_F(TableCauseTest, ItHoldsTheBuildsAndTheSettings) {
  const auto cause =
      FindCause(Kept(ScanOf(Write("t.csv", "a\n1\n"))), hashes_, nullptr).ValueOrDie();
  EXPECT_EQ(cause.causes["builds"].size(), 3u);
  for (const Json& id : cause.causes["builds"]) EXPECT_EQ(id.get<std::string>().size(), 40u);
  EXPECT_GT(cause.causes["settings"].size(), 3u);
  ASSERT_EQ(cause.files.size(), 1u);
  EXPECT_EQ(cause.files[0].of, (folder_.path() / "t.csv").string());
}

TEST_F(TableCauseTest, WhatHasNoHashIsRefused) {
  EXPECT_EQ(RefusedFor(NamedTable{"sales"}),
            "it reads a table of a database, whose contents have no hash");
  EXPECT_EQ(RefusedFor(MapTask{}), "it holds results of tasks");
  EXPECT_EQ(RefusedFor(Limit{5}), "a limit keeps any rows");
  EXPECT_EQ(RefusedFor(Materialize{"train"}), "it is made of another kept table");
  EXPECT_EQ(FaultOf(FindCause(Kept(ScanOf("/no/such/file")), hashes_, nullptr).status()).exit,
            Exit::kInput);
}

}  // namespace
}  // namespace protium
