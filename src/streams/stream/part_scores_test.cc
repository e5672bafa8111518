// SPDX-License-Identifier: Apache-2.0
#include "stream/part_scores.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "base/fault.h"
#include "frame/session_state.h"
#include "inference/testing/own_session_test.h"
#include "protium/pipeline.h"
#include "protium/stages.h"

namespace protium {
namespace {

class PartScores : public OwnSession {
 protected:
  // A model whose predictions are what its stage makes of x.
  void SetUp() override {
    OwnSession::SetUp();
    std::ofstream(folder_ / "t.csv") << "x\n1.5\nNA\n4.25\n-3\n";
    const auto model = Pipeline({StandardScaler({.inputs = {"x"}})})
                           .Fit(session_->Read().Csv("t.csv", {.null = "NA"}));
    ASSERT_TRUE(model.ok()) << Render(FaultOf(model.status()));
    auto scorer = Scorer::Make(*model);
    ASSERT_TRUE(scorer.ok()) << Render(FaultOf(scorer.status()));
    scorer_.emplace(*std::move(scorer));
  }

  static std::shared_ptr<arrow::RecordBatch> Rows(int64_t count) {
    arrow::DoubleBuilder x;
    for (int64_t i = 0; i < count; ++i) {
      EXPECT_TRUE((i % 7 == 3 ? x.AppendNull() : x.Append(double(i) / 3)).ok());
    }
    return arrow::RecordBatch::Make(arrow::schema({arrow::field("x", arrow::float64())}), count,
                                    {x.Finish().ValueOrDie()});
  }

  std::optional<Scorer> scorer_;
};

TEST_F(PartScores, HaveTheBitsOfOneCallWhereverTheRowsAreCut) {
  for (const int64_t count : {0, 1, 16'384, 16'385, 100'000}) {
    const auto rows = Rows(count);
    const auto whole = scorer_->Score(*rows);
    const auto parts = ScoreInParts(*scorer_, *rows);
    ASSERT_TRUE(whole.ok() && parts.ok()) << parts.status().ToString();
    EXPECT_TRUE((*parts)->ValidateFull().ok());
    EXPECT_TRUE((*whole)->Equals(**parts)) << count;
  }
}

TEST_F(PartScores, FailAsOneCallDoes) {
  const auto rows = *Rows(100'000)->RenameColumns({"y"});
  const auto whole = scorer_->Score(*rows);
  const auto parts = ScoreInParts(*scorer_, *rows);
  ASSERT_FALSE(whole.ok() || parts.ok());
  EXPECT_EQ(FaultOf(parts.status()).what, FaultOf(whole.status()).what);
}

}  // namespace
}  // namespace protium
