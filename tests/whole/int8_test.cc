// SPDX-License-Identifier: Apache-2.0
// Predictions with weights of 8 bits: close to those in float32, the same for a row among any
// others, by workers and in this process, and refused where they cost too much.
#include "model/int8.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/fault.h"
#include "frame/session_state.h"
#include "protium/scorer.h"
#include "whole/own_job.h"

namespace protium::whole {
namespace {

using testing::HasSubstr;

const std::string kWideJob =
    With(kMachinesJob, "label = ", "net = { name = \"tabular_mlp\", hidden = [32, 32] }\nlabel = ");

std::vector<double> Predictions(const OwnJob& own, const std::string& file) {
  std::istringstream lines(own.Text(file));
  std::vector<double> values;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) values.push_back(std::stod(line));
  return values;
}

class Int8Model : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome run = own_.Run();
    ASSERT_EQ(run.exit, 0) << run.err;
  }
  Outcome Predict(std::vector<std::string> more) const {
    std::vector<std::string> words = {"predict",   "--model",   own_.Model(), "--data",
                                      own_.path(), "--columns", "prediction"};
    words.insert(words.end(), more.begin(), more.end());
    return own_.Protium(words);
  }
  PipelineModel Load() const {
    const auto model = PipelineModel::Load(*session_, own_.Model());
    EXPECT_TRUE(model.ok()) << Render(FaultOf(model.status()));
    return *model;
  }

  const OwnJob own_{MachinesTable(300), kWideJob};
  const std::unique_ptr<Session> session_ =
      *OpenSession({.engine = "local[1]", .program = ProtiumCommand()});
};

TEST_F(Int8Model, IsCloseToFloat32AndSaysWhatThatCosts) {
  ASSERT_EQ(Predict({"--output", own_ / "float32.csv"}).exit, 0);
  const Outcome rounded =
      Predict({"--precision", "int8", "--most-loss", "0.5", "--output", own_ / "int8.csv"});
  ASSERT_EQ(rounded.exit, 0) << rounded.err;
  EXPECT_THAT(rounded.err, HasSubstr("in int8: "));
  EXPECT_THAT(rounded.err, HasSubstr("on the model's validation rows, in float32 "));
  const auto exact = Predictions(own_, "float32.csv"), int8 = Predictions(own_, "int8.csv");
  ASSERT_EQ(exact.size(), 300);
  ASSERT_EQ(int8.size(), 300);
  EXPECT_NE(int8, exact);
  const auto [low, high] = std::ranges::minmax(exact);
  for (size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(int8[i], exact[i], 0.05 * (high - low));
}

TEST_F(Int8Model, HasTheSameBitsByWorkersInThisProcessAndAlone) {
  const PipelineModel model = *WithInt8(Load(), 1);
  session_->Table("machines", session_->Read().Csv((own_ / "machines.csv").string()));
  const auto stream = model.Transform(session_->Table("machines")).Stream();
  ASSERT_TRUE(stream.ok()) << Render(FaultOf(stream.status()));
  const auto scorer = Scorer::Make(model);
  ASSERT_TRUE(scorer.ok()) << Render(FaultOf(scorer.status()));
  int64_t rows = 0;
  while (const auto batch = *(*stream)->Next()) {
    const auto own = *batch->RemoveColumn(batch->num_columns() - 1);
    const auto workers = batch->GetColumnByName("prediction");
    EXPECT_TRUE((*scorer->Score(*own))->column(0)->Equals(workers));
    for (int64_t i = 0; i < std::min<int64_t>(20, own->num_rows()); ++i) {
      const auto alone = *scorer->Score(*own->Slice(i, 1));
      EXPECT_TRUE(alone->column(0)->Equals(workers->Slice(i, 1))) << "row " << i;
    }
    rows += batch->num_rows();
  }
  EXPECT_EQ(rows, 300);
}

// A model whose training measured this metric in int8.
PipelineModel Measured(const PipelineModel& model, Json int8) {
  ModelState state = StateOf(model);
  state.metrics["training"]["int8"] = {{"metric", "rmse"},
                                       {"float32", 40.0},
                                       {"int8", std::move(int8)},
                                       {"higher_is_better", false}};
  return PipelineModel(std::make_shared<const ModelState>(std::move(state)));
}

std::string WhyNot(const PipelineModel& model, double most_loss) {
  const auto rounded = WithInt8(model, most_loss);
  return rounded.ok() ? "" : Render(FaultOf(rounded.status()));
}

TEST_F(Int8Model, IsRefusedIfItCostsMoreThanAllowed) {
  const PipelineModel model = Load();
  EXPECT_EQ(WhyNot(Measured(model, 39), 0), "");
  EXPECT_EQ(WhyNot(Measured(model, 41), 0.03), "");
  const std::string why = WhyNot(Measured(model, 41), 0.02);
  EXPECT_THAT(why, HasSubstr("in int8 the model's rmse on its validation rows is 41, 2.5% worse "
                             "than 40 in float32"));
  EXPECT_THAT(why, HasSubstr("no more than 2% is allowed"));
}

TEST_F(Int8Model, IsRefusedIfItsCostIsNotKnown) {
  EXPECT_THAT(WhyNot(Measured(Load(), nullptr), 1),
              HasSubstr("it is not known how much worse this model is in int8"));
}

TEST_F(Int8Model, IsRefusedByNameForOtherPrecisionsAndSenselessLosses) {
  const auto refused = [&](std::vector<std::string> flags, const std::string& what) {
    flags.insert(flags.end(), {"--output", own_ / "out.csv"});
    const Outcome out = Predict(flags);
    EXPECT_EQ(out.exit, 2) << out.err;
    EXPECT_THAT(out.err, HasSubstr(what));
  };
  refused({"--precision", "bf16"}, "models do not predict in bf16");
  refused({"--precision", "int4"}, "int4");
  refused({"--most-loss", "0.1"}, "--most-loss is for --precision int8, which is not given");
  refused({"--precision", "int8", "--most-loss", "2"}, "--most-loss 2 is not a share from 0 to 1");
}

}  // namespace
}  // namespace protium::whole
