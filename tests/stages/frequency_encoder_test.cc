// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "stage_test.h"

namespace protium {
namespace {

using testing::HasSubstr;

StageOptions Frequency(Json more = Json::object()) {
  Json options = {{"id", "f"}, {"inputs", {"k"}}};
  options.update(more);
  return {"frequency_encoder", options};
}

class FrequencyEncoder : public StageTest {
 protected:
  std::string Of(const Json& options, const std::string& cells, const std::string& others) {
    const PipelineModel model = Fitted({Frequency(options)}, Table("k\n" + cells));
    return Text(model.Transform(Table("k\n" + others)), {"k"});
  }
};

constexpr const char* kCells = "b\na\nb\n-\nc\nb\na\nb\n";

TEST_F(FrequencyEncoder, GivesTheShareOfRows) {
  EXPECT_EQ(Of(Json::object(), kCells, "b\na\nc\n-\nx\n"), "k__f: 0.5 0.25 0.125 0.125 0");
  EXPECT_EQ(Of({{"how", "count"}}, kCells, "b\na\nc\n-\nx\n"), "k__f: 4 2 1 1 0");
}

TEST_F(FrequencyEncoder, TakesWholeNumbersAndColumnsWithoutNull) {
  EXPECT_EQ(Of({{"how", "count"}}, "9007199254740993\n7\n7\n", "9007199254740993\n7\n-\n"),
            "k__f: 1 2 0");
  EXPECT_EQ(Of(Json::object(), "a\n", "a\nb\n"), "k__f: 1 0");
}

TEST_F(FrequencyEncoder, TellsManyCountsApart) {
  std::string cells, others, expected = "k__f:";
  for (int i = 1; i <= 60; ++i) {
    for (int times = 0; times < i; ++times) cells += "v" + std::to_string(i) + "\n";
    others += "v" + std::to_string(i) + "\n";
    expected += " " + std::to_string(i);
  }
  EXPECT_EQ(Of({{"how", "count"}}, cells, others), expected);
}

TEST_F(FrequencyEncoder, ScoresTheSameFromASavedModel) {
  EXPECT_EQ(SavedAndLoaded({Frequency()}, "k\na\na\nb\nc\n", "k\na\nb\n"),
            "k: a b; k__f: 0.5 0.25");
  EXPECT_THAT(FaultOfDamage(R"([{"input": "k", "output": "k__f", "keys": ["a"], "counts": [],
                                 "missing": 0}])",
                            {Frequency()}, "k\na\n"),
              HasSubstr("are damaged"));
  EXPECT_THAT(FaultOfFitting({Frequency()}, "k\n1.5\n").what, HasSubstr("not text"));
}

}  // namespace
}  // namespace protium
