// SPDX-License-Identifier: Apache-2.0
#include "catalogue/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/metrics.h"
#include "pipeline/chain.h"
#include "stage_test.h"
#include "stages/row.h"

namespace protium {
namespace {

using testing::HasSubstr;

TEST(Catalogue, TellsARowByItsNameOrTheNearest) {
  const Catalogue all = BuiltInCatalogue();
  EXPECT_EQ((*FindRow(all.nets, "net", "tabular_mlp", "net.name"))->options[1].name, "dropout");
  const Fault fault = FaultOf(FindRow(all.losses, "loss", "hubber", "loss.name").status());
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_EQ(fault.what, "unknown loss \"hubber\"");
  EXPECT_EQ(fault.where, "loss.name");
  EXPECT_THAT(fault.fix, HasSubstr("\"huber\""));
}

TEST(Catalogue, FillsInDefaultsAndRefusesWhatDoesNotFit) {
  const Catalogue all = BuiltInCatalogue();
  const auto complete = [&](const Json& given) { return all.nets[0].complete(given, "net"); };
  EXPECT_EQ(complete({{"dropout", 0.5}})->at("hidden"), Json({128, 64}));
  EXPECT_EQ(FaultOf(complete({{"dropout", 1}}).status()).what,
            "net.dropout must be at least 0 and below 1, got 1");
  EXPECT_THAT(FaultOf(complete({{"droput", 1}}).status()).fix, HasSubstr("\"dropout\""));
  EXPECT_FALSE(all.metrics[0].complete({{"of", 1}}, "metrics").ok());
}

TEST(Catalogue, SaysOneLineOnEveryRowAndOption) {
  const auto check = [](const auto& rows) {
    for (const auto& row : rows) {
      EXPECT_FALSE(row.help.empty()) << row.name;
      for (const DescribedField& each : Flattened(row.options)) {
        EXPECT_STRNE(each.field.help, "") << row.name << "." << each.name;
      }
    }
  };
  const Catalogue all = BuiltInCatalogue();
  check(all.stages);
  check(all.nets);
  check(all.losses);
  check(all.metrics);
  check(all.optimizers);
  check(all.schedules);
}

TEST(Catalogue, HasTheMetricsThatAreMeasured) {
  const Catalogue all = BuiltInCatalogue();
  for (const MetricRow& row : all.metrics) {
    std::string name = row.name;
    if (name.back() == 'k' && !row.make) name.back() = '4';  // A number in its place.
    for (const TargetKind kind : row.kinds) {
      EXPECT_TRUE(MetricState::Make({name}, kind).ok()) << name;
    }
  }
}

TEST(Catalogue, TellsWhichOptionsOfTrainingDecideTheWeights) {
  std::vector<std::string> decide;
  const Json fields = FieldsThatDecide(TrainOptions());
  for (const auto& [key, value] : fields.items()) decide.push_back(key);
  EXPECT_THAT(decide, testing::UnorderedElementsAre(
                          "batch_size", "mode", "local", "staleness", "micro_batches", "precision",
                          "optimizer", "schedule", "warm_up", "best", "seed", "clip_norm",
                          "clip_value", "average", "parameters", "gradients"));
}

struct OffsetOptions {
  std::string id;
  Inputs inputs;
  Columns outputs;
  double by = 1;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("id", id);
    visit("inputs", inputs);
    visit("outputs", outputs);
    visit("by", by, {.above = 0});
  }
};

// A program's own stage.
class OffsetStage : public Stage {
 public:
  OffsetStage(const OffsetOptions& options, StageNames names)
      : Stage(std::move(names)), by_(options.by) {}
  std::vector<Need> Needs() const override { return {}; }
  Status Learn(std::span<const State>) override { return Status::OK(); }
  Json learned() const override { return Json::array(); }
  Status Restore(const Json&) override { return Status::OK(); }
  Plan Apply(Plan rows, const Columns& columns) const override {
    return WithColumns(std::move(rows), columns, {{outputs()[0], Col(inputs()[0]) + Lit(by_)}});
  }

 private:
  double by_;
};

std::shared_ptr<const Catalogue> Own() {
  Catalogue own;
  own.stages.push_back(MakeStageRow<OffsetStage, OffsetOptions>("offset", "adds a number"));
  own.nets.push_back({MakeRow<HuberOptions>("click_net", "of our own")});
  return std::make_shared<const Catalogue>(own);
}

TEST(Catalogue, TakesRowsOfAProgram) {
  const Catalogue all = *WithBuiltIns(Own());
  const auto table = arrow::schema({arrow::field("x", arrow::float64())});
  const auto chain = PlaceStages({{"offset", {{"inputs", {"x"}}, {"by", 2}}}}, *table, all);
  ASSERT_TRUE(chain.ok()) << chain.status();
  Columns columns = {"x"};
  EXPECT_THAT(Explain(ApplyStages(*chain, MakePlan(Materialize{"t"}), columns, {"x__offset"})),
              HasSubstr("x__offset = (x + 2.0)"));
  const Status refused = PlaceStages({{"offset", {{"by", 0}}}}, *table, all).status();
  EXPECT_EQ(FaultOf(refused).what, "pipeline.0.by must be above 0, got 0");
  EXPECT_EQ(all.nets.back().name, "click_net");
}

using OwnStage = StageTest;

TEST_F(OwnStage, LearnsAndComesBackWhereItsProgramIs) {
  Open("local[1]", Own());
  const PipelineModel model =
      Fitted({{"offset", {{"inputs", {"x"}}, {"by", 2}}}}, Table("x\n1.5\n"));
  ASSERT_TRUE(model.Save("model").ok());
  const auto loaded = PipelineModel::Load(*session_, folder_ / "run" / "model");
  ASSERT_TRUE(loaded.ok()) << Render(FaultOf(loaded.status()));
  EXPECT_EQ(Text(loaded->Transform(Table("x\n4.0\n"))), "x: 4; x__offset: 6");
  Open("local[1]");
  const Fault fault = FaultOf(PipelineModel::Load(*session_, folder_ / "run" / "model").status());
  EXPECT_THAT(fault.what, HasSubstr("unknown kind of stage \"offset\""));
}

TEST(Catalogue, RefusesANameThatIsTakenAndAStageWithoutInputs) {
  Catalogue own;
  own.nets.push_back({MakeRow<NoOptions>("tabular_mlp", "another")});
  const auto fault = [](const Catalogue& rows) {
    return FaultOf(WithBuiltIns(std::make_shared<const Catalogue>(rows)).status());
  };
  EXPECT_EQ(fault(own).what, "two nets are named \"tabular_mlp\"");
  Catalogue lacking;
  lacking.stages.push_back({MakeRow<NoOptions>("bare", "nothing"), nullptr});
  EXPECT_EQ(fault(lacking).what, "stage \"bare\" has no option \"id\"");
}

TEST(Catalogue, TakesMetricsOfAProgramAndRefusesRowsThatNothingComputes) {
  Catalogue own;
  own.metrics.push_back(MetricOf(
      "half", "of our own", {TargetKind::kValues}, false,
      [](const Judged& row) { return row.scores[0] - row.labels[0]; },
      [](double mean) { return mean / 2; }));
  const Catalogue all = *WithBuiltIns(std::make_shared<const Catalogue>(own));
  EXPECT_EQ(all.metrics.back().name, "half");
  MetricState state = *MetricState::Make({"half"}, TargetKind::kValues, OwnMetrics(own));
  const double label = 1, score = 7;
  state.Add({{&label, 1}, {&score, 1}});
  EXPECT_EQ(state.Values()["half"], 3);
  const Json json = state.ToJson();
  EXPECT_EQ(MetricState::FromJson(json, OwnMetrics(own))->Values()["half"], 3);
  EXPECT_FALSE(MetricState::FromJson(json).ok());

  const auto fault = [](const Catalogue& rows) {
    return FaultOf(WithBuiltIns(std::make_shared<const Catalogue>(rows)).status());
  };
  own.metrics.back().name = "top_7";
  EXPECT_EQ(fault(own).what, "two metrics are named \"top_7\"");
  own.metrics.back().name = "half";
  own.metrics.back().make = nullptr;
  EXPECT_EQ(fault(own).what, "metric \"half\" has no function that computes it");
  Catalogue loss;
  loss.losses.push_back({MakeRow<NoOptions>("own", "of our own")});
  EXPECT_EQ(fault(loss).what, "loss \"own\" has no function that computes it");
  EXPECT_EQ(fault(loss).exit, Exit::kUsage);
  Catalogue optimizer;
  optimizer.optimizers.push_back(MakeRow<NoOptions>("own", "of our own"));
  EXPECT_EQ(fault(optimizer).what, "optimizer \"own\" cannot be added by a program");
  Catalogue schedule;
  schedule.schedules.push_back(MakeRow<NoOptions>("own", "of our own"));
  EXPECT_EQ(fault(schedule).what, "schedule \"own\" cannot be added by a program");
}

}  // namespace
}  // namespace protium
