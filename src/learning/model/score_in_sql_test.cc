// SPDX-License-Identifier: Apache-2.0
#include "model/score_in_sql.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "base/fault.h"
#include "frame/session_state.h"
#include "protium/pipeline.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ScoreInSql : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "score-sql-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ofstream(folder_ / "t.csv") << "id,x\n1,1.5\n2,\n3,4\n";
    auto session = OpenSession({.engine = "local[1]", .folder = folder_ / "run", .base = folder_});
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = std::move(*session);
    const DataFrame table = session_->Read().Csv("t.csv");
    session_->Table("t", table);
    const auto model =
        Pipeline(
            {{"imputer", {{"id", "fill"}, {"inputs", {"x"}}, {"with", "constant"}, {"value", 7}}}})
            .Fit(table);
    ASSERT_TRUE(model.ok()) << Render(FaultOf(model.status()));
    ASSERT_TRUE(model->Save(folder_ / "model").ok());
  }
  void TearDown() override {
    session_.reset();
    fs::remove_all(folder_);
  }

  // The first column of the rows as text, or the error.
  std::string Rows(const std::string& sql) {
    const auto stream = SqlWithModels(*session_, sql).Stream();
    if (!stream.ok()) return FaultOf(stream.status()).what;
    std::string text;
    while (const auto batch = *(*stream)->Next()) {
      for (int64_t i = 0; i < batch->num_rows(); ++i) {
        text += (*batch->column(0)->GetScalar(i))->ToString() + " ";
      }
    }
    return text;
  }

  fs::path folder_;
  std::unique_ptr<Session> session_;
};

TEST_F(ScoreInSql, StandsWhereATableDoes) {
  EXPECT_EQ(Rows("SELECT x__fill FROM score('model', t) ORDER BY id"), "1.5 7 4 ");
  EXPECT_EQ(Rows("SELECT sum(x__fill) FROM score('model', (SELECT * FROM t WHERE id > 1)) AS s "
                 "WHERE s.x__fill > 4"),
            "7 ");
  EXPECT_EQ(Rows("SELECT count(*) FROM t JOIN Score ( 'model' , ( SELECT id AS n, x FROM t ) ) s "
                 "ON t.id = s.n"),
            "3 ");
  EXPECT_EQ(Rows("SELECT 'score(''model'', t)' FROM t WHERE id = 1"), "score('model', t) ");
}

TEST_F(ScoreInSql, StandsBesideOtherTablesAndCommas) {
  EXPECT_EQ(Rows("SELECT count(*) FROM t AS a, score('model', t) AS b, score('model', t) AS c"),
            "27 ");
  EXPECT_EQ(Rows("SELECT count(*) FROM t JOIN t AS u ON t.id = u.id, score('model', t) AS b"),
            "9 ");
  EXPECT_EQ(Rows("SELECT coalesce(max(x__fill), 0) FROM (SELECT 1, 2), score('model', t)"), "7 ");
  EXPECT_THAT(Rows("SELECT id, score('model', t) FROM t"), HasSubstr("not a value of each row"));
  EXPECT_THAT(Rows("SELECT id FROM t WHERE id IN (1, score('model', t))"),
              HasSubstr("not a value of each row"));
}

TEST_F(ScoreInSql, ReadsWhatIsNamedBeforeIt) {
  EXPECT_EQ(Rows("WITH a AS (SELECT * FROM t WHERE id > 1), b (id, x) AS (SELECT id, x FROM A) "
                 "SELECT x__fill FROM score('model', B) ORDER BY id"),
            "7 4 ");
  EXPECT_EQ(Rows("WITH a AS (SELECT * FROM t), s AS (SELECT * FROM score('model', (SELECT * FROM a "
                 "WHERE id < 3))) SELECT sum(x__fill) FROM s"),
            "8.5 ");
  // Rows that a model made in WITH are scored by it again, and counted beside them.
  EXPECT_EQ(Rows("WITH s AS (SELECT id, x__fill AS x FROM score('model', t)) SELECT sum(u.x__fill) "
                 "FROM score('model', s) AS u, s"),
            "37.5 ");
  // A name defined after the call does not exist yet.
  EXPECT_THAT(Rows("WITH s AS (SELECT * FROM score('model', a)), a AS (SELECT * FROM t) SELECT 1 "
                   "FROM s"),
              HasSubstr("no table \"a\""));
}

TEST_F(ScoreInSql, SaysWhatItCannotBe) {
  EXPECT_THAT(Rows("SELECT * FROM score(\"model\", t)"), HasSubstr("text in single quotes"));
  EXPECT_THAT(Rows("SELECT *, score('model', *) FROM t"), HasSubstr("it is a table, not a value"));
  EXPECT_THAT(Rows("SELECT * FROM score('model')"), HasSubstr("behind the model come the rows"));
  EXPECT_THAT(Rows("SELECT * FROM score('model', 1 + 1)"), HasSubstr("the rows are (SELECT ...)"));
  EXPECT_THAT(Rows("SELECT * FROM score('model', (SELECT * FROM t"), HasSubstr("not closed"));
  EXPECT_THAT(Rows("SELECT * FROM score('none', t)"), HasSubstr("none"));
  EXPECT_THAT(Rows("SELECT * FROM score('model', (SELECT id FROM t))"),
              HasSubstr("lacks 1 column that the model reads: \"x\""));
}

}  // namespace
}  // namespace protium
