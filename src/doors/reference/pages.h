// SPDX-License-Identifier: Apache-2.0
// The catalogue for people: help on a terminal, the Markdown pages of docs/reference, and JSON. All
// of it is made from the rows that jobs are checked against, so help never disagrees with what is
// accepted.
#pragma once

#include <string>
#include <vector>

#include "base/describe.h"
#include "catalogue/catalogue.h"

namespace protium {

// One table of the catalogue with its description.
struct Topic {
  std::string name;  // "nets": the topic, and the page's file name.
  std::string one;   // "net": for messages about a single row.
  std::string says;  // What the rows are, in one line.
  // How a job file names one: NAME is replaced with the name, NAMED with the name and options.
  std::string spelling;
  std::vector<CatalogueRow> rows;
};

// In the order of help: stages, nets, losses, metrics, optimizers, schedules.
std::vector<Topic> ListTopics(const Catalogue& catalogue);

// Formats options with type, default and meaning; `first` is the heading of their names' column.
std::string OptionsTable(const std::vector<DescribedField>& options, const std::string& first);

// Returns the help on a topic: its rows, one line each. `program` is the command named in the hint
// below them.
std::string FormatText(const Topic& topic, const std::string& program);
// Returns the help on one row: its options, and how a job file names it.
std::string FormatText(const Topic& topic, const CatalogueRow& row);
// The topic's page in docs/reference.
std::string FormatMarkdown(const Topic& topic);

// The row for --json: {"name", "help", "options"}.
Json RowToJson(const CatalogueRow& row);

}  // namespace protium
