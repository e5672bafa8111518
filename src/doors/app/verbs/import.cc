// SPDX-License-Identifier: Apache-2.0
// `protium import`: converts weights or trees that were trained elsewhere to a model.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>

#include "app/run/named_run.h"
#include "app/verb.h"
#include "base/fault.h"
#include "base/text.h"
#include "frame/outputs.h"
#include "model/import_forest.h"
#include "model/replace_weights.h"
#include "os/signals.h"
#include "terminal/printing.h"
#include "weights/fit.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// A forest brings its columns along; weights fit the net of a model.
Status CheckGiven(const Arguments& arguments, bool forest) {
  for (const auto& [flag, value] : {std::pair{"--model", "a model whose net has these weights"},
                                    std::pair{"--output", "the folder of the new model"}}) {
    if (!arguments.Value(flag).empty() || (forest && flag == std::string("--model"))) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("import needs {}", value),
                 .fix = fmt::format("protium import {}{} --output NEWMODEL", arguments.operand(0),
                                    forest ? "" : " --model MODEL")});
  }
  for (const char* flag : {"--model", "--rename", "--key", "--label", "--classes"}) {
    const bool of_forest = flag == std::string("--label") || flag == std::string("--classes");
    if (of_forest == forest || !arguments.Has(flag)) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("{} is for {}, and {} has {}", flag,
                                     of_forest ? "trees" : "weights of a net", arguments.operand(0),
                                     forest ? "trees" : "none"),
                 .fix = fmt::format("leave {} out", flag)});
  }
  std::error_code ignored;
  const fs::path out = arguments.Value("--output");
  if (arguments.Has("--force") || !fs::exists(out, ignored)) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = out.string() + " already exists",
               .fix = "--output with another path, or --force to replace a model",
               .kept = "what is there"});
}

// The names in a list with commas.
std::vector<std::string> NamesIn(const std::string& list) {
  std::vector<std::string> names;
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    names.emplace_back(Trimmed(std::string_view(list).substr(at, end - at)));
    at = end + 1;
  }
  return names;
}

Status ImportTrees(const Arguments& arguments) {
  const ForestToImport given{.file = arguments.operand(0),
                             .labels = NamesIn(arguments.Value("--label")),
                             .classes = NamesIn(arguments.Value("--classes"))};
  const fs::path out = arguments.Value("--output");
  PT_TRY(RefuseRead(std::array{given.file}, out));
  PT_LET(const ImportedForest made, ImportForest(given, out));
  if (arguments.Has("--json")) {
    return PrintResult(Dump({{"model", out.string()},
                             {"weights_sha256", made.weights_sha256},
                             {"trees", made.trees},
                             {"columns", made.columns},
                             {"notes", made.notes}}) +
                       "\n");
  }
  PT_TRY(PrintResult(out.string() + "\n"));
  PrintNote(fmt::format("note: {} trees; a table to score has the columns {}\n", made.trees,
                        fmt::join(made.columns, ", ")));
  for (const std::string& each : made.notes) PrintNote("note: " + each + "\n");
  return Status::OK();
}

Status Import(const Arguments& arguments, const Invocation&) {
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::MakeEnding());
  const bool forest = IsForestFile(arguments.operand(0));
  PT_TRY(CheckGiven(arguments, forest));
  if (forest) return ImportTrees(arguments);
  NewWeights given{.file = arguments.operand(0), .key = arguments.Value("--key")};
  for (const std::string& each : arguments.Values("--rename")) {
    PT_LET(Rename rename, ParseRename(each));
    given.renames.push_back(std::move(rename));
  }
  PT_LET(const fs::path model, FindNamedModel(arguments, arguments.Value("--model")));
  const fs::path out = arguments.Value("--output");
  PT_TRY(RefuseRead(std::array{given.file, model}, out));
  PT_LET(const ReplacedWeights made, ReplaceWeights(model, given, out));
  if (arguments.Has("--json")) {
    return PrintResult(Dump({{"model", out.string()},
                             {"weights_sha256", made.weights_sha256},
                             {"notes", made.notes}}) +
                       "\n");
  }
  PT_TRY(PrintResult(out.string() + "\n"));
  for (const std::string& each : made.notes) PrintNote("note: " + each + "\n");
  return Status::OK();
}

}  // namespace

CommandVerb ImportVerb() {
  return {
      {.name = "import",
       .operands = {"FILE"},
       .flags = {{"--model", "MODEL", "a model folder or a run, whose net takes the weights", ""},
                 {"--output", "NEWMODEL", "the folder of the new model", ""},
                 {"--rename", "REGEX=TO", "renames tensors of the file; may be repeated", ""},
                 {"--label", "NAME", "for trees: the column that they predict (label)", ""},
                 {"--classes", "A,B,...", "for trees: the classes, in the order of their numbers",
                  ""},
                 {"--key", "KEY", "where the state dict is, if the PyTorch file holds more", ""},
                 ForceFlag(),
                 RunsDirFlag(),
                 JsonFlag()},
       .says = "makes a model from PyTorch weights, or from XGBoost or LightGBM trees",
       .more = "Weights: a safetensors file, or what torch.save(module.state_dict()) or "
               "torch.jit.save(module)\n"
               "wrote; code in a file is never run. It must have every tensor of the model's net, "
               "by name and shape.\n"
               "Stages and labels stay those of MODEL; the metrics of its own weights are "
               "dropped.\n"
               "\n"
               "Trees: what booster.save_model(\"model.json\") of XGBoost or "
               "booster.save_model(\"model.txt\")\n"
               "of LightGBM wrote. They need no MODEL: columns have the names in the file, and the "
               "new\n"
               "model predicts --label, or several labels separated by commas.\n"
               "\n"
               "  protium import model.json --label arr_delay --output imported\n"
               "  protium import model.txt --label late --classes no,yes --output imported\n"
               "  protium import weights.pt --model last --output imported\n"
               "  protium import last.ckpt --model last --output imported --rename '^model\\.='\n"
               "\n"
               "With from = \"weights.pt\" in [train], a job starts training from them.\n"},
      Import};
}

}  // namespace protium
