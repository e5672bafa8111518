// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

class SqlTransformer : public StageTest {
 protected:
  static StageOptions Sql(const std::string& statement, Json more = Json::object()) {
    Json options = {{"id", "q"}, {"inputs", {"a", "b"}}, {"statement", statement}};
    options.update(more);
    return {"sql_transformer", options};
  }
  Fault FaultOfSql(const std::string& statement) {
    return FaultOfFitting({Sql(statement)}, "a,b,y\n1,2,3\n");
  }
};

constexpr const char* kBoth = "SELECT *, (a + b) AS c, upper(concat('n', b)) AS d FROM __THIS__";

// As Spark 4.2.1's SQLTransformer does.
TEST_F(SqlTransformer, AddsColumnsOfTheirTypes) {
  EXPECT_EQ(Text(Fitted({Sql(kBoth)}, Table("a,b\n1.5,2\n")).Transform(Table("a,b\n1.5,2\n-,3\n"))),
            "a: 1.5 null; b: 2 3; c: 3.5 null; d: N2 N3");
}

TEST_F(SqlTransformer, FeedsLaterStagesAndReadsEarlierOnes) {
  const PipelineModel model =
      Fitted({Imputer({.id = "f", .inputs = {"a"}}),
              Sql("SELECT *, a__f * 2 AS twice FROM __THIS__;", {{"inputs", {{{"stage", "f"}}}}}),
              {"max_abs_scaler", {{"id", "m"}, {"inputs", {"twice"}}}}},
             Table("a\n1\n-\n4\n"));
  EXPECT_EQ(Text(model.Transform(Table("a\n2\n-\n")), {"a", "a__f", "twice"}),
            "twice__m: 0.5 0.25");
}

TEST_F(SqlTransformer, SeesOnlyItsInputs) {
  EXPECT_THAT(FaultOfSql("SELECT *, y AS leak FROM __THIS__").what, HasSubstr("y"));
  const StageOptions label = Sql("SELECT *, a + b AS c FROM __THIS__");
  EXPECT_THAT(
      FaultOfFitting({label, TorchEstimator({.numeric = {"c"}, .label = "b"})}, "a,b\n1,2\n").what,
      HasSubstr("the label \"b\" is among its own inputs, as \"c\""));
}

TEST_F(SqlTransformer, RefusesStatementsThatDoMoreThanAddColumns) {
  EXPECT_THAT(FaultOfSql("SELECT a FROM __THIS__").what, HasSubstr("does not begin with SELECT *"));
  EXPECT_THAT(FaultOfSql("SELECT *, 1 AS c FROM __THIS__ WHERE a > 1").what,
              HasSubstr("does not end with FROM __THIS__"));
  EXPECT_THAT(FaultOfSql("SELECT *, sum(a) OVER () AS c FROM __THIS__").what, HasSubstr("OVER"));
  EXPECT_THAT(FaultOfSql("SELECT *, explode(array(a, b)) AS c FROM __THIS__").what,
              HasSubstr("EXPLODE"));
  EXPECT_THAT(FaultOfSql("SELECT *, (SELECT 1) AS c FROM __THIS__").what, HasSubstr("SELECT"));
  EXPECT_EQ(FaultOfSql("SELECT *, sum(a) AS c FROM __THIS__").where, "pipeline.0");
  EXPECT_THAT(FaultOfSql("SELECT *, rand() AS c FROM __THIS__").what, HasSubstr("rand"));
  EXPECT_THAT(FaultOfSql("SELECT *, a AS Y FROM __THIS__").what, HasSubstr("\"Y\""));
}

TEST_F(SqlTransformer, ScoresTheSameFromASavedModel) {
  EXPECT_EQ(SavedAndLoaded({Sql(kBoth)}, "a,b\n1,2\n", "a,b\n3,4\n"), "a: 3; b: 4; c: 7; d: N4");
}

}  // namespace
}  // namespace protium
