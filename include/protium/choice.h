// SPDX-License-Identifier: Apache-2.0
// A choice by name from a table of the catalogue (catalogue/catalogue.h): a net, a loss, an
// optimizer, a schedule. It is plain data; whether the name exists and the options fit is checked
// against the catalogue when a pipeline is placed.
#pragma once

#include <string>
#include <utility>

#include "protium/fields.h"

namespace protium {

struct FieldType;

// A name with options of its own. As JSON {"name": "huber", "delta": 1.0}, or just "huber". A table
// without a name changes options of the choice that is already there, as --set loss.delta=2 does.
struct Choice {
  std::string name;
  Json options = Json::object();  // Without the name; those left out have their defaults.
};
// Always the table, never the short form, with the name first.
Json ToJson(const Choice& named);
// A fault of Exit::kUsage at `path` for anything but a name or such a table.
Status FromJson(const Json& json, const std::string& path, Choice& named);
FieldType DescribeType(const Choice& named);

// `under` with the settings of `over` laid over it: tables key by key, down to the last; anything
// else is replaced. A choice by another name has other options, so those of the one that it
// replaces go. Short forms count as the tables that they stand for.
Json LaidOver(const Json& under, const Json& over);

// The choice with all its options, defaults included.
template <class T>
Choice MakeChoice(std::string name, const T& options) {
  return {std::move(name), FieldsToJson(options)};
}

}  // namespace protium
