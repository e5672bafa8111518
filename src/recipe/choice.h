// SPDX-License-Identifier: Apache-2.0
// A choice by name from a table of the catalogue. Public API.
#pragma once

#include <string>
#include <utility>

#include "base/fields.h"

namespace protium {

struct FieldType;

// Something chosen by name with options of its own: a net, a loss, an optimizer.
// JSON: {"name": "huber", "delta": 1.0}, or just "huber". A table without a name changes options of
// the choice that is already there, as --set loss.delta=2 does.
struct Choice {
  std::string name;
  Json options = Json::object();
};
Json ToJson(const Choice& named);
Status FromJson(const Json& json, const std::string& path, Choice& named);
FieldType DescribeType(const Choice& named);

// The choice with all its options, defaults included.
template <class T>
Choice MakeChoice(std::string name, const T& options) {
  return {std::move(name), FieldsToJson(options)};
}

}  // namespace protium
