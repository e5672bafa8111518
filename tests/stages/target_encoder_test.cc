// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "base/json.h"
#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions Target(Json more = Json::object()) {
  Json options = {{"id", "t"}, {"inputs", {"k"}}, {"label", "y"}};
  options.update(more);
  return {"target_encoder", options};
}

constexpr const char* kEncodedRows = "k,y\n0,1\n0,3\n1,5\n1,0\n2,2\n0,7\n";

class TargetEncoder : public StageTest {
 protected:
  std::string Of(const Json& options, const std::string& csv, const std::string& others) {
    const PipelineModel model = Fitted({Target(options)}, Table(csv));
    return Text(model.Transform(Table(others)), {"k", "y"});
  }
};

// The results of Spark 4.2.1's TargetEncoder for these, and with handleInvalid = keep for 9 and
// NULL; its 2.9090909090909087 is rounded once more.
TEST_F(TargetEncoder, SmoothsAsSpark) {
  const std::string others = "k\n0\n1\n2\n9\n-\n";
  EXPECT_EQ(Of({{"smoothing", 0}}, kEncodedRows, others), "k__t: 3.6666666666666665 2.5 2 3 3");
  EXPECT_EQ(Of({{"smoothing", 1}}, kEncodedRows, others), "k__t: 3.5 2.6666666666666665 2.5 3 3");
  EXPECT_EQ(Of({{"smoothing", 10}}, kEncodedRows, others),
            "k__t: 3.1538461538461537 2.9166666666666665 2.909090909090909 3 3");
}

TEST_F(TargetEncoder, HasAMeanForNullAndLeavesOutRowsWithoutLabel) {
  EXPECT_EQ(Of({{"smoothing", 0}}, "k,y\na,1\n-,5\n-,7\na,-\nb,-\n", "k\na\n-\nb\n"),
            "k__t: 1 6 4.333333333333333");
}

TEST_F(TargetEncoder, LearnsTheSameFromAnyPartsInAnyOrder) {
  std::string up = "k,y\n", down = "k,y\n";
  for (int i = 0; i < 300; ++i) {
    up += std::to_string(i % 7) + "," + std::to_string(i * 37 % 101) + ".1\n";
    const int j = 299 - i;
    down += std::to_string(j % 7) + "," + std::to_string(j * 37 % 101) + ".1\n";
  }
  const std::string one = Of(Json::object(), up, "k\n0\n3\n");
  Open("local[3]");
  EXPECT_EQ(Of(Json::object(), down, "k\n0\n3\n"), one);
}

// A value that only one row has reveals that row's label to all others, but not to a net that
// learns from the row: there it gets the mean of the other parts, in which no row has the value.
TEST_F(TargetEncoder, DoesNotTellARowItsOwnLabel) {
  std::string csv = "k,n,y\n";
  for (int i = 0; i < 200; ++i) {
    csv +=
        "v" + std::to_string(i) + "," + std::to_string(i) + "," + std::to_string(i % 2 * 10) + "\n";
  }
  const auto encoder = [](int parts) { return Target({{"smoothing", 0}, {"parts", parts}}); };
  // The scaler's mean and deviation are those of the column that training sees.
  const auto deviation = [&](int parts) {
    Open("local[2]");
    const PipelineModel model =
        Fitted({encoder(parts), StandardScaler({.id = "s", .inputs = OutputsOf("t")})}, Table(csv));
    const Json stages = *ParseJson(*ReadFile(folder_ / "run" / "stages.json"));
    return stages["stages"][1]["learned"][0]["deviation"].get<double>();
  };
  EXPECT_GT(deviation(1), 4.9);
  EXPECT_LT(deviation(5), 1);
}

TEST_F(TargetEncoder, TrainsANetAndResumes) {
  const std::string csv = "k,y\na,1.5\nb,2.5\na,3.5\nc,4.5\nb,0.5\n-,1\n";
  const std::vector<StageOptions> stages = {
      Target(), TorchEstimator({.numeric = OutputsOf("t"),
                                .label = "y",
                                .train = {.validation = {.share = 0.3}, .metrics = {"rmse"}}})};
  const PipelineModel model = Fitted(stages, Table(csv));
  EXPECT_EQ(StateOf(model).chain->needed, Columns({"k"}));
  session_.reset();
  session_ = *OpenSession({.folder = folder_ / "run", .base = folder_, .resume = true});
  EXPECT_EQ(Text(Fitted(stages, Table(csv)).Transform(Table(csv))),
            Text(model.Transform(Table(csv))));
}

TEST_F(TargetEncoder, ScoresTheSameFromASavedModel) {
  EXPECT_EQ(SavedAndLoaded({Target({{"smoothing", 0}})}, kEncodedRows, "k\n1\n9\n"),
            "k: 1 9; k__t: 2.5 3");
  EXPECT_THAT(FaultOfDamage(R"([{"input": "k", "output": "k__t", "keys": ["0"],
                                 "means": {"all": 1, "values": [], "missing": 1}, "without": []}])",
                            {Target()}, kEncodedRows),
              HasSubstr("are damaged"));
}

TEST_F(TargetEncoder, RefusesWhatItCannotLearn) {
  EXPECT_THAT(FaultOfFitting({Target({{"label", "z"}})}, kEncodedRows).what,
              HasSubstr("no column \"z\""));
  EXPECT_THAT(FaultOfFitting({Target()}, "k,y\na,b\n").what, HasSubstr("not numbers"));
  EXPECT_THAT(FaultOfFitting({Target({{"inputs", {"y"}}, {"label", "y"}})}, kEncodedRows).what,
              HasSubstr("label \"y\" is among its inputs"));
  EXPECT_THAT(FaultOfFitting({Target()}, "k,y\na,1.5\nb,Inf\n").what, HasSubstr("has a spread"));
}

}  // namespace
}  // namespace protium
