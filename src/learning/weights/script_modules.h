// SPDX-License-Identifier: Apache-2.0
// The attributes of the modules in a TorchScript file (torch/csrc/jit/serialization/pickler.cpp):
// its data.pkl holds an object for each module, whose state is a dict of its attributes, which are
// plain values, tensors and other modules. Their code lies elsewhere in the file and is not read.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "weights/pickle.h"

namespace protium {

// What such a pickle names beside tensors (ReadPickle()): classes of the file's own code, and
// functions that make lists and dicts.
inline constexpr std::array<std::string_view, 6> kScriptNames = {
    "__torch__.",
    "torch.jit._pickle.build_intlist",
    "torch.jit._pickle.build_doublelist",
    "torch.jit._pickle.build_boollist",
    "torch.jit._pickle.build_tensorlist",
    "torch.jit._pickle.restore_type_tag"};

// A value by its dotted name, as in a state dict: "features.0.weight".
struct NamedValue {
  std::string name;
  const Pickled* value = nullptr;
};

// Returns the attributes of `module` and of all modules below it that are calls, as tensors are;
// they point into its pickle. A top that is no module, modules that contain themselves or lie more
// than 64 deep, and more than 200,000 attributes are faults of Exit::kInput.
Result<std::vector<NamedValue>> CallsOfModules(const Pickled& module, const std::string& where);

}  // namespace protium
