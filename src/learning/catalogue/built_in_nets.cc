// SPDX-License-Identifier: Apache-2.0
#include "catalogue/built_in_nets.h"

#include <string>
#include <utility>

#include "protium/net_columns.h"

namespace protium {
namespace {

template <class Options>
Result<Options> ReadOptions(const Json& given, const std::string& path) {
  Options options;
  PT_TRY(FieldsFromJson(given, path, options));
  return options;
}

// Makes a row whose check is `check(options, columns, path)`, which returns a Status or a Result.
template <class Options, class Check>
NetRow MakeBuiltIn(std::string name, std::string help, Check check) {
  NetRow row{MakeRow<Options>(std::move(name), std::move(help))};
  row.check = [check](const Json& given, const NetColumns& columns,
                      const std::string& path) -> Status {
    PT_LET(const Options options, ReadOptions<Options>(given, path));
    const auto checked = check(options, columns, path);
    if constexpr (std::is_same_v<decltype(check(options, columns, path)), Status>) {
      return checked;
    } else {
      return checked.status();
    }
  };
  return row;
}

template <class Options>
NetRow MakeTabular(const std::string& name, std::string help) {
  return MakeBuiltIn<Options>(
      name, std::move(help),
      [name](const Options&, const NetColumns& columns, const std::string& path) {
        return CheckTabular(name, columns, path);
      });
}

}  // namespace

std::vector<NetRow> BuiltInNets() {
  std::vector<NetRow> rows = {
      MakeTabular<TabularMlpOptions>("tabular_mlp",
                                     "an embedding per categorical column, joined with the "
                                     "numeric columns; dense layers with ReLU"),
      MakeTabular<TabmOptions>("tabm",
                               "many nets in one that share most weights, over pieces of numbers "
                               "and embeddings; the mean of their outputs"),
      MakeTabular<NoOptions>("linear",
                             "a weight per number and category: the linear or logistic model"),
      MakeBuiltIn<WideAndDeepOptions>(
          "wide_and_deep", "the sum of linear and tabular_mlp, trained together", CheckWideAndDeep),
      MakeTabular<FactorizationMachineOptions>(
          "factorization_machine",
          "linear, and a product of two vectors for every pair of columns: for clicks and ids"),
      MakeBuiltIn<DlrmOptions>("dlrm",
                               "dense layers over the numbers and over the products of every two "
                               "vectors, theirs and those of categories: for clicks and ids",
                               CheckDlrm)};
  // These compute with our own kernels.
  for (NetRow& row : rows) row.float32_only = true;
  rows.push_back(MakeTabular<FtTransformerOptions>(
      "ft_transformer", "attention between the columns of a row, each a token"));
  rows.push_back(MakeBuiltIn<CnnOptions>(
      "cnn", "convolutions over images in a column of vectors, then dense layers", FindImage));
  rows.push_back(MakeBuiltIn<TextClassifierOptions>(
      "text_classifier", "embeddings of the words in a column of vectors, then dense layers",
      FindTokens));
  rows.push_back(
      // No check: only LibTorch, in workers, can open the file.
      {MakeRow<TorchScriptOptions>("torchscript",
                                   "a file written by torch.jit.save; training starts from its "
                                   "parameters")});
  return rows;
}

}  // namespace protium
