// SPDX-License-Identifier: Apache-2.0
// The catalogue for people: on a terminal, as Markdown and as JSON.
#pragma once

#include <string>
#include <vector>

#include "learn/catalogue.h"

namespace protium {

// One table of the catalogue.
struct Topic {
  std::string name;      // "nets".
  std::string one;       // "net".
  std::string says;      // What they are.
  std::string spelling;  // Where a job file names one, with NAME for its name and options.
  std::vector<CatalogueRow> rows;
};

// In the order of help: stages, nets, losses, metrics, optimizers.
std::vector<Topic> TopicsOf(const Catalogue& catalogue);

// The rows, a line each.
std::string TextOf(const Topic& topic, const std::string& program);
// A row with its options.
std::string TextOf(const Topic& topic, const CatalogueRow& row);
// The page in docs/reference.
std::string MarkdownOf(const Topic& topic);

Json JsonOf(const CatalogueRow& row);

}  // namespace protium
