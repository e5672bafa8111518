// SPDX-License-Identifier: Apache-2.0
// The predictions of the built-in nets as TorchScript source. No LibTorch here.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "pipeline/torch_task.h"

namespace protium {

// An argument of the forward function: a tensor [rows, columns].
struct ScriptArgument {
  std::string name;
  bool whole = false;                // int64; else float32.
  std::vector<std::string> columns;  // Names in net.json; one for a list.
  int64_t width = 0;                 // Numbers in a row.
};

struct ScriptSource {
  std::vector<ScriptArgument> arguments;
  std::string forward;  // "def forward(self, ...):" and its lines.
};

// The arguments of a net of this configuration: "numeric" and "categories", if it reads such
// columns, then one for each list, named like its column if that is a valid name in Python.
std::vector<ScriptArgument> ScriptArguments(const NetConfig& config);

// Writes what a built-in net computes in prediction. Its tensors are attributes of `self` with
// their names in weights.safetensors; the result is [rows, outputs]. Fails with Exit::kUsage for
// other nets.
Result<ScriptSource> WriteScript(const NetConfig& config);

}  // namespace protium
