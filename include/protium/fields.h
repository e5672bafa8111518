// SPDX-License-Identifier: Apache-2.0
// An options type is an aggregate with one function
//   template <class Visit> void Fields(Visit& visit) {
//     visit("epochs", epochs, {.help = "passes over the training rows", .at_least = 1});
//     ...
//   }
// from which everything else follows: reading and writing JSON, equality, the list of known keys,
// range checks and, through base/describe.h, help. The third argument (protium/field.h) is
// optional.
//
// Kinds of field: bool, int32_t, int64_t, double, std::string, enums with a Names() found by
// argument-dependent lookup (`inline EnumNames<E> Names(E)`), std::optional, std::vector, nested
// aggregates with Fields(), Json itself, and any type with `Json ToJson(const T&)` and `Status
// FromJson(const Json&, const std::string& path, T&)` found by argument-dependent lookup.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "protium/field.h"
#include "protium/status.h"

namespace protium {

using Json = nlohmann::ordered_json;

// The values of an enum and their names in JSON and TOML.
template <class E>
struct EnumNames {
  std::vector<std::pair<E, std::string_view>> all;
};

namespace fields {

struct AnyVisit {
  template <class T>
  void operator()(const char*, T&, const Field& = {}) {}
};

template <class T>
concept HasFields = requires(T& value, AnyVisit& visit) {
  value.Fields(visit);
};

template <class T>
concept HasNames = std::is_enum_v<T> && requires(T value) {
  Names(value);
};

template <class T>
concept HasOwnJson = requires(T& out, const T& value, const Json& json, const std::string& path) {
  { ToJson(value) } -> std::convertible_to<Json>;
  { FromJson(json, path, out) } -> std::same_as<Status>;
};

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

// Makes the fault for a bad value at `path`. `where` holds the path ("train.epochs"); the code that
// read the file replaces it with file:line:column.
Status Refuse(const std::string& path, const std::string& must, const Json& got);
// Makes the fault for a key at `path` that is not in `known`, and names the nearest known key.
Status RefuseKey(const std::string& path, const std::string& key,
                 const std::vector<std::string>& known);

// Passes every field to `visitor`, which may take the Field as a third argument.
template <class T, class Visitor>
void VisitFields(T& options, Visitor& visitor) {
  const auto visit = [&](const char* key, auto& value, const Field& field = {}) {
    if constexpr (requires { visitor(key, value, field); }) {
      visitor(key, value, field);
    } else {
      visitor(key, value);
    }
  };
  options.Fields(visit);
}

template <class T>
Json Write(const T& value);
template <class T>
Status Read(const Json& json, const std::string& path, T& out);

struct Writer {
  Json out = Json::object();
  template <class T>
  void operator()(const char* key, T& value) {
    if constexpr (IsOptional<T>::value) {
      if (!value) return;
    }
    out[key] = Write(value);
  }
};

struct Keys {
  std::vector<std::string> names;
  template <class T>
  void operator()(const char* key, T&) {
    names.emplace_back(key);
  }
};

inline std::string Below(const std::string& path, const char* key) {
  return path.empty() ? key : path + "." + key;
}

// A number as people write it: 1 rather than 1.0.
inline Json Short(double value) {
  const bool whole = std::floor(value) == value && std::fabs(value) < 1e15;
  return whole ? Json(int64_t(value)) : Json(value);
}

// Refuses values that the field's type allows but its Field does not.
template <class T>
Status CheckValue(const T& value, const Field& field, const std::string& path) {
  if constexpr (IsOptional<T>::value) {
    return value ? CheckValue(*value, field, path) : Status::OK();
  } else if constexpr (IsVector<T>::value) {
    if constexpr (std::is_arithmetic_v<typename T::value_type>) {
      for (const auto item : value) {
        if (!InRange(field, double(item))) return Refuse(path, RangeText(field), Write(value));
      }
    }
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (*field.filled != 0 && value.empty()) return Refuse(path, field.filled, value);
  } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    if (!InRange(field, double(value))) {
      return Refuse(path, RangeText(field), Short(double(value)));
    }
  }
  return Status::OK();
}

struct Reader {
  const Json& in;
  const std::string& path;
  Status status;
  template <class T>
  void operator()(const char* key, T& value, const Field& field) {
    const auto found = in.find(key);
    if (found == in.end() || !status.ok()) return;
    const std::string at = Below(path, key);
    status = Read(*found, at, value);
    if (status.ok()) status = CheckValue(value, field, at);
  }
};

// Checks all values, including those that were not read.
struct Checker {
  const std::string& path;
  Status status;
  template <class T>
  void operator()(const char* key, T& value, const Field& field) {
    if (!status.ok()) return;
    const std::string at = Below(path, key);
    status = CheckValue(value, field, at);
    if constexpr (HasFields<T> && !HasOwnJson<T>) {
      if (!status.ok()) return;
      Checker below{at, Status::OK()};
      VisitFields(value, below);
      status = below.status;
    }
  }
};

template <class T>
Json Write(const T& value) {
  if constexpr (HasOwnJson<T>) {
    return ToJson(value);
  } else if constexpr (std::is_same_v<T, Json>) {
    return value;
  } else if constexpr (IsOptional<T>::value) {
    return value ? Write(*value) : Json();
  } else if constexpr (IsVector<T>::value) {
    Json list = Json::array();
    for (const auto& item : value) list.push_back(Write(item));
    return list;
  } else if constexpr (HasNames<T>) {
    const auto names = Names(value);
    for (const auto& [each, name] : names.all) {
      if (each == value) return std::string(name);
    }
    return Json();
  } else if constexpr (HasFields<T>) {
    Writer writer;
    VisitFields(const_cast<T&>(value), writer);  // Fields() only hands out references.
    return std::move(writer.out);
  } else {
    return value;
  }
}

template <class E>
Status ReadEnum(const Json& json, const std::string& path, E& out) {
  std::vector<std::string> known;
  const auto names = Names(E{});
  for (const auto& [value, name] : names.all) {
    if (json.is_string() && json.get<std::string>() == name) {
      out = value;
      return Status::OK();
    }
    known.emplace_back(name);
  }
  std::string list;
  for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
  return Refuse(path, "one of " + list, json);
}

template <class T>
Status ReadInteger(const Json& json, const std::string& path, T& out) {
  constexpr int64_t low = std::numeric_limits<T>::min();
  constexpr int64_t high = std::numeric_limits<T>::max();
  const bool fits = json.is_number_integer() &&
                    !(json.is_number_unsigned() && json.get<uint64_t>() > uint64_t(high)) &&
                    json.get<int64_t>() >= low && json.get<int64_t>() <= high;
  if (!fits) return Refuse(path, "a whole number", json);
  out = static_cast<T>(json.get<int64_t>());
  return Status::OK();
}

template <class T>
Status ReadObject(const Json& json, const std::string& path, T& out) {
  if (!json.is_object()) return Refuse(path.empty() ? "value" : path, "a table of settings", json);
  Keys keys;
  VisitFields(out, keys);
  for (const auto& [key, value] : json.items()) {
    if (std::find(keys.names.begin(), keys.names.end(), key) != keys.names.end()) continue;
    return RefuseKey(path, key, keys.names);
  }
  Reader reader{json, path, Status::OK()};
  VisitFields(out, reader);
  return reader.status;
}

template <class T>
Status Read(const Json& json, const std::string& path, T& out) {
  if constexpr (HasOwnJson<T>) {
    return FromJson(json, path, out);
  } else if constexpr (std::is_same_v<T, Json>) {
    out = json;
    return Status::OK();
  } else if constexpr (IsOptional<T>::value) {
    typename T::value_type value{};
    PT_TRY(Read(json, path, value));
    out = std::move(value);
    return Status::OK();
  } else if constexpr (IsVector<T>::value) {
    if (!json.is_array()) return Refuse(path, "a list", json);
    out.clear();
    for (size_t i = 0; i < json.size(); ++i) {
      typename T::value_type item{};
      PT_TRY(Read(json[i], path + "." + std::to_string(i), item));
      out.push_back(std::move(item));
    }
    return Status::OK();
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) return Refuse(path, "true or false", json);
    out = json.get<bool>();
    return Status::OK();
  } else if constexpr (HasNames<T>) {
    return ReadEnum(json, path, out);
  } else if constexpr (std::is_integral_v<T>) {
    return ReadInteger(json, path, out);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!json.is_number()) return Refuse(path, "a number", json);
    out = json.get<T>();
    return std::isfinite(out) ? Status::OK() : Refuse(path, "a finite number", json);
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!json.is_string()) return Refuse(path, "text", json);
    out = json.get<std::string>();
    return Status::OK();
  } else {
    static_assert(HasFields<T>, "a field needs Fields(), Names() or its own ToJson and FromJson");
    return ReadObject(json, path, out);
  }
}

}  // namespace fields

// Writes options as JSON; omits empty optionals.
template <class T>
Json FieldsToJson(const T& options) {
  return fields::Write(options);
}

// Reads options over the defaults already in `out`. Strict: an unknown key, a wrong type or a
// number out of range is a fault whose `where` is the dotted path, beginning with `path`.
template <class T>
Status FieldsFromJson(const Json& json, const std::string& path, T& out) {
  return fields::Read(json, path, out);
}

// Refuses values outside the range of their field, as reading does.
template <class T>
Status CheckFields(const T& options, const std::string& path) {
  fields::Checker checker{path, Status::OK()};
  fields::VisitFields(const_cast<T&>(options), checker);
  return checker.status;
}

// Writes only the fields that decide the weights.
template <class T>
Json FieldsThatDecide(const T& options) {
  Json decide = Json::object();
  const auto visit = [&](const char* key, auto& value, const Field& field) {
    if (field.decides_weights) decide[key] = fields::Write(value);
  };
  fields::VisitFields(const_cast<T&>(options), visit);
  return decide;
}

template <class T>
bool FieldsEqual(const T& a, const T& b) {
  return fields::Write(a) == fields::Write(b);
}

}  // namespace protium
