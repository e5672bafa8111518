// SPDX-License-Identifier: Apache-2.0
#include "pipeline/chain.h"

#include <arrow/api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "pipeline/learned.h"
#include "pipeline/train_rows.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SchemaPtr Table() {
  return arrow::schema({arrow::field("origin", arrow::utf8()), arrow::field("hour", arrow::int64()),
                        arrow::field("temp", arrow::float64()), arrow::field("day", arrow::int64()),
                        arrow::field("delay", arrow::float64()), arrow::field("x", arrow::utf8())});
}

std::vector<StageOptions> Flights() {
  return {StringIndexer({.id = "index", .inputs = {"origin", "hour"}}),
          Imputer({.id = "fill", .inputs = {"temp"}}),
          StandardScaler({.id = "scale", .inputs = Columns{"hour"} + OutputsOf("fill")}),
          TorchEstimator({.categorical = OutputsOf("index"),
                          .numeric = OutputsOf("scale"),
                          .label = "delay",
                          .label_scale = Scale::kStandard,
                          .train = {.validation = {.share = 0.1, .by = {"day"}}}})};
}

Fault FaultWith(std::vector<StageOptions> stages) {
  return FaultOf(PlaceStages(stages, *Table()).status());
}

TEST(Chain, ResolvesInputsAndNamesOutputs) {
  const Chain chain = *PlaceStages(Flights(), *Table());
  EXPECT_THAT(chain.stages[2].stage->inputs(), ElementsAre("hour", "temp__fill"));
  EXPECT_THAT(chain.stages[2].stage->outputs(), ElementsAre("hour__scale", "temp__fill__scale"));
  EXPECT_THAT(chain.estimator->categorical, ElementsAre("origin__index", "hour__index"));
  EXPECT_THAT(chain.estimator->numeric, ElementsAre("hour__scale", "temp__fill__scale"));
}

TEST(Chain, OrdersStagesIntoLevels) {
  const Chain chain = *PlaceStages(Flights(), *Table());
  EXPECT_EQ(chain.stages[0].level, 1);
  EXPECT_EQ(chain.stages[1].level, 1);
  EXPECT_EQ(chain.stages[2].level, 2);
  EXPECT_EQ(chain.estimator->level, 1);
  EXPECT_EQ(chain.levels(), 2);
}

TEST(Chain, KnowsWhatFittingAndScoringRead) {
  const Chain chain = *PlaceStages(Flights(), *Table());
  EXPECT_THAT(chain.sources, ElementsAre("origin", "hour", "temp", "day", "delay"));
  EXPECT_THAT(chain.needed, ElementsAre("origin", "hour", "temp"));
}

std::vector<StageOptions> HeldOutBy(ValidationOptions validation) {
  return {TreeEstimator(
      {.numeric = {"temp"}, .label = "delay", .train = {.validation = std::move(validation)}})};
}

TEST(Chain, HoldsOutTheRowsThatAColumnMarks) {
  const SchemaPtr table = *Table()->AddField(6, arrow::field("later", arrow::boolean()));
  const Chain chain = *PlaceStages(HeldOutBy({.column = "later"}), *table);
  EXPECT_THAT(chain.sources, ElementsAre("temp", "delay", "later"));
  EXPECT_THAT(chain.needed, ElementsAre("temp"));
  const auto fault = [&](ValidationOptions validation) {
    return FaultOf(PlaceStages(HeldOutBy(std::move(validation)), *table).status());
  };
  EXPECT_THAT(fault({.column = "day"}).what, HasSubstr("not boolean"));
  EXPECT_THAT(fault({.column = "day"}).fix, HasSubstr("AS held_out"));
  EXPECT_THAT(fault({.column = "latr"}).fix, HasSubstr("\"later\""));
  EXPECT_THAT(fault({.share = 0.1, .column = "later"}).what, HasSubstr("both share and column"));
  EXPECT_THAT(fault({.by = {"day"}, .column = "later"}).what, HasSubstr("both by and column"));
  EXPECT_THAT(fault({.by_time = "day", .column = "later"}).what,
              HasSubstr("both by_time and column"));
  EXPECT_THAT(fault({.by = {"day"}, .by_time = "day"}).what, HasSubstr("both by and by_time"));
}

TEST(Chain, GivesIdsThatAreMissing) {
  const Chain chain =
      *PlaceStages({Imputer({.inputs = {"temp"}}), Imputer({.inputs = {"delay"}})}, *Table());
  EXPECT_EQ(chain.stages[0].stage->id(), "imputer");
  EXPECT_EQ(chain.stages[1].stage->id(), "imputer_2");
}

TEST(Chain, RefusesUnknownColumnsAndStagesWithTheNearest) {
  const Fault column = FaultWith({Imputer({.inputs = {"delay", "tmep"}})});
  EXPECT_EQ(column.exit, Exit::kUsage);
  EXPECT_EQ(column.where, "pipeline.0.inputs.1");
  EXPECT_THAT(column.fix, HasSubstr("\"temp\""));
  const Fault stage = FaultWith(
      {Imputer({.id = "fill", .inputs = {"temp"}}), StandardScaler({.inputs = OutputsOf("fil")})});
  EXPECT_EQ(stage.where, "pipeline.1.inputs.0");
  EXPECT_THAT(stage.fix, HasSubstr("\"fill\""));
  EXPECT_THAT(FaultWith({StandardScaler({.id = "me", .inputs = OutputsOf("me")})}).what,
              HasSubstr("no earlier stage \"me\""));
}

TEST(Chain, RefusesWrongTypes) {
  EXPECT_EQ(FaultWith({Imputer({.inputs = {"origin"}})}).what,
            "column \"origin\" is string, not numbers");
  EXPECT_EQ(FaultWith({StringIndexer({.inputs = {"temp"}})}).what,
            "column \"temp\" is float64, not text, whole numbers or booleans");
  EXPECT_EQ(FaultWith({TorchEstimator({.numeric = {"x"}, .label = "delay"})}).where,
            "pipeline.0.numeric");
}

TEST(Chain, WantsTheLengthOfListsOnceAndWithoutContradiction) {
  const auto table =
      arrow::schema({arrow::field("fixed", arrow::fixed_size_list(arrow::float32(), 2)),
                     arrow::field("open", arrow::list(arrow::float32())),
                     arrow::field("delay", arrow::float64())});
  const auto place = [&](VectorColumn vectors) {
    const Choice net = Cnn({.height = 1, .pool = 1});
    return PlaceStages(
        {TorchEstimator({.net = net, .vectors = {std::move(vectors)}, .label = "delay"})}, *table);
  };
  EXPECT_EQ(place({"fixed"})->estimator->lists[0].length, 2);
  EXPECT_EQ(place({"fixed", 2})->estimator->lists[0].length, 2);
  EXPECT_EQ(place({"open", 3})->estimator->lists[0].length, 3);
  EXPECT_EQ(FaultOf(place({"fixed", 3}).status()).what,
            "the lists in \"fixed\" have 2 numbers, but length = 3");
  EXPECT_EQ(FaultOf(place({"open"}).status()).what,
            "the length of the lists in \"open\" is not known");
}

TEST(Chain, RefusesTheLabelAmongTheInputs) {
  const auto estimator = [](Inputs numeric, std::string baseline = "") {
    return TorchEstimator({.numeric = std::move(numeric),
                           .label = "delay",
                           .train = {.baseline = std::move(baseline)}});
  };
  EXPECT_EQ(FaultWith({estimator({"temp", "delay"})}).where, "pipeline.0.numeric");
  EXPECT_EQ(FaultWith({estimator({"temp"}, "delay")}).where, "pipeline.0.train.baseline");
  const Fault made =
      FaultWith({Imputer({.id = "fill", .inputs = {"delay"}}),
                 StandardScaler({.id = "scale", .inputs = Columns{"temp"} + OutputsOf("fill")}),
                 estimator(OutputsOf("scale"))});
  EXPECT_THAT(made.what, HasSubstr("as \"delay__fill__scale\""));
}

TEST(Chain, SpeaksOfTheColumnsOfTheTable) {
  const Chain chain = *PlaceStages(Flights(), *Table());
  EXPECT_EQ(FindSource(chain, "temp__fill__scale"), "temp");
  EXPECT_EQ(FindSource(chain, "temp"), "temp");
  EXPECT_EQ(NameOfSources(chain, "temp__fill__scale"), "temp");
  EXPECT_EQ(NameOfSources(chain, "temp"), "temp");
  const Status status = WithSourceNames(
      chain, Fail({.what = "column temp__fill__scale is NULL", .fix = "xtemp__fill hour__scale"}));
  EXPECT_EQ(FaultOf(status).what, "column temp is NULL");
  EXPECT_EQ(FaultOf(status).fix, "xtemp__fill hour");
  EXPECT_EQ(FaultWith({Imputer({.id = "fill", .inputs = {"temp"}}),
                       TorchEstimator({.numeric = {"temp_fill"}, .label = "delay"})})
                .fix,
            "one of: origin, hour, temp, day, delay, x");
}

TEST(Chain, RefusesNamesGivenTwice) {
  EXPECT_THAT(FaultWith({Imputer({.id = "a", .inputs = {"temp"}}),
                         Imputer({.id = "a", .inputs = {"delay"}})})
                  .what,
              HasSubstr("two stages"));
  EXPECT_THAT(
      FaultWith({Imputer({.inputs = {"temp"}, .outputs = {"Hour"}})}).what,
      HasSubstr("output \"Hour\" of stage \"imputer\" has the name of a column of the table"));
  EXPECT_THAT(FaultWith({Imputer({.inputs = {"temp", "temp"}})}).what, HasSubstr("twice"));
  EXPECT_THAT(FaultWith({Imputer({.inputs = {"temp"}, .outputs = {"a", "b"}})}).where,
              HasSubstr("outputs"));
}

TEST(Chain, WantsOneEstimatorAtTheEnd) {
  const auto estimator = TorchEstimator({.numeric = {"temp"}, .label = "delay"});
  EXPECT_THAT(FaultWith({estimator, estimator}).what, HasSubstr("two estimators"));
  EXPECT_THAT(FaultWith({estimator, Imputer({.inputs = {"temp"}})}).what,
              HasSubstr("after the estimator"));
}

TEST(Chain, WantsCategoriesFromAnIndexer) {
  const Fault fault = FaultWith({TorchEstimator({.categorical = {"hour"}, .label = "delay"})});
  EXPECT_THAT(fault.what, HasSubstr("\"hour\" is not a column of indices"));
}

TEST(Chain, CountsOwnIndices) {
  Chain chain = *PlaceStages({StringIndexer({.id = "index", .inputs = {"origin"}})}, *Table());
  TextCounts counts;
  for (const char* text : {"JFK", "LGA"})
    ASSERT_TRUE(counts.Merge({.text = text, .count = 1}).ok());
  const std::vector<State> states = {counts};
  ASSERT_TRUE(chain.stages[0].stage->Learn(states).ok());
  EXPECT_EQ(chain.stages[0].stage->cardinality(0), 4);
  EXPECT_EQ(Dump(chain.stages[0].stage->learned()),
            R"([{"input":"origin","output":"origin__index","keys":["JFK","LGA"],)"
            R"("unseen":2,"missing":3,"cardinality":4}])");
}

TEST(Chain, AppliesStagesAsExpressions) {
  Chain chain = *PlaceStages({Imputer({.id = "fill", .inputs = {"temp"}}),
                              StandardScaler({.id = "scale", .inputs = OutputsOf("fill")})},
                             *Table());
  const Json learned = *ParseJson(R"({"stages": [
      {"id": "fill", "kind": "imputer",
       "learned": [{"input": "temp", "output": "temp__fill", "value": 7.0}]},
      {"id": "scale", "kind": "standard_scaler",
       "learned": [{"input": "temp__fill", "output": "temp__fill__scale", "mean": 2.0,
                    "deviation": 4.0}]}]})");
  ASSERT_TRUE(LearnedFromJson(learned, chain, nullptr).ok());
  Columns columns = {"temp"};
  const Plan plan =
      ApplyStages(chain, MakePlan(Materialize{"rows"}), columns, {"temp__fill__scale"});
  EXPECT_THAT(columns, ElementsAre("temp", "temp__fill", "temp__fill__scale"));
  const std::string text = Explain(plan);
  EXPECT_THAT(text, HasSubstr("temp__fill = coalesce(nan_to_null(temp), 7.0)"));
  EXPECT_THAT(text, HasSubstr("((cast_double(temp__fill) - 2.0) / 4.0)"));
}

// A number that is only scaled is left to packing if packing can read its source; a constant column
// is not scaled.
TEST(Chain, LeavesScalingToPacking) {
  Chain chain = *PlaceStages(Flights(), *Table());
  const auto restore = [&](double deviation) {
    const Json learned = {
        {{"input", "hour"}, {"output", "hour__scale"}, {"mean", 2.0}, {"deviation", 4.0}},
        {{"input", "temp__fill"},
         {"output", "temp__fill__scale"},
         {"mean", 0.5},
         {"deviation", deviation}}};
    return chain.stages[2].stage->Restore(learned);
  };
  const auto scaled = [&](const SchemaPtr& table) {
    Columns text;
    for (const ScaledNumber& each : ScaledInPacking(chain, *table)) {
      text.push_back(Dump(FieldsToJson(each)));
    }
    return text;
  };
  const char* const hour = R"({"column":"hour__scale","from":"hour","mean":2.0,"deviation":4.0})";
  const char* const temp =
      R"({"column":"temp__fill__scale","from":"temp__fill","mean":0.5,"deviation":0.25})";
  ASSERT_TRUE(restore(0.25).ok());
  EXPECT_THAT(scaled(Table()), ElementsAre(hour, temp));
  const SchemaPtr decimals = arrow::schema({arrow::field("hour", arrow::decimal128(10, 2))});
  EXPECT_THAT(scaled(decimals), ElementsAre(temp));
  ASSERT_TRUE(restore(0).ok());
  EXPECT_THAT(scaled(Table()), ElementsAre(hour));
}

TEST(Chain, AppliesOnlyStagesThatAreWanted) {
  const Chain chain = *PlaceStages(Flights(), *Table());
  Columns columns = {"temp", "hour"};
  ApplyStages(chain, MakePlan(Materialize{"rows"}), columns, {"temp__fill"});
  EXPECT_THAT(columns, ElementsAre("temp", "hour", "temp__fill"));
}

StageOptions OneHot(Json more = Json::object()) {
  Json options = {{"id", "hot"}, {"inputs", {"origin"}}};
  options.update(more);
  return {"one_hot_encoder", options};
}

// Makes the first stage learn from these texts.
Status LearnTexts(Chain& chain, const std::vector<const char*>& texts) {
  TextCounts counts;
  for (const char* text : texts) PT_TRY(counts.Merge({.text = text, .count = 1}));
  const std::vector<State> states = {counts};
  PT_TRY(chain.stages[0].stage->Learn(states));
  return PlaceAgain(chain);
}

std::vector<StageOptions> BehindOneHot() {
  return {OneHot(), StandardScaler({.id = "scale", .inputs = OutputsOf("hot") + Columns{"temp"}}),
          TorchEstimator({.numeric = OutputsOf("scale") + OutputsOf("hot"), .label = "delay"})};
}

TEST(LearnedOutputs, AreAwaitedByWhoReadsThem) {
  const Chain chain = *PlaceStages(BehindOneHot(), *Table());
  EXPECT_TRUE(chain.stages[0].open() && chain.stages[1].open());
  EXPECT_THAT(chain.stages[1].stage->inputs(), ElementsAre("temp"));
  EXPECT_THAT(chain.stages[1].stage->outputs(), ElementsAre());
  EXPECT_EQ(chain.stages[1].level, 2);
  EXPECT_THAT(chain.estimator->awaits, ElementsAre(1, 0));
  EXPECT_THAT(chain.sources, ElementsAre("origin", "temp", "delay"));
}

TEST(LearnedOutputs, ArePlacedOnceTheyAreKnown) {
  Chain chain = *PlaceStages(BehindOneHot(), *Table());
  ASSERT_TRUE(LearnTexts(chain, {"JFK", "LGA"}).ok());
  EXPECT_THAT(chain.stages[1].stage->inputs(),
              ElementsAre("origin__hot__JFK", "origin__hot__LGA", "temp"));
  EXPECT_THAT(chain.estimator->numeric,
              ElementsAre("origin__hot__JFK__scale", "origin__hot__LGA__scale", "temp__scale",
                          "origin__hot__JFK", "origin__hot__LGA"));
  EXPECT_EQ(chain.stages[1].level, 2);
  EXPECT_THAT(chain.sources, ElementsAre("origin", "temp", "delay"));
  EXPECT_EQ(FindSource(chain, "origin__hot__LGA__scale"), "origin");
  EXPECT_EQ(FindSource(chain, "temp__scale"), "temp");
  EXPECT_EQ(NameOfSources(chain, "origin__hot__LGA__scale"), "origin");
}

TEST(LearnedOutputs, ThatCollideNameBothStages) {
  const StageOptions fill =
      Imputer({.id = "fill", .inputs = {"temp"}, .outputs = {"origin__hot__a"}});
  Chain chain = *PlaceStages({OneHot(), fill}, *Table());
  const Fault fault = FaultOf(LearnTexts(chain, {"A"}));
  EXPECT_EQ(fault.exit, Exit::kInput);
  EXPECT_EQ(fault.what,
            "output \"origin__hot__a\" of stage \"fill\" has the name of a column that stage "
            "\"hot\" makes");
  EXPECT_EQ(fault.where, "pipeline.1.outputs.0");
  Chain table = *PlaceStages(
      {OneHot({{"inputs", {"x"}}, {"id", "y"}})},
      *arrow::schema({arrow::field("x", arrow::utf8()), arrow::field("x__y__a", arrow::int64())}));
  const Fault taken = FaultOf(LearnTexts(table, {"a"}));
  EXPECT_THAT(taken.what, HasSubstr("of stage \"y\" has the name of a column of the table"));
  EXPECT_EQ(taken.where, "pipeline.0.id");
}

TEST(LearnedOutputs, AreNamedAsAWhole) {
  EXPECT_EQ(FaultWith({OneHot(), StandardScaler({.inputs = {"origin__hot__JFK"}})}).why,
            "the columns of stage \"hot\" are not known before training: name the stage, "
            "{ stage = \"hot\" }");
  EXPECT_EQ(
      FaultWith({OneHot(), StandardScaler({.inputs = OutputsOf("hot") + OutputsOf("hot")})}).what,
      "stage \"hot\" is listed twice");
}

TEST(LearnedOutputs, AreNoIndicesAndHideNoLabel) {
  EXPECT_EQ(
      FaultWith({OneHot(), TorchEstimator({.categorical = OutputsOf("hot"), .label = "delay"})})
          .what,
      "the output of stage \"hot\" is not a column of indices");
  EXPECT_THAT(FaultWith({OneHot({{"inputs", {"hour"}}}),
                         StandardScaler({.id = "scale", .inputs = OutputsOf("hot")}),
                         TorchEstimator({.numeric = OutputsOf("scale"), .label = "hour"})})
                  .what,
              HasSubstr("the label \"hour\" is among"));
}

TEST(LearnedOutputs, HaveNamesThatAreSafeAndUnique) {
  Chain chain = *PlaceStages({OneHot({{"max_categories", 5}})}, *Table());
  ASSERT_TRUE(LearnTexts(chain, {"NY!", "", "NY?", "ny_", "other", "z"}).ok());
  EXPECT_THAT(chain.stages[0].stage->outputs(),
              ElementsAre("origin__hot__empty", "origin__hot__NY_", "origin__hot__NY__2",
                          "origin__hot__ny__3", "origin__hot__other_2", "origin__hot__other"));
}

TEST(LearnedOutputs, AreNotAThousand) {
  Chain chain = *PlaceStages({OneHot()}, *Table());
  TextCounts counts;
  for (int i = 0; i < 1001; ++i) {
    ASSERT_TRUE(counts.Merge({.text = std::to_string(i), .count = 1}).ok());
  }
  const std::vector<State> states = {counts};
  const Fault fault = FaultOf(chain.stages[0].stage->Learn(states));
  EXPECT_THAT(fault.what, HasSubstr("has 1001 values"));
  EXPECT_THAT(fault.fix, HasSubstr("max_categories"));
}

TEST(Learned, RefusesWhatDoesNotFitThePipeline) {
  Chain chain = *PlaceStages({Imputer({.id = "fill", .inputs = {"temp"}})}, *Table());
  for (const char* text :
       {R"({"stages": []})", R"({"stages": [{"id": "other", "kind": "imputer", "learned": []}]})",
        R"({"stages": [{"id": "fill", "kind": "imputer", "learned": []}]})",
        R"({"stages": [{"id": "fill", "kind": "imputer",
            "learned": [{"input": "x", "output": "temp__fill", "value": 1}]}]})"}) {
    EXPECT_FALSE(LearnedFromJson(*ParseJson(text), chain, nullptr).ok()) << text;
  }
}

TEST(TrainRows, AreHeldOutWithASeedOfTheirOwn) {
  const Chain chain = *PlaceStages(Flights(), *Table());
  const TrainRows rows = RowsFor(chain, MakePlan(Materialize{"etl"}));
  EXPECT_EQ(rows.held_out, "__held_out");
  const std::string text = Explain(rows.learning);
  EXPECT_THAT(text, HasSubstr("mark __held_out = 0.1 by day"));
  EXPECT_THAT(text, testing::Not(HasSubstr("(seed 0)")));
}

TEST(Chain, SaysThatANameIsOneOfAStageOrThatItsStageComesLater) {
  const StageOptions fill = Imputer({.id = "fill", .inputs = {"temp"}});
  const Fault stage = FaultWith({fill, StandardScaler({.inputs = {"fill"}})});
  EXPECT_THAT(stage.why, HasSubstr("\"fill\" is a stage"));
  EXPECT_THAT(stage.fix, HasSubstr("{ stage = \"fill\" }"));
  const Fault column = FaultWith({fill, StandardScaler({.inputs = OutputsOf("hour")})});
  EXPECT_THAT(column.why, HasSubstr("\"hour\" is a column"));
  for (const Inputs& inputs : {OutputsOf("fill"), Inputs{"temp__fill"}}) {
    const Fault later = FaultWith({StandardScaler({.inputs = inputs}), fill});
    EXPECT_THAT(later.why, HasSubstr("\"fill\" comes later")) << later.what;
  }
}

TEST(PlaceOnNames, RefusesAsPlaceStagesDoesButForTypes) {
  const Columns names = Table()->field_names();
  const auto fault = [](const std::vector<StageOptions>& stages, std::optional<Columns> table) {
    const auto chain = PlaceOnNames(stages, table);
    return chain.ok() ? "" : FaultOf(chain.status()).what;
  };
  EXPECT_EQ(fault(Flights(), names), "");
  EXPECT_EQ(fault(Flights(), std::nullopt), "");
  EXPECT_THAT(PlaceOnNames(Flights(), names)->value().estimator->numeric,
              ElementsAre("hour__scale", "temp__fill__scale"));
  const std::vector<StageOptions> column = {Imputer({.inputs = {"tmep"}})};
  EXPECT_EQ(fault(column, names), "there is no column \"tmep\"");
  EXPECT_EQ(fault(column, std::nullopt), "");
  const std::vector<StageOptions> type = {Imputer({.inputs = {"origin"}})};
  EXPECT_NE(FaultWith(type).what, "");
  EXPECT_EQ(fault(type, names), "");
  const std::vector<StageOptions> label = {
      TorchEstimator({.numeric = {"delay", "hour"}, .label = "delay"})};
  for (const auto& table : {std::optional(names), std::optional<Columns>()}) {
    EXPECT_THAT(fault(label, table), HasSubstr("among its own inputs"));
    EXPECT_THAT(fault({StandardScaler({.inputs = OutputsOf("fill")})}, table),
                HasSubstr("no earlier stage"));
  }
}

TEST(PlaceOnNames, EndsWhereOnlyTypesTellTheNames) {
  const StageOptions made{
      "sql_transformer",
      {{"inputs", {"hour"}}, {"statement", "SELECT *, hour AS h FROM __THIS__"}}};
  const auto chain = PlaceOnNames({made, Imputer({.inputs = {"h"}})}, Table()->field_names());
  ASSERT_TRUE(chain.ok()) << chain.status();
  EXPECT_FALSE(chain->has_value());
}

}  // namespace
}  // namespace protium
