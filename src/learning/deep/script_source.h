// SPDX-License-Identifier: Apache-2.0
// The built-in nets, as they predict, in the language of TorchScript. No LibTorch here.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "pipeline/torch_task.h"

namespace protium {

// An argument of the forward: a tensor [rows, columns].
struct ScriptArgument {
  std::string name;
  bool whole = false;                // int64; else float32.
  std::vector<std::string> columns;  // Of net.json; of a list its one column.
  int64_t width = 0;                 // Numbers in a row.
};

struct ScriptSource {
  std::vector<ScriptArgument> arguments;
  std::string forward;  // "def forward(self, ...):" and its lines.
};

// The arguments of a net of this configuration: "numeric" and "categories", where it reads such
// columns, then one for each list, named as its column where that is a name in Python.
std::vector<ScriptArgument> ScriptArguments(const NetConfig& config);

// What a built-in net computes when it predicts, from its tensors as attributes of `self` by their
// names in weights.safetensors. Gives [rows, outputs]. Other nets are a fault of Exit::kUsage.
Result<ScriptSource> WriteScript(const NetConfig& config);

}  // namespace protium
