// SPDX-License-Identifier: Apache-2.0
// Rounded weights. Predictions with those of 8 bits: close to those in float32, the same for a row
// among any others, by workers and in this process, and refused where they cost too much. Graphs.
#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/fault.h"
#include "frame/session_state.h"
#include "model/model_folder.h"
#include "model/rounded.h"
#include "onnx_runtime/net.h"
#include "protium/scorer.h"
#include "whole/own_job.h"
#include "whole/predictions_in.h"

namespace protium::whole {
namespace {

using testing::HasSubstr;

const std::string kWideJob =
    With(kMachinesJob, "label = ", "net = { name = \"tabular_mlp\", hidden = [32, 32] }\nlabel = ");

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
  const auto exact = PredictionsIn(own_, "float32.csv"), int8 = PredictionsIn(own_, "int8.csv");
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
  state.metrics["training"]["rounded"] = {{"metric", "rmse"},
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

TEST_F(Int8Model, IsJudgedByItsFolderAsWhenItIsLoaded) {
  ModelFiles files = *ReadModelFolder(own_.Model());
  const auto loss = AllowedLoss(files, WeightPrecision::kInt8, 1);
  ASSERT_TRUE(loss.ok()) << Render(FaultOf(loss.status()));
  EXPECT_EQ(Describe(*loss), Describe(*LossOfInt8(StateOf(Load()))));
  const auto why = [&](double most_loss) {
    const auto allowed = AllowedLoss(files, WeightPrecision::kInt8, most_loss);
    return allowed.ok() ? "" : Render(FaultOf(allowed.status()));
  };
  Json& training = files.json["metrics.json"]["training"];
  Json& measured = training["rounded"];
  measured["float32"] = 40;
  measured["int8"] = measured["higher_is_better"].get<bool>() ? 39 : 41;
  EXPECT_THAT(why(0.02), HasSubstr("2.5% worse than 40 in float32"));
  // As earlier releases wrote it.
  const Json earlier = measured;
  training.erase("rounded");
  training["int8"] = earlier;
  EXPECT_THAT(why(0.02), HasSubstr("2.5% worse than 40 in float32"));
  training["rounded"] = nullptr;
  EXPECT_THAT(why(1), HasSubstr("it is not known how much worse this model is in int8"));
  files.json["net.json"]["net"]["name"] = "torchscript";
  EXPECT_THAT(why(1), HasSubstr("torchscript is not computed in int8"));
  files.json.erase("net.json");
  EXPECT_THAT(why(1), HasSubstr("a model without an estimator has no weights to round"));
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

// The columns of a table that an exported graph reads are those of the model's.
TEST_F(Int8Model, IsAGraphThatOnnxRuntimePredictsTheSameWith) {
  const std::string graph = own_ / "m.onnx";
  const auto export_as = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"export",   own_.Model(), "--to",   "onnx",
                                      "--output", graph,        "--force"};
    words.insert(words.end(), more.begin(), more.end());
    return own_.Protium(words);
  };
  const Outcome exact = export_as({});
  ASSERT_EQ(exact.exit, 0) << exact.err;
  const auto bytes = std::filesystem::file_size(graph);
  const Outcome written = export_as({"--precision", "int8", "--most-loss", "1"});
  ASSERT_EQ(written.exit, 0) << written.err;
  EXPECT_THAT(written.err, HasSubstr("note: in int8: "));
  EXPECT_LT(std::filesystem::file_size(graph), bytes);
  if (!NumericsOfOnnx().ok()) {
    EXPECT_THAT(written.err, HasSubstr("not compared with protium predict --precision int8"));
    GTEST_SKIP() << "no ONNX Runtime: ./dev setup --onnx brings it";
  }
  EXPECT_THAT(written.err,
              HasSubstr("of those of protium predict --precision int8, on 10000 rows"));
  ASSERT_EQ(
      Predict({"--precision", "int8", "--most-loss", "1", "--output", own_ / "int8.csv"}).exit, 0);
  const Outcome scored =
      own_.Protium({"predict", "--model", graph, "--input", own_ / "machines.csv", "--columns",
                    "prediction", "--output", own_ / "graph.csv"});
  ASSERT_EQ(scored.exit, 0) << scored.err;
  const auto ours = PredictionsIn(own_, "int8.csv"), theirs = PredictionsIn(own_, "graph.csv");
  ASSERT_EQ(theirs.size(), ours.size());
  for (size_t i = 0; i < ours.size(); ++i) {
    EXPECT_NEAR(theirs[i], ours[i], 1e-5 * std::max(1.0, std::abs(ours[i]))) << "row " << i;
  }
}

// Its weights are in the file as 16 bits each, and widened when it is opened.
TEST_F(Int8Model, IsAGraphOfHalfTheSizeInBfloat16) {
  const auto written = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"export",   own_.Model(),    "--to",   "onnx-net",
                                      "--output", own_ / "m.onnx", "--force"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome out = own_.Protium(words);
    EXPECT_EQ(out.exit, 0) << out.err;
    return std::pair(out.err, double(std::filesystem::file_size(own_ / "m.onnx")));
  };
  const double exact = written({}).second;
  const auto [said, bytes] = written({"--precision", "bf16", "--most-loss", "0.5"});
  EXPECT_THAT(said, HasSubstr("note: in bf16: "));
  EXPECT_LT(bytes, 0.75 * exact);  // Nodes and names take as much as so few weights.
  if (!NumericsOfOnnx().ok()) GTEST_SKIP() << "no ONNX Runtime: ./dev setup --onnx brings it";
  EXPECT_THAT(said, HasSubstr("of protium predict's with the same weights, on 10000 rows"));
}

TEST_F(Int8Model, IsRefusedInBfloat16AsInInt8) {
  ModelFiles files = *ReadModelFolder(own_.Model());
  const auto why = [&](double most_loss) {
    const auto allowed = AllowedLoss(files, WeightPrecision::kBfloat16, most_loss);
    return allowed.ok() ? "" : Render(FaultOf(allowed.status()));
  };
  Json& measured = files.json["metrics.json"]["training"]["rounded"];
  ASSERT_TRUE(measured["bf16"].is_number());
  measured["float32"] = 40;
  measured["bf16"] = measured["higher_is_better"].get<bool>() ? 39 : 41;
  EXPECT_EQ(why(0.03), "");
  EXPECT_THAT(why(0.02), HasSubstr("in bf16 the model's "));
  EXPECT_THAT(why(0.02), HasSubstr("2.5% worse than 40 in float32"));
  measured.erase("bf16");
  EXPECT_THAT(why(1), HasSubstr("it is not known how much worse this model is in bf16"));
  files.json["net.json"]["net"]["name"] = "torchscript";
  EXPECT_THAT(why(1), HasSubstr("torchscript is not computed in bf16"));
}

// What a net has around its dense layers: the export itself compares 10,000 rows.
TEST(Int8Graph, AgreesForEveryNetMadeOfLayers) {
  if (!NumericsOfOnnx().ok()) GTEST_SKIP() << "no ONNX Runtime: ./dev setup --onnx brings it";
  for (const std::string& net :
       {std::string("{ name = \"tabular_mlp\", hidden = [32, 24], batch_norm = true }"),
        std::string("{ name = \"tabm\", members = 4, hidden = [32, 16] }"),
        std::string("{ name = \"wide_and_deep\", hidden = [32, 32] }"),
        std::string("{ name = \"dlrm\", bottom = [32], top = [32, 16], embedding = 16 }"),
        std::string("{ name = \"factorization_machine\", factors = 16 }"),
        std::string("{ name = \"linear\" }")}) {
    const OwnJob own(MachinesTable(300),
                     With(kMachinesJob, "label = ", "net = " + net + "\nlabel = "));
    const Outcome run = own.Run();
    ASSERT_EQ(run.exit, 0) << net << run.err;
    const Outcome written = own.Protium({"export", own.Model(), "--to", "onnx", "--precision",
                                         "int8", "--most-loss", "1", "--output", own / "m.onnx"});
    EXPECT_EQ(written.exit, 0) << net << written.err;
    EXPECT_THAT(written.err, HasSubstr("outputs of the net are within ")) << net;
    const Outcome halved = own.Protium({"export", own.Model(), "--to", "onnx-net", "--precision",
                                        "bf16", "--most-loss", "1", "--output", own / "h.onnx"});
    EXPECT_EQ(halved.exit, 0) << net << halved.err;
    EXPECT_THAT(halved.err, HasSubstr("of protium predict's with the same weights, on 10000 rows"))
        << net;
  }
}

TEST_F(Int8Model, IsNotExportedWhereItIsNotMeasuredOrNotHeld) {
  const auto refused = [&](const std::string& format, std::vector<std::string> more,
                           const std::string& what) {
    std::vector<std::string> words = {"export",   own_.Model(),   "--to",       format,
                                      "--output", own_ / "graph", "--precision"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome out = own_.Protium(words);
    EXPECT_EQ(out.exit, 2) << out.err;
    EXPECT_THAT(out.err, HasSubstr(what));
    EXPECT_FALSE(std::filesystem::exists(own_ / "graph"));
  };
  refused("safetensors", {"int8"}, "safetensors holds no rounded weights");
  refused("csv", {"bf16"}, "csv holds no rounded weights");
  refused("onnx", {"int4"}, "int4");
  refused("onnx", {"int8", "--most-loss", "2"}, "--most-loss 2 is not a share from 0 to 1");
}

}  // namespace
}  // namespace protium::whole
