// SPDX-License-Identifier: Apache-2.0
// The catalogue for people: help on a terminal, the Markdown pages of docs/reference, and JSON. All
// of it is made from the rows, so that help never disagrees with what is accepted.
#pragma once

#include <string>
#include <vector>

#include "learn/catalogue.h"

namespace protium {

// One table of the catalogue.
struct Topic {
  std::string name;  // "nets".
  std::string one;   // "net".
  std::string says;  // What the rows are, in one line.
  // How a job file names one: NAME stands for the name, NAMED for the name with options.
  std::string spelling;
  std::vector<CatalogueRow> rows;
};

// In the order of help: stages, nets, losses, metrics, optimizers, schedules.
std::vector<Topic> ListTopics(const Catalogue& catalogue);

// The rows, one line each. `program` is for the hint below them.
std::string FormatText(const Topic& topic, const std::string& program);
// One row with its options and an example.
std::string FormatText(const Topic& topic, const CatalogueRow& row);
// The page in docs/reference.
std::string FormatMarkdown(const Topic& topic);

Json RowToJson(const CatalogueRow& row);

}  // namespace protium
