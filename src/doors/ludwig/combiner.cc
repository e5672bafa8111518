// SPDX-License-Identifier: Apache-2.0
// Combiners: https://ludwig.ai/latest/configuration/combiner/
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ludwig/draft.h"

namespace protium::ludwig {
namespace {

// Returns widths of dense layers: `fc_layers`, or `num_fc_layers` times `output_size`.
std::vector<int64_t> LayersOf(Yaml& combiner) {
  std::vector<int64_t> widths;
  const double usual = combiner.TakeNumber("output_size").value_or(256);
  if (Yaml* const layers = combiner.Take("fc_layers")) {
    for (Yaml& each : layers->items()) {
      widths.push_back(int64_t(each.TakeNumber("output_size").value_or(usual)));
    }
    return widths;
  }
  const double count = combiner.TakeNumber("num_fc_layers").value_or(0);
  for (int i = 0; i < int(count) && i < 100; ++i) widths.push_back(int64_t(usual));
  return widths;
}

std::string DenseOptions(Yaml& combiner, Draft& draft) {
  std::vector<int64_t> widths = LayersOf(combiner);
  widths.insert(widths.end(), draft.output_layers.begin(), draft.output_layers.end());
  std::string options = fmt::format("hidden = [{}]", fmt::join(widths, ", "));
  if (const auto dropout = combiner.TakeNumber("dropout"); dropout && *dropout > 0) {
    options += fmt::format(", dropout = {}", Number(*dropout));
  }
  if (const auto norm = combiner.TakeText("norm")) {
    if (*norm == "batch" && draft.vocabulary == 0) {
      options += ", batch_norm = true";
    } else {
      draft.AddNote(combiner, fmt::format("combiner.norm {} has no counterpart", *norm));
    }
  }
  if (const auto activation = combiner.TakeText("activation");
      activation && *activation != "relu") {
    draft.AddNote(combiner,
                  fmt::format("combiner.activation {}: dense layers have relu", *activation));
  }
  return options;
}

std::string EmbeddingOption(const Draft& draft) {
  return draft.embeddings.empty() ? "" : fmt::format(", embedding = {}", draft.embeddings.front());
}

void AddTextNet(Yaml& combiner, Draft& draft) {
  draft.net = fmt::format("{{ name = \"text_classifier\", vocabulary = {}, {}{} }}",
                          draft.vocabulary, DenseOptions(combiner, draft), EmbeddingOption(draft));
}

void AddTransformer(Yaml& combiner, Draft& draft) {
  const double width = combiner.TakeNumber("hidden_size").value_or(256);
  const double heads = combiner.TakeNumber("num_heads").value_or(8);
  const double layers = combiner.TakeNumber("num_layers").value_or(1);
  draft.net = fmt::format("{{ name = \"ft_transformer\", width = {}, heads = {}, layers = {} }}",
                          Number(width), Number(heads), Number(layers));
  draft.AddNote(combiner, "combiner: ft_transformer is near to it and not the same; docs/nets.md");
}

void AddDenseNet(Yaml& combiner, Draft& draft) {
  draft.net = fmt::format("{{ name = \"tabular_mlp\", {}{} }}", DenseOptions(combiner, draft),
                          EmbeddingOption(draft));
}

}  // namespace

void AddNet(Yaml& root, Draft& draft) {
  Yaml none({});
  Yaml* const given = root.Take("combiner");
  Yaml& combiner = given == nullptr ? none : *given;
  const std::string type = combiner.TakeText("type").value_or("concat");
  if (!std::ranges::all_of(draft.embeddings,
                           [&](int64_t each) { return each == draft.embeddings.front(); })) {
    draft.AddNote(combiner, fmt::format("encoders ask for embeddings of several widths; all are {}",
                                        draft.embeddings.front()));
  }
  if (draft.vocabulary > 0) {
    if (type != "concat") {
      draft.AddNote(combiner, fmt::format("combiner {}: texts are read by text_classifier", type));
    }
    AddTextNet(combiner, draft);
  } else if (type == "transformer" || type == "tabtransformer") {
    AddTransformer(combiner, draft);
  } else {
    if (type != "concat") {
      draft.AddNote(combiner,
                    fmt::format("combiner {} has no counterpart; it is tabular_mlp", type));
    }
    AddDenseNet(combiner, draft);
  }
}

}  // namespace protium::ludwig
