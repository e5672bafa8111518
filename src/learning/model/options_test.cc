// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalogue/catalogue.h"
#include "pipeline/estimator_kind.h"
#include "protium/stage_options.h"
#include "protium/stages.h"

namespace protium {
namespace {

using testing::HasSubstr;

TEST(Inputs, JoinColumnsAndStages) {
  const Inputs inputs = Columns{"a", "b"} + OutputsOf("fill");
  EXPECT_EQ(Dump(ToJson(inputs)), R"(["a","b",{"stage":"fill"}])");
  Inputs back;
  ASSERT_TRUE(FromJson(ToJson(inputs), "inputs", back).ok());
  EXPECT_EQ(ToJson(back), ToJson(inputs));
}

TEST(Inputs, RefuseWhatIsNeitherColumnNorStage) {
  Inputs inputs;
  EXPECT_EQ(FaultOf(FromJson(*ParseJson(R"(["a", 7])"), "inputs", inputs)).where, "inputs.1");
  EXPECT_FALSE(FromJson(*ParseJson(R"([{"stag": "fill"}])"), "inputs", inputs).ok());
  EXPECT_FALSE(FromJson(*ParseJson(R"("a")"), "inputs", inputs).ok());
}

TEST(Choice, IsANameOrATable) {
  Choice choice;
  ASSERT_TRUE(FromJson(Json("mse"), "loss", choice).ok());
  EXPECT_EQ(choice.name, "mse");
  ASSERT_TRUE(FromJson(*ParseJson(R"({"name": "huber", "delta": 2.0})"), "loss", choice).ok());
  EXPECT_EQ(Dump(ToJson(choice)), R"({"name":"huber","delta":2.0})");
  EXPECT_EQ(ToJson(Huber({.delta = 2})), ToJson(choice));
}

TEST(Choice, TakesOptionsWithoutANameOverThoseItHas) {
  Choice choice = Adam({.learning_rate = 0.5, .weight_decay = 0.25});
  ASSERT_TRUE(FromJson(*ParseJson(R"({"learning_rate": 0.01})"), "optimizer", choice).ok());
  EXPECT_EQ(ToJson(choice), ToJson(Adam({.learning_rate = 0.01, .weight_decay = 0.25})));
  ASSERT_TRUE(FromJson(*ParseJson(R"({"name": "adam"})"), "optimizer", choice).ok());
  EXPECT_EQ(Dump(ToJson(choice)), R"({"name":"adam"})");
  Choice none;
  EXPECT_FALSE(FromJson(*ParseJson(R"({"delta": 2.0})"), "loss", none).ok());
}

TorchEstimatorOptions Sound() {
  return {.numeric = {"x"}, .label = "y", .train = {.optimizer = {"adam"}}};
}

Result<TorchEstimatorOptions> Complete(const TorchEstimatorOptions& options,
                                       const std::string& path = "") {
  const Catalogue catalogue = BuiltInCatalogue();
  PT_LET(const StageRow* row, FindRow(catalogue.stages, "stage", kTorchEstimator, ""));
  AnyOptions own = options;
  PT_LET(EstimatorOptions common, row->estimator->Read(own, path));
  PT_TRY(row->estimator->Complete(common, own, path, catalogue));
  return own.Read<TorchEstimatorOptions>(path);
}

TEST(Complete, FillsInEveryDefault) {
  const auto options = *Complete(Sound(), "");
  EXPECT_EQ(options.net.options["hidden"], Json({128, 64}));
  EXPECT_EQ(options.train.optimizer.options["beta2"], 0.999);
}

TEST(Complete, RefusesOptionsOfTrainingThatContradictEachOther) {
  const auto where = [](auto change) {
    TorchEstimatorOptions options = Sound();
    change(options.train);
    return FaultOf(Complete(options, "").status()).where;
  };
  EXPECT_EQ(where([](auto& t) { t.early_stopping.patience = 3; }), "train.early_stopping.patience");
  EXPECT_EQ(where([](auto& t) { t.warm_up = {.steps = 3, .share = 0.1}; }), "train.warm_up.share");
  EXPECT_EQ(where([](auto& t) { t.schedule = {"cosin"}; }), "train.schedule.name");
  EXPECT_EQ(where([](auto& t) {
              t.schedule = {"cosine", {{"final", 2}}};
            }),
            "train.schedule.final");
  EXPECT_EQ(where([](auto& t) { t.optimizer = Sgd({.nesterov = true}); }),
            "train.optimizer.nesterov");
}

TEST(StartOptions, AreAModelOrATable) {
  TrainOptions train;
  ASSERT_TRUE(FieldsFromJson({{"from", "runs/a/model"}}, "train", train).ok());
  EXPECT_EQ(train.from.model, "runs/a/model");
  ASSERT_TRUE(FieldsFromJson({{"from", {{"parameters", {"embedding.*"}}}}}, "train", train).ok());
  EXPECT_EQ(train.from.model, "runs/a/model");
  EXPECT_EQ(train.from.parameters, std::vector<std::string>{"embedding.*"});
  EXPECT_FALSE(FieldsFromJson({{"from", {{"modell", "x"}}}}, "train", train).ok());
}

TEST(Complete, ScalesALabelUnlessToldOtherwise) {
  TorchEstimatorOptions options = Sound();
  EXPECT_EQ(Complete(options, "")->label_scale, Scale::kStandard);
  options.loss = BinaryCrossEntropy();
  EXPECT_EQ(Complete(options, "")->label_scale, Scale::kNone);
  options = Sound();
  options.label_scale = Scale::kNone;
  EXPECT_EQ(Complete(options, "")->label_scale, Scale::kNone);
}

TEST(Complete, MeasuresClassesAsSuch) {
  TorchEstimatorOptions options = Sound();
  options.loss = BinaryCrossEntropy();
  EXPECT_EQ(Complete(options, "")->train.metrics,
            (std::vector<std::string>{"log_loss", "auc", "accuracy"}));
  EXPECT_EQ(Complete(options, "")->train.best, "log_loss");
  const auto where = [](TorchEstimatorOptions wrong) {
    return FaultOf(Complete(std::move(wrong), "").status()).where;
  };
  options.train.metrics = {"log_loss", "mae"};
  EXPECT_EQ(where(options), "train.metrics.1");
  options.train = {.optimizer = {"adam"}, .baseline = "x"};
  EXPECT_EQ(where(options), "train.baseline");
  options = Sound();
  options.train.metrics = {"accuracy"};
  EXPECT_EQ(where(options), "train.metrics.0");
  options.loss = CrossEntropy();
  options.train.metrics = {"auc"};
  EXPECT_EQ(where(options), "train.metrics.0");
  options.train.metrics = {};
  EXPECT_EQ(Complete(options, "")->train.best, "log_loss");
}

TEST(Complete, RefusesWhatIsForLabelsOfAnotherKind) {
  const auto where = [](auto change) {
    TorchEstimatorOptions options = Sound();
    change(options);
    return FaultOf(Complete(options, "").status()).where;
  };
  EXPECT_EQ(where([](auto& o) { o.labels = {"a", "b"}; }), "label");
  EXPECT_EQ(where([](auto& o) { o.positive = "yes"; }), "positive");
  EXPECT_EQ(where([](auto& o) { o.probabilities = "all"; }), "probabilities");
  EXPECT_EQ(where([](auto& o) {
              o.loss = Poisson();
              o.label_scale = Scale::kStandard;
            }),
            "label_scale");
  EXPECT_EQ(where([](auto& o) {
              o.label = "";
              o.labels = {"a", "b"};
              o.loss = CrossEntropy();
            }),
            "labels");
  EXPECT_EQ(where([](auto& o) { o.loss = BinaryCrossEntropy({.positive_weight = 0}); }),
            "loss.positive_weight");
  EXPECT_EQ(where([](auto& o) { o.loss = CrossEntropy({.class_weights = "equal"}); }),
            "loss.class_weights");
}

TorchEstimatorOptions TwoClasses() {
  TorchEstimatorOptions options = Sound();
  options.loss = BinaryCrossEntropy();
  options.train.validation.share = 0.1;
  return options;
}

TEST(Complete, RefusesADecisionThatCannotBeMade) {
  const auto fault = [](auto change) {
    TorchEstimatorOptions options = TwoClasses();
    change(options);
    return FaultOf(Complete(options, "").status());
  };
  TorchEstimatorOptions sound = TwoClasses();
  sound.threshold.metric = "f1";
  sound.calibration = Calibration::kIsotonic;
  EXPECT_TRUE(Complete(sound, "").ok());
  const Fault metric = fault([](auto& o) { o.threshold.metric = "auc"; });
  EXPECT_EQ(metric.where, "threshold");
  EXPECT_THAT(metric.what, HasSubstr("balanced_accuracy"));
  EXPECT_EQ(fault([](auto& o) {
              o.loss = CrossEntropy();
              o.threshold.at = 0.3;
            }).where,
            "threshold");
  EXPECT_EQ(fault([](auto& o) {
              o.loss = CrossEntropy();
              o.calibration = Calibration::kIsotonic;
            }).where,
            "calibration");
  EXPECT_EQ(fault([](auto& o) {
              o.loss = MeanSquaredError();
              o.calibration = Calibration::kTemperature;
            }).where,
            "calibration");
}

TEST(Complete, RefusesToFitADecisionWithoutValidationRows) {
  for (const bool threshold : {true, false}) {
    TorchEstimatorOptions options = TwoClasses();
    options.train.validation.share = 0;
    if (threshold) options.threshold.metric = "f1";
    if (!threshold) options.calibration = Calibration::kTemperature;
    const Fault fault = FaultOf(Complete(options, "").status());
    EXPECT_EQ(fault.where, threshold ? "threshold" : "calibration");
    EXPECT_THAT(fault.fix, HasSubstr("train.validation"));
  }
}

TEST(Threshold, IsANumberOrAMetric) {
  TorchEstimatorOptions options;
  ASSERT_TRUE(FieldsFromJson({{"threshold", 0.25}}, "", options).ok());
  EXPECT_EQ(options.threshold.at, 0.25);
  EXPECT_EQ(FieldsToJson(options)["threshold"], 0.25);
  ASSERT_TRUE(FieldsFromJson({{"threshold", "f1"}}, "", options).ok());
  EXPECT_EQ(FieldsToJson(options)["threshold"], "f1");
  for (const Json& wrong : {Json(0), Json(1), Json(-2), Json(""), Json(true), Json()}) {
    EXPECT_FALSE(FieldsFromJson({{"threshold", wrong}}, "", options).ok()) << wrong;
  }
}

TEST(Complete, LearnsSeveralAnswersOfYesOrNo) {
  TorchEstimatorOptions options = TwoClasses();
  options.label = "";
  options.labels = {"a", "b"};
  EXPECT_EQ(Complete(options, "")->train.best, "log_loss");
  options.threshold.metric = "f1";
  EXPECT_EQ(FaultOf(Complete(options, "").status()).where, "threshold");
  options.threshold = {};
  options.loss = BinaryCrossEntropy({.class_weights = "balanced"});
  EXPECT_EQ(FaultOf(Complete(options, "").status()).where, "loss.class_weights");
}

TEST(Complete, TakesAMetricWithANumberUnderItsName) {
  TorchEstimatorOptions options = TwoClasses();
  options.loss = CrossEntropy();
  options.train.metrics = {"log_loss", "top_7"};
  options.train.best = "top_7";
  EXPECT_EQ(Complete(options, "")->train.metrics.back(), "top_7");
  options.train.metrics.back() = "top_k";
  const Fault open = FaultOf(Complete(options, "").status());
  EXPECT_EQ(open.where, "train.metrics.1");
  EXPECT_EQ(open.fix, "write \"top_5\", or another number");
  options.train.metrics.back() = "top_7";
  options.loss = BinaryCrossEntropy();
  EXPECT_EQ(FaultOf(Complete(options, "").status()).what,
            "metric \"top_7\" does not fit loss \"binary_cross_entropy\"");
}

TEST(Complete, OfQuantilesKnowsTheirMetricsAndLevels) {
  TorchEstimatorOptions options = Sound();
  options.loss = Quantile();
  EXPECT_EQ(Complete(options, "")->train.metrics,
            (std::vector<std::string>{"pinball", "coverage"}));
  EXPECT_EQ(Complete(options, "")->label_scale, Scale::kStandard);
  options.train.metrics = {"rmse"};
  const Fault rmse = FaultOf(Complete(options, "").status());
  EXPECT_EQ(rmse.where, "train.metrics.0");
  EXPECT_THAT(rmse.fix, HasSubstr("\"pinball\""));
  options = Sound();
  const std::vector<std::vector<double>> wrong = {{}, {0.5, 0.1}, {0.1, 0.1}, {0, 0.5}, {0.5, 1}};
  for (const std::vector<double>& levels : wrong) {
    options.loss = Quantile({.levels = levels});
    EXPECT_EQ(FaultOf(Complete(options, "").status()).where, "loss.levels");
  }
}

TEST(Complete, RefusesUnknownNamesWithTheNearest) {
  TorchEstimatorOptions options = Sound();
  options.loss = {"hubber"};
  const Fault fault = FaultOf(Complete(options, "pipeline.0").status());
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_EQ(fault.where, "pipeline.0.loss.name");
  EXPECT_THAT(fault.fix, HasSubstr("\"huber\""));
  options = Sound();
  options.net = {"click_net", {{"width", 7}}};
  EXPECT_FALSE(Complete(options, "").ok());
}

TEST(Complete, RefusesValuesOutOfRange) {
  const auto where = [](auto change) {
    TorchEstimatorOptions options = Sound();
    change(options);
    return FaultOf(Complete(options, "").status()).where;
  };
  EXPECT_EQ(where([](auto& o) { o.train.epochs = 0; }), "train.epochs");
  EXPECT_EQ(where([](auto& o) { o.train.validation.share = 1; }), "train.validation.share");
  EXPECT_EQ(where([](auto& o) { o.train.metrics = {"mea"}; }), "train.metrics.0");
  EXPECT_EQ(where([](auto& o) { o.net = TabularMlp({.dropout = 1}); }), "net.dropout");
  EXPECT_EQ(where([](auto& o) { o.train.optimizer.options["momentum"] = 1; }),
            "train.optimizer.momentum");
  EXPECT_EQ(where([](auto& o) { o.gang.workers = 5; }), "gang.workers");
  EXPECT_EQ(where([](auto& o) {
              o.loss = BinaryCrossEntropy();
              o.label_scale = Scale::kStandard;
            }),
            "label_scale");
  EXPECT_EQ(where([](auto& o) { o.label = ""; }), "label");
  EXPECT_EQ(where([](auto& o) { o.numeric.clear(); }), "numeric");
  EXPECT_EQ(where([](auto& o) {
              o.train.validation.share = 0.1;
              o.train.best = "mse";
            }),
            "train.best");
  // Misspelt; nothing is held out, but ranks look it up anyway.
  EXPECT_EQ(where([](auto& o) { o.train.best = "rsme"; }), "train.best");
}

TEST(Stages, ReadWhatTheyWrite) {
  const std::vector<StageOptions> stages = {
      StringIndexer({.id = "index", .inputs = {"a"}, .unseen = Unseen::kError}),
      Imputer({.inputs = {"b"}, .with = Fill::kMean}),
      {"one_hot_encoder", {{"inputs", {"a"}}}},
      TorchEstimator({.numeric = OutputsOf("imputer"), .label = "y"})};
  const Json json = StagesToJson(stages);
  EXPECT_EQ(json[0]["kind"], "string_indexer");
  EXPECT_EQ(json[0]["unseen"], "error");
  Json whole = json;
  whole[2] = {{"kind", "one_hot_encoder"}, {"id", ""},           {"inputs", {"a"}},
              {"unseen", "zeros"},         {"missing", "zeros"}, {"drop_first", false}};
  EXPECT_EQ(StagesToJson(*StagesFromJson(json, "pipeline", BuiltInCatalogue())), whole);
}

TEST(Stages, RefuseUnknownKindsAndKeysWithTheirPlace) {
  const auto fault = [](const char* text) {
    return FaultOf(StagesFromJson(*ParseJson(text), "pipeline", BuiltInCatalogue()).status());
  };
  const Fault kind = fault(R"([{"kind": "imputter"}])");
  EXPECT_EQ(kind.where, "pipeline.0.kind");
  EXPECT_THAT(kind.fix, HasSubstr("\"imputer\""));
  EXPECT_EQ(fault(R"([{"kind": "imputer", "input": []}])").where, "pipeline.0.input");
  EXPECT_EQ(fault(R"([{"inputs": []}])").where, "pipeline.0");
  EXPECT_EQ(fault(R"([{"kind": "torch_estimator", "train": {"epoch": 3}}])").where,
            "pipeline.0.train.epoch");
}

}  // namespace
}  // namespace protium
