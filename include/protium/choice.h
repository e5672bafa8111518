// SPDX-License-Identifier: Apache-2.0
// A choice by name from a table of the catalogue (catalogue/catalogue.h): a net, a loss, an
// optimizer or a schedule. Plain data: whether the name exists and the options fit is checked
// against the catalogue when a pipeline is placed.
#pragma once

#include <string>
#include <utility>

#include "protium/fields.h"

namespace protium {

struct FieldType;

// A name with its own options. As JSON {"name": "huber", "delta": 1.0}, or just "huber". A table
// without a name changes options of the existing choice, as --set loss.delta=2 does.
struct Choice {
  std::string name;
  Json options = Json::object();  // Without the name; omitted ones have their defaults.
};
// Always writes the table, never the short form, with the name first.
Json ToJson(const Choice& named);
// Fails with Exit::kUsage at `path` for anything but a name or a table as above.
Status FromJson(const Json& json, const std::string& path, Choice& named);
FieldType DescribeType(const Choice& named);

// Returns `under` overlaid with the settings of `over`: tables are merged key by key at every
// level; anything else is replaced. A choice with another name has other options, so the options of
// the choice that it replaces are dropped. Short forms count as the tables that they stand for.
Json LaidOver(const Json& under, const Json& over);

// Makes the choice with all its options, defaults included.
template <class T>
Choice MakeChoice(std::string name, const T& options) {
  return {std::move(name), FieldsToJson(options)};
}

}  // namespace protium
