// SPDX-License-Identifier: Apache-2.0
// The stages that make one list of many numbers: vector_assembler and pca. Results of Spark 4.2.1
// come from pyspark.ml.feature's classes of the same names, on the same rows.
#include <gmock/gmock.h>

#include <cmath>

#include "base/json.h"
#include "stage_test.h"
#include "stages/eigen.h"

namespace protium {
namespace {

using testing::HasSubstr;

class VectorAssembler : public StageTest {
 protected:
  static StageOptions Assembled(Json more = Json::object()) {
    Json options = {{"id", "v"}, {"inputs", {"a", "b"}}};
    options.update(more);
    return {"vector_assembler", options};
  }
  std::string Of(const Json& options, const std::string& rows, const std::string& others) {
    const auto model = Pipeline({Assembled(options)}).Fit(Table("a,b\n" + rows));
    if (!model.ok()) return Render(FaultOf(model.status()));
    return WithoutTypes(Text(model->Transform(Table("a,b\n" + others)), {"a", "b"}));
  }
};

TEST_F(VectorAssembler, JoinsNumbers) {
  EXPECT_EQ(Of(Json::object(), "1,2.5\n", "1,2.5\n-0,-3\n9007199254740993,0.1\n"),
            "v: [1, 2.5] [0, -3] [9.007199254740992e+15, 0.1]");
  EXPECT_EQ(Of({{"output", "all"}}, "1,2\n", "1,2\n"), "all: [1, 2]");
}

// Spark 4.2.1 also leaves them as NaN.
TEST_F(VectorAssembler, HasPoliciesForNullAndNan) {
  const std::string rows = "1.0,-\nNaN,2.0\n3.0,4.0\n";
  EXPECT_EQ(Of({{"invalid", "keep"}}, rows, rows), "v: [1, nan] [nan, 2] [3, 4]");
  EXPECT_EQ(Of({{"invalid", "null"}}, rows, rows), "v: null null [3, 4]");
  EXPECT_THAT(Of(Json::object(), rows, rows), HasSubstr("column \"a\" has a NULL or NaN"));
}

TEST_F(VectorAssembler, JoinsListsOfKnownLength) {
  Table("a,b\n1,2\n3,4\n");
  const DataFrame rows = session_->Sql("SELECT a, array(b, a * 10) AS l FROM t ORDER BY a");
  const StageOptions stage =
      Assembled({{"inputs", {"l", "a"}}, {"lengths", {{{"column", "l"}, {"length", 2}}}}});
  const PipelineModel model =
      Fitted({stage, Assembled({{"id", "w"}, {"inputs", {"v", "a"}}})}, rows);
  EXPECT_EQ(WithoutTypes(Text(model.Transform(rows), {"a", "l"})),
            "v: [2, 10, 1] [4, 30, 3]; w: [2, 10, 1, 1] [4, 30, 3, 3]");
  EXPECT_THAT(FaultOf(Pipeline({Assembled({{"inputs", {"l"}}})}).Fit(rows).status()).what,
              HasSubstr("the length of the lists in \"l\" is not known"));
  const DataFrame longer = session_->Sql("SELECT a, array(b, a, a) AS l FROM t");
  EXPECT_THAT(Text(model.Transform(longer)),
              HasSubstr("column \"l\" has a list of 3 numbers, where 2 are needed"));
}

TEST_F(VectorAssembler, ScoresTheSameFromASavedModel) {
  EXPECT_EQ(WithoutTypes(SavedAndLoaded({Assembled()}, "a,b\n1,2\n", "a,b\n3,4\n")),
            "a: 3; b: 4; v: [3, 4]");
}

TEST_F(VectorAssembler, GivesTheLabelAwayFromAnyInput) {
  EXPECT_THAT(
      FaultOfFitting({Assembled(),
                      TorchEstimator({.net = TextClassifier(), .vectors = {{"v"}}, .label = "b"})},
                     "a,b\n1,2\n")
          .what,
      HasSubstr("the label \"b\" is among its own inputs, as \"v\""));
}

class VectorColumns : public VectorAssembler {
 protected:
  static StageOptions Apart(const Columns& inputs) {
    return {"vector_columns", {{"id", "e"}, {"inputs", inputs}}};
  }
};

TEST_F(VectorColumns, TakeListsApartForLaterStages) {
  const PipelineModel model = Fitted(
      {Assembled(), Apart({"v"}), {"max_abs_scaler", {{"id", "m"}, {"inputs", {"v__e__1"}}}}},
      Table("a,b\n1,2\n3,8\n"));
  EXPECT_EQ(WithoutTypes(Text(model.Transform(Table("a,b\n5,6\n")), {"a", "b", "v"})),
            "v__e__0: 5; v__e__1: 6; v__e__1__m: 0.75");
}

TEST_F(VectorColumns, NeedListsOfAKnownLength) {
  Table("a\n1\n");
  const DataFrame rows = session_->Sql("SELECT array(a, a) AS l FROM t");
  EXPECT_THAT(FaultOf(Pipeline({Apart({"l"})}).Fit(rows).status()).what,
              HasSubstr("the length of the lists in \"l\" is not known"));
}

class Pca : public StageTest {
 protected:
  static std::vector<StageOptions> Stages(Json more = Json::object()) {
    Json options = {{"id", "p"}, {"inputs", {"v"}}, {"outputs", {"y"}}};
    options.update(more);
    return {{"vector_assembler", {{"id", "v"}, {"inputs", {"a", "b", "c"}}, {"invalid", "keep"}}},
            {"pca", options}};
  }
};

constexpr const char* kPoints =
    "a,b,c\n1.0,2.0,3.5\n4.0,5.5,6.0\n7.0,8.0,9.25\n2.0,0.5,1.0\n3.0,3.0,-2.0\n";

// Spark returns the first one with the opposite sign.
TEST_F(Pca, FindsSparksComponents) {
  const PipelineModel model = Fitted(Stages(), Table(kPoints));
  const Json learned = StateOf(model).chain->stages[1].stage->learned()[0];
  const std::vector<double> spark = {0.3661039829893622,  0.5112302043810454,  0.777567715229895,
                                     -0.5691714077210851, -0.5380436999259822, 0.621733773895836};
  const std::vector<double> explained = {0.8762321228147182, 0.11137075890680119};
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(learned["components"][i / 3][i % 3].get<double>(), spark[i], 1e-14) << i;
  }
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(learned["explained"][i].get<double>(), explained[i], 1e-14) << i;
  }
}

TEST_F(Pca, ProjectsRowsAsTheyAreUnlessCentred) {
  const std::string line = "a,b,c\n1,2,0\n2,4,0\n3,6,0\n";
  EXPECT_EQ(WithoutTypes(Text(Fitted(Stages({{"k", 1}}), Table(line)).Transform(Table(line)),
                              {"a", "b", "c", "v"})),
            "y: [2.23606797749979] [4.47213595499958] [6.708203932499369]");
  EXPECT_EQ(WithoutTypes(Text(
                Fitted(Stages({{"k", 1}, {"center", true}}), Table(line)).Transform(Table(line)),
                {"a", "b", "c", "v"})),
            "y: [-2.23606797749979] [0] [2.23606797749979]");
}

TEST_F(Pca, LearnsTheSameFromAnyPartsInAnyOrder) {
  std::string up = "a,b,c\n", down = up;
  const auto row = [](int i) {
    return std::to_string(i * 37 % 101) + ".3," + std::to_string(i * 11 % 17) + ".7," +
           std::to_string(i % 5) + "e10\n";
  };
  for (int i = 0; i < 300; ++i) up += row(i);
  for (int i = 299; i >= 0; --i) down += row(i);
  const auto learned = [&](const std::string& rows) {
    return Dump(StateOf(Fitted(Stages(), Table(rows))).chain->stages[1].stage->learned());
  };
  const std::string one = learned(up);
  Open("local[3]");
  EXPECT_EQ(learned(down), one);
}

TEST_F(Pca, LeavesOutRowsWithNan) {
  const std::string rows = "a,b,c\n1,2,0\n-,7,7\n2,4,0\n3,6,0\n";
  EXPECT_EQ(WithoutTypes(Text(
                Fitted(Stages({{"k", 1}}), Table(rows)).Transform(Table("a,b,c\n1,2,0\n-,1,1\n")),
                {"a", "b", "c", "v"})),
            "y: [2.23606797749979] [nan]");
}

TEST_F(Pca, ScoresTheSameFromASavedModel) {
  EXPECT_EQ(WithoutTypes(SavedAndLoaded(Stages({{"k", 1}}), "a,b,c\n1,2,0\n2,4,0\n3,6,0\n",
                                        "a,b,c\n1,2,0\n")),
            "a: 1; b: 2; c: 0; v: [1, 2, 0]; y: [2.23606797749979]");
}

TEST_F(Pca, RefusesWhatItCannotLearn) {
  EXPECT_THAT(FaultOfFitting(Stages({{"k", 4}}), kPoints).what, HasSubstr("fewer than k = 4"));
  EXPECT_THAT(FaultOfFitting(Stages({{"inputs", {"a"}}}), kPoints).what,
              HasSubstr("lists of numbers, which vector_assembler makes"));
  EXPECT_THAT(FaultOfFitting(Stages(), "a,b,c\n1.0,Inf,2.0\n1.0,2.0,2.0\n").what,
              HasSubstr("an infinite number"));
}

TEST(Eigenpairs, SolveTheirEquation) {
  const std::vector<double> matrix = {4, 1, -2, 2, 1, 2, 0, 1, -2, 0, 3, -2, 2, 1, -2, -1};
  const std::vector<Eigenpair> pairs = Eigenpairs(matrix, 4);
  double trace = 0;
  for (const Eigenpair& pair : pairs) {
    trace += pair.value;
    for (size_t i = 0; i < 4; ++i) {
      double product = 0;
      for (size_t j = 0; j < 4; ++j) product += matrix[i * 4 + j] * pair.vector[j];
      EXPECT_NEAR(product, pair.value * pair.vector[i], 1e-14);
    }
  }
  EXPECT_NEAR(trace, 8, 1e-14);
  for (size_t i = 1; i < 4; ++i) EXPECT_GE(pairs[i - 1].value, pairs[i].value);
}

TEST(Eigenpairs, OfADiagonalMatrixAreItsAxes) {
  const std::vector<Eigenpair> pairs = Eigenpairs({1, 0, 0, 0, 0, 0, 0, 0, 5}, 3);
  EXPECT_EQ(pairs[0].value, 5);
  EXPECT_EQ(pairs[0].vector, (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(pairs[2].vector, (std::vector<double>{0, 1, 0}));
}

}  // namespace
}  // namespace protium
