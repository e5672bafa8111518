// SPDX-License-Identifier: Apache-2.0
// What leaves a model with its forest, and what a forest alone cannot say.
#include "model/export_forest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/fault.h"
#include "base/json.h"
#include "format/safetensors.h"
#include "model/model_folder.h"
#include "os/file.h"
#include "trees/forest_file.h"

namespace protium {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ExportedForestOf : public testing::Test {
 protected:
  void SetUp() override {
    files_.json["pipeline.json"] = *ParseJson(
        R"([{"kind": "tree_estimator", "id": "trees", "loss": {"name": "tweedie", "power": 1.3}}])");
    files_.json["stages.json"] = files_.json["schema.json"] = Json::object();
    files_.json["net.json"] = *ParseJson(R"({"net": {"name": "trees"},
        "categorical": [{"column": "shop__index", "cardinality": 4}], "numeric": ["x"],
        "lists": [], "objective": {"kind": "values", "logarithmic": false,
        "labels": [{"column": "y", "mean": 3, "deviation": 4, "log1p": false}], "classes": [],
        "class_type": "", "class_weights": [], "levels": [],
        "decision": {"cut": 0, "temperature": 1, "outputs": [], "probabilities": []}}})");
  }
  Result<ExportedForest> Export() {
    const Forest forest{.columns = {{"x"}, {"shop__index", 4}}, .base = {0.5F}};
    const ForestTensors tensors(forest);
    files_.weights = folder_.path() / "weights.safetensors";
    PT_TRY(WriteSafetensors(files_.weights, tensors.tensors()));
    files_.weights_sha256 = WeightsSha256(tensors.tensors());
    PT_TRY(WriteModelFolder(folder_.path() / "model", files_));
    return ExportForest(folder_.path() / "model");
  }
  std::string Refusal() {
    const auto exported = Export();
    return exported.ok() ? "" : FaultOf(exported.status()).what;
  }
  Json& objective() { return files_.json["net.json"]["objective"]; }

  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  ModelFiles files_;
};

TEST_F(ExportedForestOf, HasScalesAndTask) {
  const ExportedForest values = Export().ValueOrDie();
  EXPECT_THAT(values.carried.scales, ElementsAre(OutputScale{4, 3}));
  EXPECT_EQ(values.carried.task.loss, "tweedie");
  EXPECT_EQ(values.carried.task.variance_power, 1.3);
  EXPECT_THAT(values.notes, ElementsAre(HasSubstr("shop__index are indices")));
  objective()["logarithmic"] = true;
  objective()["labels"][0]["mean"] = 0;
  EXPECT_THAT(Export()->carried.scales, ElementsAre(OutputScale{1, std::log(4.0)}));
  objective()["kind"] = "two_classes";
  objective()["classes"] = {"no", "yes"};
  objective()["decision"]["temperature"] = 2;
  objective()["decision"]["cut"] = std::log(3.0);
  const ExportedForest classes = Export().ValueOrDie();
  EXPECT_THAT(classes.carried.scales, ElementsAre(OutputScale{0.5, 0}));
  EXPECT_THAT(classes.notes, ElementsAre(HasSubstr("indices"), HasSubstr("no, yes"),
                                         HasSubstr("above the probability 0.75")));
}

TEST_F(ExportedForestOf, RefusesWhatLeavesCannotSay) {
  objective()["logarithmic"] = true;
  EXPECT_THAT(Refusal(), HasSubstr("the logarithm of y less 3"));
  objective()["labels"][0]["log1p"] = true;
  EXPECT_THAT(Refusal(), HasSubstr("\"log1p\" of y cannot be expressed by trees"));
  objective()["decision"]["outputs"] = {0.5};
  EXPECT_THAT(Refusal(), HasSubstr("\"isotonic\""));
  SetUp();
  objective()["levels"] = {0.1, 0.9};
  objective()["kind"] = "quantiles";
  EXPECT_THAT(Refusal(), HasSubstr("differ in the number of outputs"));
  files_.json["net.json"]["net"]["name"] = "linear";
  EXPECT_THAT(Refusal(), HasSubstr("the model has no forest"));
}

}  // namespace
}  // namespace protium
