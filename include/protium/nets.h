// SPDX-License-Identifier: Apache-2.0
// The options of the built-in nets, and the functions with which programs choose them. The nets
// themselves are in the rooms nets and deep.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protium/choice.h"

namespace protium {

// How the weights of dense layers are initialised, uniformly between -b and b: "pytorch" as
// torch.nn.Linear does, b = 1 / sqrt(in) for weights and bias; "glorot" with b = sqrt(6 / (in +
// out)) for both (Glorot and Bengio, "Understanding the difficulty of training deep feedforward
// neural networks", 2010), as in scikit-learn's MLP, which is wider and often learns in fewer
// epochs.
enum class InitialWeights { kPytorch, kGlorot };
inline EnumNames<InitialWeights> Names(InitialWeights) {
  return {{{InitialWeights::kPytorch, "pytorch"}, {InitialWeights::kGlorot, "glorot"}}};
}
// The help text of both nets below.
inline constexpr char kInitialWeightsHelp[] =
    "how the weights of dense layers begin: pytorch, as torch.nn.Linear, or glorot, wider, which "
    "often learns in fewer epochs";

// An embedding per categorical column (of width min(50, (n + 1) / 2) for n values unless set),
// concatenated with the numeric columns; hidden dense layers with ReLU and dropout; then the
// outputs.
struct TabularMlpOptions {
  std::vector<int32_t> hidden = {128, 64};  // Widths; empty: no hidden layer.
  double dropout = 0;
  std::optional<int32_t> embedding;
  bool batch_norm = false;  // After each hidden dense layer, before its ReLU.
  InitialWeights initial_weights = InitialWeights::kPytorch;
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
    visit("initial_weights", initial_weights, {.help = kInitialWeightsHelp});
  }
};
Choice TabularMlp(const TabularMlpOptions& options = {});
// One weight per output for each numeric column and each category: the linear or logistic model.
Choice Linear();

// Wide and deep learning (Cheng et al., 2016): the sum of the nets `linear` and `tabular_mlp` over
// the same columns, trained together. The linear part memorises what single categories do, the deep
// part generalises. Crosses of columns with many values (hashed_cross) belong in the linear part
// only.
struct WideAndDeepOptions {
  std::vector<int32_t> hidden = {128, 64};  // These five are as in TabularMlpOptions.
  double dropout = 0;
  std::optional<int32_t> embedding;
  bool batch_norm = false;
  InitialWeights initial_weights = InitialWeights::kPytorch;
  std::vector<std::string> wide_only;  // Categorical columns.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("hidden", hidden,
          {.help = "neurons in each hidden layer of the deep part",
           .at_least = 1,
           .items = "widths"});
    visit("dropout", dropout,
          {.help = "share of hidden values dropped during training", .at_least = 0, .below = 1});
    visit("embedding", embedding,
          {.help = "width of every embedding; unless set, min(50, (n + 1) / 2) for n values",
           .at_least = 1});
    visit("batch_norm", batch_norm,
          {.help = "normalises the values of hidden layers over each batch"});
    visit("initial_weights", initial_weights, {.help = kInitialWeightsHelp});
    visit("wide_only", wide_only,
          {.help = "categorical columns without an embedding, such as crosses: the linear part "
                   "alone reads them"});
  }
};
Choice WideAndDeep(const WideAndDeepOptions& options = {});

// A factorization machine (Rendle, "Factorization Machines", ICDM 2010): the net `linear`, and for
// every pair of columns the product of two vectors of factors, one of each category and, multiplied
// by it, of each number. For tables of ids, where a pair of values is rarely seen together.
struct FactorizationMachineOptions {
  int32_t factors = 8;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("factors", factors,
          {.help = "numbers in the vector of a category or column of numbers",
           .at_least = 1,
           .below = 1025});
  }
};
Choice FactorizationMachine(const FactorizationMachineOptions& options = {});

// DLRM (Naumov et al., "Deep Learning Recommendation Model for Personalization and Recommendation
// Systems", arXiv:1906.00091, 2019): dense layers with ReLU turn the numbers of a row into a vector
// of the width of an embedding. Its products with the embedding of each category, and those of each
// two embeddings, stand behind it in the input of further dense layers, which end in the outputs.
struct DlrmOptions {
  std::vector<int32_t> bottom = {128, 64};  // Widths; one of `embedding` follows.
  std::vector<int32_t> top = {128, 64};     // Widths; the outputs follow.
  int32_t embedding = 16;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("bottom", bottom,
          {.help = "neurons in each layer over the numbers; one as wide as an embedding follows",
           .at_least = 1,
           .items = "widths"});
    visit("top", top,
          {.help = "neurons in each hidden layer over the products",
           .at_least = 1,
           .items = "widths"});
    visit("embedding", embedding,
          {.help = "width of every embedding", .at_least = 1, .below = 1025});
  }
};
Choice Dlrm(const DlrmOptions& options = {});

// TabM (Gorishniy et al., "TabM: Advancing Tabular Deep Learning with Parameter-Efficient
// Ensembling", ICLR 2025): many nets in one, which share all weights but few and predict the mean
// of their outputs, while each learns from its own loss. Embeddings of categories and, side by side
// with them, `pieces` values per number (piecewise linear encoding) enter the first dense layer,
// which the members share. Each member scales and shifts its outputs in its own way; further dense
// layers are shared again, and each member has its own outputs. The net `linear` over the same
// columns is added to each, and what the others add begins small: where a linear model is best,
// this is nearly one.
struct TabmOptions {
  int32_t members = 16;
  std::vector<int32_t> hidden = {128, 128};  // Widths; at least one.
  double dropout = 0.1;
  // A number x becomes the parts of it in `pieces` intervals of equal width that cover -2 to 2, the
  // outer ones without end, so columns must be scaled: best by quantile_scaler, with which every
  // interval has its rows. 0: numbers enter as they are.
  int32_t pieces = 8;
  std::optional<int32_t> embedding;
  InitialWeights initial_weights = InitialWeights::kPytorch;
  Status Check(const std::string& path) const;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("members", members,
          {.help = "nets that share weights; the mean of their outputs is predicted",
           .at_least = 1,
           .below = 1025});
    visit("hidden", hidden,
          {.help = "neurons in each hidden layer of a member; at least one layer",
           .at_least = 1,
           .items = "widths"});
    visit("dropout", dropout,
          {.help = "share of hidden values dropped during training", .at_least = 0, .below = 1});
    visit("pieces", pieces,
          {.help = "parts of every number, between -2 and 2 (scale the numbers by "
                   "quantile_scaler); 0: numbers as they are",
           .at_least = 0,
           .below = 257});
    visit("embedding", embedding,
          {.help = "width of every embedding; unless set, min(50, (n + 1) / 2) for n values",
           .at_least = 1});
    visit("initial_weights", initial_weights, {.help = kInitialWeightsHelp});
  }
};
Choice Tabm(const TabmOptions& options = {});

// FT-Transformer (Gorishniy et al., "Revisiting Deep Learning Models for Tabular Data", 2021).
// Every column is a token: a number x becomes x * w + b, a category its embedding + b. Attention
// blocks run over the tokens and one more, [CLS], whose final value gives the outputs. Defaults are
// the paper's except for the width, which is 192 there.
struct FtTransformerOptions {
  int32_t width = 64;
  int32_t heads = 8;
  int32_t layers = 3;
  double feed_forward = 4.0 / 3;
  double attention_dropout = 0.2;
  double feed_forward_dropout = 0.1;
  double residual_dropout = 0;
  // Checks that the heads share the width evenly.
  Status Check(const std::string& path) const;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("width", width, {.help = "numbers in a token", .at_least = 1});
    visit("heads", heads, {.help = "heads of attention; a divisor of the width", .at_least = 1});
    visit("layers", layers, {.help = "blocks of attention and dense layers", .at_least = 1});
    visit("feed_forward", feed_forward,
          {.help = "neurons in a block's hidden layer, as a multiple of the width", .above = 0});
    visit("attention_dropout", attention_dropout,
          {.help = "share of the attention dropped during training", .at_least = 0, .below = 1});
    visit("feed_forward_dropout", feed_forward_dropout,
          {.help = "the same of the values of hidden layers", .at_least = 0, .below = 1});
    visit("residual_dropout", residual_dropout,
          {.help = "the same of what a block adds", .at_least = 0, .below = 1});
  }
};
Choice FtTransformer(const FtTransformerOptions& options = {});

// Convolutions over images. A block is a convolution that preserves height and width, batch norm if
// requested, ReLU, and the maximum of each `pool` x `pool` window. Dense layers with ReLU and
// dropout follow; numeric columns, if any, are inputs of the first one.
struct CnnOptions {
  std::string image;  // A column of `vectors`: pixels row by row, each pixel's channels together.
  std::optional<int32_t> height;
  std::optional<int32_t> width;
  int32_t channels = 1;
  double divide_by = 1;
  std::vector<int32_t> filters = {16, 32};
  int32_t kernel = 3;
  int32_t pool = 2;
  bool batch_norm = false;
  std::vector<int32_t> hidden = {64};
  double dropout = 0;
  Status Check(const std::string& path) const;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("image", image,
          {.help = "the column of vectors with the pixels: row by row, the channels of a pixel "
                   "side by side; unless set, the only one"});
    visit("height", height, {.help = "of an image; unless set, images are square", .at_least = 1});
    visit("width", width, {.help = "of an image; unless set, images are square", .at_least = 1});
    visit("channels", channels, {.help = "numbers of a pixel: 1 grey, 3 colours", .at_least = 1});
    visit("divide_by", divide_by,
          {.help = "divides every number of an image, such as 255", .above = 0});
    visit("filters", filters, {.help = "filters of each block", .at_least = 1, .items = "numbers"});
    visit("kernel", kernel, {.help = "height and width of a filter; an odd number", .at_least = 1});
    visit(
        "pool", pool,
        {.help = "height and width of the windows that become one value; 1: none", .at_least = 1});
    visit("batch_norm", batch_norm,
          {.help = "normalises the values of each filter over each batch"});
    visit(
        "hidden", hidden,
        {.help = "neurons in each dense layer after the blocks", .at_least = 1, .items = "widths"});
    visit("dropout", dropout,
          {.help = "share of the values of dense layers dropped during training",
           .at_least = 0,
           .below = 1});
  }
};
Choice Cnn(const CnnOptions& options = {});

// Texts as fixed-length lists of whole numbers: 0 is padding, 1 an unknown word. Each is embedded;
// `layers` blocks of attention, if any, follow, then the mean over all positions that are not
// padding; then dense layers with ReLU and dropout, to which numeric columns, if any, are further
// inputs.
struct TextClassifierOptions {
  std::string tokens;  // A column of `vectors`.
  int32_t vocabulary = 20'000;
  int32_t embedding = 64;
  int32_t layers = 0;
  int32_t heads = 4;
  std::vector<int32_t> hidden = {64};
  double dropout = 0.1;
  // Checks that the heads share the width evenly.
  Status Check(const std::string& path) const;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("tokens", tokens,
          {.help = "the column of vectors with the words' numbers; unless set, the only one"});
    visit("vocabulary", vocabulary,
          {.help = "numbers of words, with 0 for padding and 1 for unknown; others are unknown",
           .at_least = 2});
    visit("embedding", embedding, {.help = "width of the embedding of a word", .at_least = 1});
    visit("layers", layers,
          {.help = "blocks of attention between words; 0: none, their order does not count",
           .at_least = 0});
    visit("heads", heads,
          {.help = "heads of attention; a divisor of the embedding's width", .at_least = 1});
    visit("hidden", hidden,
          {.help = "neurons in each dense layer", .at_least = 1, .items = "widths"});
    visit("dropout", dropout,
          {.help = "share of values dropped during training, in blocks and dense layers",
           .at_least = 0,
           .below = 1});
  }
};
Choice TextClassifier(const TextClassifierOptions& options = {});

// A TorchScript file, as written by torch.jit.save. Training starts from the parameters in the
// file.
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
