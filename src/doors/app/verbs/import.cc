// SPDX-License-Identifier: Apache-2.0
// `protium import`: converts weights that were trained elsewhere to a model.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>

#include "app/run/model_place.h"
#include "app/verb.h"
#include "base/fault.h"
#include "frame/outputs.h"
#include "model/replace_weights.h"
#include "os/signals.h"
#include "terminal/printing.h"
#include "weights/fit.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

Status CheckGiven(const Arguments& arguments) {
  for (const auto& [flag, value] : {std::pair{"--model", "a model whose net has these weights"},
                                    std::pair{"--output", "the folder of the new model"}}) {
    if (!arguments.Value(flag).empty()) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("import needs {}", value),
                 .fix = fmt::format("protium import {} --model MODEL --output NEWMODEL",
                                    arguments.operand(0))});
  }
  std::error_code ignored;
  const fs::path out = arguments.Value("--output");
  if (arguments.Has("--force") || !fs::exists(out, ignored)) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = out.string() + " is there already",
               .fix = "--output with another path, or --force to replace a model",
               .kept = "what is there"});
}

Status Import(const Arguments& arguments, const Invocation&) {
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::MakeEnding());
  PT_TRY(CheckGiven(arguments));
  NewWeights given{.file = arguments.operand(0), .key = arguments.Value("--key")};
  for (const std::string& each : arguments.Values("--rename")) {
    PT_LET(Rename rename, ParseRename(each));
    given.renames.push_back(std::move(rename));
  }
  PT_LET(const fs::path model, FindModel(RunsDir(arguments), arguments.Value("--model")));
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
       .operands = {"WEIGHTS"},
       .flags = {{"--model", "MODEL", "a model folder or a run; its net takes the weights", ""},
                 {"--output", "NEWMODEL", "the folder of the new model", ""},
                 {"--rename", "REGEX=TO", "what tensors are called here; may be repeated", ""},
                 {"--key", "KEY", "of the state dict, where a file of PyTorch holds more", ""},
                 ForceFlag(),
                 RunsDirFlag(),
                 JsonFlag()},
       .says = "a model with weights from safetensors or a PyTorch state dict",
       .more = "WEIGHTS is a safetensors file, or what torch.save(module.state_dict()) wrote; "
               "no code of a\npickle is run. It must have every tensor of the model's net, by "
               "name and shape. Stages\nand labels stay those of MODEL; what was measured with "
               "its own weights goes.\n\n"
               "  protium import weights.pt --model last --output imported\n"
               "  protium import last.ckpt --model last --output imported --rename '^model\\.='\n\n"
               "With from = \"weights.pt\" below [train] a job starts training from them.\n"},
      Import};
}

}  // namespace protium
