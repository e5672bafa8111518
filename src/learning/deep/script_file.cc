// SPDX-License-Identifier: Apache-2.0
#include "deep/script_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>
#include <sstream>

#include "base/fault.h"
#include "deep/script_source.h"
#include "deep/torch_wall.h"
#include "model/model_folder.h"
#include "os/file.h"
#include "pipeline/torch_library.h"
#include "protium/nets.h"

namespace protium {
namespace {

// The name of net.json in the file: torch.jit.load(file, _extra_files={"net.json": ""}).
constexpr const char* kNetFile = "net.json";

at::Tensor CopyOf(const NamedTensor& tensor) {
  // A model's weights are float32. A copy, since from_blob() does not own them and the module may
  // outlive them.
  return torch::from_blob(const_cast<std::byte*>(tensor.data.data()), tensor.shape, torch::kFloat)
      .clone();
}

// The buffers of batch normalisation, by PyTorch's names.
bool IsBuffer(const std::string& name) {
  return name.ends_with("running_mean") || name.ends_with("running_var");
}

// Tensors by the parts of their names: a part that is followed by others is a module.
struct Tree {
  std::map<std::string, Tree> modules;
  std::map<std::string, const NamedTensor*> tensors;
};

Tree TreeOf(const std::vector<NamedTensor>& tensors) {
  Tree root;
  for (const NamedTensor& tensor : tensors) {
    Tree* at = &root;
    size_t begin = 0;
    for (size_t dot = tensor.name.find('.'); dot != std::string::npos;
         dot = tensor.name.find('.', begin)) {
      at = &at->modules[tensor.name.substr(begin, dot - begin)];
      begin = dot + 1;
    }
    at->tensors[tensor.name.substr(begin)] = &tensor;
  }
  return root;
}

// All types of a file come from one compilation unit, where names already taken get a number.
torch::jit::Module ModuleOf(const Tree& tree, const std::string& name,
                            const std::shared_ptr<torch::jit::CompilationUnit>& unit) {
  torch::jit::Module module(c10::QualifiedName("__torch__." + name), unit, /*shouldMangle=*/true);
  // eval() sets it.
  module.register_attribute("training", c10::BoolType::get(), false);
  for (const auto& [part, below] : tree.modules) {
    module.register_module(part, ModuleOf(below, "Part", unit));
  }
  for (const auto& [part, tensor] : tree.tensors) {
    if (IsBuffer(part)) {
      module.register_buffer(part, CopyOf(*tensor));
    } else {
      module.register_parameter(part, CopyOf(*tensor), /*is_buffer=*/false);
    }
  }
  return module;
}

Status DoesNotFit(const std::string& tensor) {
  return Fail({.exit = Exit::kInput,
               .what = fmt::format("the weights do not fit the net: {}", tensor),
               .where = "weights.safetensors"});
}

// The user's own module with the learned weights.
Result<torch::jit::Module> LoadScript(const NetConfig& config,
                                      const std::vector<NamedTensor>& tensors) {
  TorchScriptOptions options;
  PT_TRY(FieldsFromJson(config.net.options, "net", options));
  torch::jit::Module module = torch::jit::load(options.file, torch::kCPU);
  std::map<std::string, at::Tensor> own;
  for (const auto& each : module.named_parameters()) own[each.name] = each.value;
  for (const auto& each : module.named_buffers()) own[each.name] = each.value;
  // LibTorch refuses to write to a parameter while it records gradients.
  const torch::NoGradGuard no_graph;
  for (const NamedTensor& tensor : tensors) {
    const auto found = own.find(tensor.name);
    if (found == own.end() || found->second.sizes() != at::IntArrayRef(tensor.shape)) {
      return DoesNotFit(tensor.name);
    }
    found->second.copy_(CopyOf(tensor));
    own.erase(found);
  }
  // Otherwise it would have the value in the file.
  if (!own.empty()) return DoesNotFit(own.begin()->first);
  return module;
}

std::vector<ScriptArgument> ArgumentsOf(const NetConfig& config) {
  TorchScriptOptions options;
  std::vector<ScriptArgument> arguments = ScriptArguments(config);
  if (config.net.name != "torchscript" || !FieldsFromJson(config.net.options, "", options).ok()) {
    return arguments;
  }
  // A module of the user's own takes what `inputs` names, in that order.
  std::vector<ScriptArgument> chosen;
  for (const std::string& input : options.inputs) {
    for (const ScriptArgument& each : arguments) {
      const bool list = each.columns.size() == 1 && each.columns[0] == input;
      if (each.name == input || list) chosen.push_back(each);
    }
  }
  return chosen;
}

std::vector<std::string> NotesOn(const NetConfig& config) {
  std::vector<std::string> notes;
  for (const ScriptArgument& each : ArgumentsOf(config)) {
    notes.push_back(fmt::format("{}: {} [rows, {}] of {}", each.name,
                                each.whole ? "int64" : "float32", each.width,
                                fmt::join(each.columns, ", ")));
  }
  return notes;
}

Result<std::string> Saved(const NetConfig& config, const Json& net,
                          const std::vector<NamedTensor>& tensors) {
  PT_LET(const torch::jit::Module module, MakeScript(config, tensors));
  std::ostringstream bytes;
  module.save(bytes, {{kNetFile, Pretty(net)}});
  return std::move(bytes).str();
}

Result<ScriptFileReport> WriteScriptFile(const ScriptFileOptions& options) {
  PT_LET(const ModelFiles files, ReadModelFolder(options.model));
  if (files.weights.empty() || !files.json.contains("net.json") || files.version == 1) {
    return Fail(
        {.exit = Exit::kUsage,
         .what = "the model has no net that can be exported",
         .where = options.model.string(),
         .why = files.version == 1 ? "it is of version 1" : "its pipeline has no estimator"});
  }
  const Json& net = files.json.at("net.json");
  NetConfig config;
  PT_TRY(FieldsFromJson(net, "net.json", config));
  // The path in the model folder is relative.
  if (const auto file = files.others.find("net.pt"); file != files.others.end()) {
    config.net.options["file"] = file->second.string();
  }
  PT_LET(const Safetensors weights, Safetensors::Read(files.weights));
  PT_LET(const std::string bytes,
         GuardTorch("writing TorchScript", [&] { return Saved(config, net, weights.tensors()); }));
  PT_TRY(WriteFile(options.file, bytes));
  return ScriptFileReport{.notes = NotesOn(config)};
}

}  // namespace

Result<torch::jit::Module> MakeScript(const NetConfig& config,
                                      const std::vector<NamedTensor>& tensors) {
  if (config.net.name == "torchscript") {
    PT_LET(torch::jit::Module module, LoadScript(config, tensors));
    module.eval();
    return module;
  }
  PT_LET(const ScriptSource source, WriteScript(config));
  const auto unit = std::make_shared<torch::jit::CompilationUnit>();
  torch::jit::Module module = ModuleOf(TreeOf(tensors), "Net", unit);
  module.define(source.forward);
  module.eval();
  return module;
}

}  // namespace protium

extern "C" __attribute__((visibility("default"))) bool protium_write_script(
    int32_t version, const protium::ScriptFileOptions& options,
    protium::Result<protium::ScriptFileReport>& report) {
  // Before reading anything: a library of another version may have another layout of the options.
  if (version != protium::kTorchLibraryVersion) return false;
  report = protium::WriteScriptFile(options);
  return true;
}
