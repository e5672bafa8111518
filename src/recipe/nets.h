// SPDX-License-Identifier: Apache-2.0
// The options of the built-in nets, and functions that programs choose them with. The nets
// themselves are in the room deep. Public API.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recipe/choice.h"

namespace protium {

// An embedding per categorical column (of width min(50, (n + 1) / 2) for n values unless set),
// concatenated with the numeric columns; hidden dense layers with ReLU and dropout; then the
// outputs.
struct TabularMlpOptions {
  std::vector<int32_t> hidden = {128, 64};  // Widths; empty: no hidden layer.
  double dropout = 0;
  std::optional<int32_t> embedding;
  bool batch_norm = false;  // After each hidden dense layer, before its ReLU.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("hidden", hidden,
          {.help = "neurons in each hidden layer", .at_least = 1, .items = "widths"});
    visit("dropout", dropout,
          {.help = "share of hidden values dropped during training", .at_least = 0, .below = 1});
    visit("embedding", embedding,
          {.help = "width of every embedding; unless set, min(50, (n + 1) / 2) for n values",
           .at_least = 1});
    visit("batch_norm", batch_norm,
          {.help = "normalises the values of hidden layers over each batch"});
  }
};
Choice TabularMlp(const TabularMlpOptions& options = {});
// One weight per output for each numeric column and each category: the linear or logistic model.
Choice Linear();

// A TorchScript file, as torch.jit.save writes it. Training starts from the parameters in the file.
struct TorchScriptOptions {
  std::string file;                               // A path; relative to the job file's folder.
  std::vector<std::string> inputs = {"numeric"};  // Arguments of its forward, in this order.
  std::string sha256;                             // Of the file; filled in when it is read.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("file", file,
          {.help = "path of the file, relative to the job file's folder",
           .filled = "the path of a file"});
    visit("inputs", inputs, {.help = "fields that its forward takes, in this order"});
    visit("sha256", sha256, {.help = "of the file; computed when it is read"});
  }
};
Choice TorchScript(const TorchScriptOptions& options);

}  // namespace protium
