// SPDX-License-Identifier: Apache-2.0
// Trainer and split: https://ludwig.ai/latest/configuration/trainer/
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>

#include "ludwig/draft.h"

namespace protium::ludwig {
namespace {

// Ludwig's own defaults, which a job states explicitly.
constexpr double kEpochs = 100, kBatch = 128, kRate = 0.001, kPatience = 5;
constexpr double kTest = 0.2, kValidation = 0.1;

// Returns a number, or the default for "auto", with a note.
double NumberOrAuto(Yaml& trainer, const char* key, double otherwise, Draft& draft) {
  if (const auto number = trainer.TakeNumber(key)) return *number;
  if (const auto word = trainer.TakeText(key)) {
    draft.AddNote(trainer, fmt::format("trainer.{}: {}: nothing is tuned here; it is {}", key,
                                       *word, Number(otherwise)));
  }
  return otherwise;
}

// Ludwig's names and ours; others have no counterpart.
struct Optimizer {
  std::string_view theirs;
  std::string_view ours;
};
constexpr std::array<Optimizer, 5> kOptimizers = {{{"adam", "adam"},
                                                   {"adamw", "adamw"},
                                                   {"sgd", "sgd"},
                                                   {"adagrad", "adagrad"},
                                                   {"rmsprop", "rmsprop"}}};

std::string BetasOf(Yaml& optimizer) {
  Yaml* const betas = optimizer.Take("betas");
  if (betas == nullptr || betas->items().size() != 2) return "";
  return fmt::format(", beta1 = {}, beta2 = {}", betas->items()[0].text(),
                     betas->items()[1].text());
}

void AddOptimizer(Yaml& trainer, Draft& draft) {
  Yaml none({});
  Yaml* const given = trainer.Take("optimizer");
  Yaml& optimizer = given == nullptr ? none : *given;
  const std::string type = optimizer.TakeText("type").value_or("adam");
  const auto found = std::ranges::find(kOptimizers, type, &Optimizer::theirs);
  if (found == kOptimizers.end()) {
    draft.AddNote(optimizer,
                  fmt::format("trainer.optimizer {} has no counterpart; it is adam", type));
  }
  const std::string name = found == kOptimizers.end() ? "adam" : std::string(found->ours);
  const double rate = NumberOrAuto(trainer, "learning_rate", kRate, draft);
  std::string options = fmt::format("name = \"{}\", learning_rate = {}", name, Number(rate));
  const auto add = [&](const char* key, const char* ours) {
    if (const auto number = optimizer.TakeNumber(key)) {
      options += fmt::format(", {} = {}", ours, Number(*number));
    }
  };
  add("weight_decay", "weight_decay");
  if (name == "adam" || name == "adamw") options += BetasOf(optimizer);
  if (name != "sgd") add("eps", "epsilon");
  if (name == "sgd" || name == "rmsprop") add("momentum", "momentum");
  if (name == "rmsprop") add("alpha", "smoothing");
  if (name == "sgd" && optimizer.TakeTruth("nesterov").value_or(false)) {
    options += ", nesterov = true";
  }
  draft.train.push_back(fmt::format("optimizer = {{ {} }}", options));
}

void AddSchedule(Yaml& trainer, Draft& draft) {
  Yaml* const schedule = trainer.Take("learning_rate_scheduler");
  if (schedule == nullptr) return;
  const auto decay = schedule->TakeText("decay");
  if (decay && *decay == "cosine") draft.train.emplace_back("schedule = \"cosine\"");
  if (decay && *decay != "cosine") {
    draft.AddNote(*schedule,
                  fmt::format("trainer.learning_rate_scheduler.decay {} has no counterpart; "
                              "cosine, one_cycle and step are there",
                              *decay));
  }
  if (const auto share = schedule->TakeNumber("warmup_fraction"); share && *share > 0) {
    draft.train.push_back(fmt::format("warm_up = {{ share = {} }}", Number(*share)));
  }
  const double plateaus = schedule->TakeNumber("reduce_on_plateau").value_or(0);
  if (plateaus > 0 && !decay) {
    const double factor = schedule->TakeNumber("reduce_on_plateau_rate").value_or(0.1);
    const double patience = schedule->TakeNumber("reduce_on_plateau_patience").value_or(10);
    draft.train.push_back(
        fmt::format("schedule = {{ name = \"reduce_on_plateau\", factor = {}, patience = {} }}",
                    Number(factor), Number(patience)));
  }
}

// Ludwig clips to a norm of 0.5 unless a file gives another one or null.
void AddClipping(Yaml& trainer, Draft& draft) {
  constexpr double kNorm = 0.5;
  if (trainer.TakeWord("gradient_clipping") == "null") return;
  Yaml* const clipping = trainer.Take("gradient_clipping");
  const bool unclipped = clipping != nullptr && clipping->TakeWord("clipglobalnorm") == "null";
  const auto said = clipping == nullptr ? std::nullopt : clipping->TakeNumber("clipglobalnorm");
  const double norm = unclipped ? 0 : said.value_or(kNorm);
  if (norm > 0) draft.train.push_back(fmt::format("clip_norm = {}", Number(norm)));
  if (clipping == nullptr) return;
  if (const auto value = clipping->TakeNumber("clipvalue"); value && *value > 0) {
    draft.train.push_back(fmt::format("clip_value = {}", Number(*value)));
  }
}

// Sets the validation metric by our name; "loss" is the first of a job's own.
void AddBest(Yaml& trainer, Draft& draft) {
  static const std::map<std::string, std::string> kMetrics = {{"accuracy", "accuracy"},
                                                              {"roc_auc", "auc"},
                                                              {"mean_squared_error", "mse"},
                                                              {"mean_absolute_error", "mae"},
                                                              {"root_mean_squared_error", "rmse"},
                                                              {"r2", "r2"}};
  const auto metric = trainer.TakeText("validation_metric");
  if (!metric || *metric == "loss") return;
  const auto found = kMetrics.find(*metric);
  if (found == kMetrics.end()) {
    draft.AddNote(trainer, fmt::format("trainer.validation_metric {} has no counterpart", *metric));
    return;
  }
  draft.train.push_back(fmt::format("metrics = [\"{0}\"]\nbest = \"{0}\"", found->second));
}

void AddRandomSplit(Yaml& split, Draft& draft) {
  double test = kTest, validation = kValidation;
  if (Yaml* const shares = split.Take("probabilities"); shares && shares->items().size() == 3) {
    const auto number = [&](size_t i) {
      return std::strtod(shares->items()[i].text().c_str(), nullptr);
    };
    const double all = number(0) + number(1) + number(2);
    if (all > 0) {
      test = number(2) / all;
      validation = number(1) / all;
    }
  }
  if (test > 0 && test < 1) draft.split.push_back(fmt::format("test = {:.6g}", test));
  // A share of the rows outside the test set.
  if (validation > 0 && test + validation < 1) {
    draft.train.push_back(
        fmt::format("validation = {{ share = {:.6g} }}", validation / (1 - test)));
  }
}

}  // namespace

void AddTrainer(Yaml& root, Draft& draft) {
  Yaml none({});
  Yaml* given = root.Take("trainer");
  if (given == nullptr) given = root.Take("training");  // Before version 0.5.
  Yaml& trainer = given == nullptr ? none : *given;
  draft.train.push_back(
      fmt::format("epochs = {}", Number(NumberOrAuto(trainer, "epochs", kEpochs, draft))));
  draft.train.push_back(
      fmt::format("batch_size = {}", Number(NumberOrAuto(trainer, "batch_size", kBatch, draft))));
  AddOptimizer(trainer, draft);
  AddSchedule(trainer, draft);
  AddClipping(trainer, draft);
  AddBest(trainer, draft);
  const double patience = trainer.TakeNumber("early_stop").value_or(kPatience);
  if (patience > 0) {
    draft.train.push_back(fmt::format("early_stopping = {{ patience = {} }}", Number(patience)));
  }
  if (trainer.TakeTruth("use_mixed_precision").value_or(false)) {
    draft.AddNote(trainer,
                  "trainer.use_mixed_precision: nets compute in float32; docs/nets.md says "
                  "which may use bfloat16");
  }
}

void AddSplit(Yaml& root, Draft& draft) {
  Yaml none({});
  Yaml* const preprocessing = root.Take("preprocessing");
  Yaml* const given = preprocessing == nullptr ? nullptr : preprocessing->Take("split");
  Yaml& split = given == nullptr ? none : *given;
  const std::string type = split.TakeText("type").value_or("random");
  const std::string column = split.TakeText("column").value_or("split");
  if (type == "fixed") {
    draft.split_sql = fmt::format(", {} = 2 AS held_out", Name(column));
    draft.split.emplace_back("column = \"held_out\"");
    draft.train.push_back(fmt::format("validation = {{ share = {} }}", kValidation));
    draft.AddNote(split,
                  fmt::format("preprocessing.split: rows whose {} is 1 are trained with; other "
                              "rows, drawn, choose the epoch",
                              column));
    return;
  }
  if (type == "hash") draft.split.push_back(fmt::format("by = {}", List({column})));
  if (type != "hash" && type != "random") {
    draft.AddNote(split,
                  fmt::format("preprocessing.split {} has no counterpart; rows are held out by a "
                              "hash of their cells",
                              type));
  }
  AddRandomSplit(split, draft);
}

}  // namespace protium::ludwig
