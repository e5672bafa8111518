// SPDX-License-Identifier: Apache-2.0
#include "local/questions.h"

#include <arrow/api.h>
#include <gmock/gmock.h>

#include <fstream>

#include "base/fault.h"
#include "os/temporary_folder.h"

namespace protium {
namespace {

using testing::HasSubstr;

constexpr int64_t kSecond = 1'000'000'000;

// Each has a database of its own, as a process has.
struct Asker {
  Asker(LocalStore* store, const std::string& about)
      : answers(store), questions(database, &answers, about) {}
  Database database{DatabaseOptions{}};
  Answers answers;
  Questions questions;
};

class QuestionsTest : public testing::Test {
 protected:
  const TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  const std::unique_ptr<LocalStore> store_ =
      LocalStore::Open({.folder = folder_.path() / "store"}).ValueOrDie();
  const std::string select_ = "SELECT 1 AS a, CAST(2 AS UBIGINT) AS b, 'x' AS \"c d\"";
  const Sql sql_{.text = "SELECT a + 1 AS e, sum(b) OVER () AS s FROM t WHERE c = 'ü' -- all",
                 .names = {"t"}};
  const std::vector<std::string> inputs_ = {"SELECT 1 AS a, 2.5 AS b, 'x' AS c"};
};

TEST_F(QuestionsTest, WhatAnEarlierProcessAskedIsNotAskedAgain) {
  Asker one(store_.get(), "the same"), two(store_.get(), "the same");
  const SchemaPtr schema = one.questions.Schema(select_).ValueOrDie();
  const std::string plain = one.questions.PlainTypes(select_).ValueOrDie();
  const RelationSql read = one.questions.Read(sql_, inputs_).ValueOrDie();
  EXPECT_TRUE(one.database.IsOpen());
  EXPECT_TRUE(two.questions.Schema(select_).ValueOrDie()->Equals(*schema, true));
  EXPECT_EQ(two.questions.PlainTypes(select_).ValueOrDie(), plain);
  EXPECT_THAT(plain, HasSubstr("pt_narrow_column"));
  const RelationSql again = two.questions.Read(sql_, inputs_).ValueOrDie();
  EXPECT_EQ(again.text, read.text);
  EXPECT_EQ(again.not_exact, read.not_exact);
  EXPECT_EQ(again.varies, read.varies);
  ASSERT_EQ(again.texts.size(), read.texts.size());
  EXPECT_EQ(again.texts[0].original, read.texts[0].original);
  EXPECT_EQ(again.texts[0].written.text, read.texts[0].written.text);
  EXPECT_EQ(again.texts[0].written.marks, read.texts[0].written.marks);
  EXPECT_EQ(again.texts[0].marked, read.texts[0].marked);
  EXPECT_FALSE(two.database.IsOpen());
}

TEST_F(QuestionsTest, AMistakeIsFoundEveryTime) {
  for (int i = 0; i < 2; ++i) {
    Asker asker(store_.get(), "the same");
    const Sql wrong{.text = "SELECT zebra FROM t", .names = {"t"}};
    EXPECT_FALSE(asker.questions.Read(wrong, inputs_).ok() &&
                 asker.questions.Schema("WITH t AS (" + inputs_[0] + ") " + wrong.text).ok());
    EXPECT_FALSE(asker.questions.Schema("SELECT").ok());
    EXPECT_FALSE(asker.questions.PlainTypes("SELECT 1 AS a, 2 AS a").ok());
  }
}

TEST_F(QuestionsTest, OtherFilesOrBuildsAreAskedAbout) {
  Asker one(store_.get(), "one"), two(store_.get(), "two"), none(store_.get(), ""),
      nobody(store_.get(), "");
  EXPECT_TRUE(one.questions.Schema(select_).ok());
  EXPECT_TRUE(two.questions.Schema(select_).ok());
  EXPECT_TRUE(two.database.IsOpen());
  EXPECT_TRUE(none.questions.Schema(select_).ok());
  EXPECT_TRUE(nobody.questions.Schema(select_).ok());
  EXPECT_TRUE(nobody.database.IsOpen()) << "what has no name is not remembered";
}

TEST_F(QuestionsTest, ViewsDecideWhatASelectMeans) {
  const auto type = [&](const std::string& view) {
    Asker asker(store_.get(), "the same");
    EXPECT_TRUE(asker.questions.View("v", view).ok());
    const SchemaPtr schema = asker.questions.Schema("SELECT * FROM v").ValueOrDie();
    // Views that were not needed for an answer are there when one is.
    EXPECT_TRUE(asker.questions.Schema("SELECT count(*) AS n FROM v").ok());
    return schema->field(0)->type()->ToString();
  };
  EXPECT_EQ(type("SELECT 1 AS a"), "int32");
  EXPECT_EQ(type("SELECT 1 AS a"), "int32");
  EXPECT_EQ(type("SELECT 'x' AS a"), "string");
}

TEST_F(QuestionsTest, WithoutAStoreAProcessAsksOnce) {
  Answers answers(nullptr);
  Database database{DatabaseOptions{}}, other{DatabaseOptions{}};
  EXPECT_TRUE(Questions(database, &answers, "x").Schema(select_).ok());
  EXPECT_TRUE(Questions(other, &answers, "x").Schema(select_).ok());
  EXPECT_FALSE(other.IsOpen());
}

TEST_F(QuestionsTest, FilesAndKeptTablesDecide) {
  const std::string path = (folder_.path() / "t.csv").string();
  std::ofstream(path) << "a\n1\n";
  const Plan scan = MakePlan(Scan{.table = "t", .paths = {path}, .schema = arrow::schema({})});
  const Plan kept = MakePlan(Materialize{"etl"}, {scan});
  const int64_t now = InputHashes::SystemNow();
  EXPECT_EQ(WhatDecides(scan, {}, now), "") << "a file that may change without a trace";
  const std::string first = WhatDecides(scan, {}, now + 3 * kSecond);
  EXPECT_NE(first, "");
  EXPECT_EQ(WhatDecides(scan, {}, now + 4 * kSecond), first);
  std::ofstream(path) << "a\n12\n";
  EXPECT_NE(WhatDecides(scan, {}, now + 4 * kSecond), first);

  const auto holding = [&](const std::string& content) {
    return WhatDecides(kept, {{kept.get(), {.table = "pt_kept_1", .content = content}}},
                       now + 4 * kSecond);
  };
  EXPECT_NE(holding("x"), "");
  EXPECT_NE(holding("x"), holding("y"));
  EXPECT_NE(holding("x"), WhatDecides(kept, {}, now + 4 * kSecond));
  EXPECT_EQ(holding(""), "") << "it is not known what it holds";
  EXPECT_EQ(WhatDecides(scan, {{kept.get(), {.table = "pt_kept_1"}}}, now + 4 * kSecond),
            WhatDecides(scan, {}, now + 4 * kSecond))
      << "a table that the plan does not read";
  const Plan server = MakePlan(
      NamedTable{.name = "t", .source = Source{.kind = SourceKind::kPostgres, .table = "t"}});
  EXPECT_EQ(WhatDecides(server, {}, now + 4 * kSecond), "");
}

}  // namespace
}  // namespace protium
