// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "ludwig/ludwig.h"
#include "os/file.h"

extern "C" bool protium_import_ludwig(int32_t version, const protium::LudwigOptions& options,
                                      protium::Result<protium::LudwigJob>& job);

namespace protium {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Result<LudwigJob> Import(const std::string& text) {
  const TemporaryFolder folder = TemporaryFolder::Make().ValueOrDie();
  const auto file = folder.path() / "model.yaml";
  EXPECT_TRUE(WriteFile(file, text).ok());
  Result<LudwigJob> job = Status::UnknownError("not read");
  EXPECT_TRUE(protium_import_ludwig(kLudwigLibraryVersion, {file, "rows.csv"}, job));
  return job;
}

LudwigJob Imported(const std::string& text) { return Import(text).ValueOrDie(); }

constexpr const char* kPlain = R"(
input_features:
  - {name: age, type: number}
  - name: country
    type: category
output_features:
  - {name: income, type: binary}
)";

TEST(Ludwig, GivesAJobWithTheDefaultsWrittenOut) {
  const LudwigJob job = Imported(kPlain);
  EXPECT_THAT(job.notes, IsEmpty());
  for (const char* line :
       {"data = { csv = \"rows.csv\", null = [\"NA\"",
        "kind = \"imputer\"\nid = \"fill\"\ninputs = [\"age\"]\nwith = "
        "\"constant\"\nvalue = 0",
        "kind = \"standard_scaler\"\nid = \"scale\"\ninputs = [{ stage = \"fill\" }]",
        "kind = \"string_indexer\"\nid = \"index\"\ninputs = [\"country\"]", "label = \"income\"",
        "net = { name = \"tabular_mlp\", hidden = [] }",
        "loss = { name = \"binary_cross_entropy\" }", "epochs = 100", "batch_size = 128",
        "optimizer = { name = \"adam\", learning_rate = 0.001 }", "test = 0.2",
        "validation = { share = 0.125 }", "early_stopping = { patience = 5 }", "clip_norm = 0.5"}) {
    EXPECT_THAT(job.text, HasSubstr(line));
  }
}

TEST(Ludwig, ClipsGradientsAsTheFileSays) {
  const auto clipped = [](const std::string& trainer) {
    const LudwigJob job = Imported(std::string(kPlain) + "trainer: {" + trainer + "}\n");
    const size_t at = job.text.find("clip_");
    return at == std::string::npos ? "" : job.text.substr(at, job.text.find('\n', at) - at);
  };
  EXPECT_EQ(clipped("gradient_clipping: {clipglobalnorm: 2}"), "clip_norm = 2");
  EXPECT_EQ(clipped("gradient_clipping: {clipglobalnorm: null}"), "");
  EXPECT_EQ(clipped("gradient_clipping: {clipglobalnorm: null, clipvalue: 3}"), "clip_value = 3");
  EXPECT_EQ(clipped("gradient_clipping: null"), "");
}

TEST(Ludwig, FollowsWhatAConfigurationSays) {
  const LudwigJob job = Imported(R"(
input_features:
  - {name: a, type: number, preprocessing: {normalization: minmax, missing_value_strategy: drop_row}}
  - {name: b c, type: number, preprocessing: {normalization: null, fill_value: 7}}
  - {name: k, type: category, encoder: {type: dense, embedding_size: 8}}
output_features:
  - {name: y, type: number, loss: {type: huber, delta: 2}, preprocessing: {normalization: log1p}}
combiner: {type: concat, num_fc_layers: 2, output_size: 64, dropout: 0.1, norm: batch}
preprocessing: {split: {type: random, probabilities: [0.8, 0.1, 0.1]}}
trainer:
  epochs: 5
  batch_size: 256
  learning_rate: 0.01
  early_stop: -1
  optimizer: {type: adamw, betas: [0.8, 0.9], weight_decay: 0.1}
  learning_rate_scheduler: {decay: cosine, warmup_fraction: 0.1}
  gradient_clipping: {clipglobalnorm: 0.5}
  validation_metric: mean_absolute_error
)");
  EXPECT_THAT(job.notes, IsEmpty());
  for (const char* line :
       {"kind = \"min_max_scaler\"", "WHERE a IS NOT NULL", "value = 7",
        "net = { name = \"tabular_mlp\", hidden = [64, 64], dropout = 0.1, batch_norm = true, "
        "embedding = 8 }",
        "loss = { name = \"huber\", delta = 2 }", "label_scale = \"log1p\"", "test = 0.1\n",
        "validation = { share = 0.111111 }",
        "optimizer = { name = \"adamw\", learning_rate = 0.01, weight_decay = 0.1, beta1 = 0.8, "
        "beta2 = 0.9 }",
        "schedule = \"cosine\"", "warm_up = { share = 0.1 }", "clip_norm = 0.5",
        "best = \"mae\""}) {
    EXPECT_THAT(job.text, HasSubstr(line));
  }
  EXPECT_THAT(job.text, Not(HasSubstr("early_stopping")));
}

TEST(Ludwig, ReadsTextsByTheNetForThem) {
  const LudwigJob job = Imported(R"(
input_features:
  - {name: review, type: text, encoder: {type: parallel_cnn}}
  - {name: genre, type: category}
output_features:
  - {name: topic, type: category}
)");
  EXPECT_THAT(job.text, HasSubstr("net = { name = \"text_classifier\", vocabulary = 20002"));
  EXPECT_THAT(job.text, HasSubstr("vectors = [{ column = \"word_indices\", length = 256 }]"));
  EXPECT_THAT(job.text, HasSubstr("kind = \"one_hot_encoder\""));
}

TEST(Ludwig, NamesEveryKeyThatTheJobDoesNotFollow) {
  const LudwigJob job = Imported(R"(input_features:
  - {name: a, type: number}
  - {name: sound, type: audio}
output_features:
  - {name: y, type: number, top_k: 3}
  - {name: z, type: category}
combiner: {type: tabnet, num_steps: 3}
trainer: {learning_rate: auto, steps_per_checkpoint: 50}
backend: {type: ray}
)");
  EXPECT_THAT(job.notes,
              ElementsAre(HasSubstr("line 3: sound: inputs of the type audio"),
                          HasSubstr("line 5: output_features[0].top_k: 3: no counterpart"),
                          HasSubstr("line 6: z: a net learns several numbers"),
                          HasSubstr("line 7: combiner tabnet has no counterpart"),
                          HasSubstr("line 7: combiner.num_steps: 3: no counterpart"),
                          HasSubstr("line 8: trainer.learning_rate: auto"),
                          HasSubstr("line 8: trainer.steps_per_checkpoint: 50: no counterpart"),
                          HasSubstr("line 9: backend: {...}: no counterpart")));
  for (const std::string& note : job.notes) EXPECT_THAT(job.text, HasSubstr("# " + note));
}

TEST(Ludwig, RefusesWhatNoJobCanBeMadeOf) {
  const auto refused = [](const std::string& text) { return FaultOf(Import(text).status()); };
  EXPECT_THAT(refused("model_type: llm\n").what, HasSubstr("type llm"));
  EXPECT_THAT(refused("trainer: {epochs: 3}\n").what, HasSubstr("no input_features"));
  EXPECT_THAT(refused("input_features: [{name: s, type: audio}]\noutput_features: [{name: y, type: "
                      "number}]\n")
                  .what,
              HasSubstr("none of the input features"));
  EXPECT_THAT(
      refused("input_features: [{name: a, type: number}]\noutput_features: [{name: y, type: "
              "text}]\n")
          .what,
      HasSubstr("outputs of the type text"));
  EXPECT_EQ(refused("input_features: [").exit, Exit::kInput);
}

}  // namespace
}  // namespace protium
