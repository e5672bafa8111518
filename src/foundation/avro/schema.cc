// SPDX-License-Identifier: Apache-2.0
#include "avro/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/depth.h"
#include "base/fault.h"

namespace protium {
namespace {

constexpr size_t kMostBytes = 4 << 20;
constexpr size_t kMostTypes = 100'000;
constexpr int kDeepestType = 64;
// The largest fixed; a decimal's is far below.
constexpr int64_t kMostFixed = 1 << 20;

constexpr std::array<std::pair<std::string_view, AvroKind>, 8> kPrimitives = {
    {{"null", AvroKind::kNull},
     {"boolean", AvroKind::kBoolean},
     {"int", AvroKind::kInt},
     {"long", AvroKind::kLong},
     {"float", AvroKind::kFloat},
     {"double", AvroKind::kDouble},
     {"bytes", AvroKind::kBytes},
     {"string", AvroKind::kString}}};

struct LogicalName {
  std::string_view name;
  AvroLogical logical;
  AvroKind of;
  std::optional<AvroKind> or_of = {};
};
// Local timestamps have no zone, like our own.
constexpr std::array<LogicalName, 10> kLogicals = {
    {{"date", AvroLogical::kDate, AvroKind::kInt},
     {"time-millis", AvroLogical::kTimeMillis, AvroKind::kInt},
     {"time-micros", AvroLogical::kTimeMicros, AvroKind::kLong},
     {"timestamp-millis", AvroLogical::kTimestampMillis, AvroKind::kLong},
     {"timestamp-micros", AvroLogical::kTimestampMicros, AvroKind::kLong},
     {"local-timestamp-millis", AvroLogical::kTimestampMillis, AvroKind::kLong},
     {"local-timestamp-micros", AvroLogical::kTimestampMicros, AvroKind::kLong},
     {"decimal", AvroLogical::kDecimal, AvroKind::kBytes, AvroKind::kFixed},
     {"uuid", AvroLogical::kUuid, AvroKind::kString, AvroKind::kFixed},
     {"duration", AvroLogical::kDuration, AvroKind::kFixed}}};

std::string_view NameOf(AvroKind kind) {
  const auto* const found =
      std::ranges::find(kPrimitives, kind, &std::pair<std::string_view, AvroKind>::second);
  if (found != kPrimitives.end()) return found->first;
  switch (kind) {
    case AvroKind::kFixed:
      return "fixed";
    case AvroKind::kEnum:
      return "enum";
    case AvroKind::kArray:
      return "array";
    case AvroKind::kMap:
      return "map";
    case AvroKind::kUnion:
      return "union";
    default:
      return "record";
  }
}

Status Refuse(std::string what, const std::string& path) {
  return Fail({.exit = Exit::kInput,
               .what = std::move(what),
               .where = path.empty() ? "the schema" : "the schema, " + path});
}

}  // namespace

// Reads one text: names are known from where they are defined on.
class AvroSchema::Reader {
 public:
  Result<AvroSchema> Read(const Json& json) {
    PT_LET(schema_.root_, Type(json, "", ""));
    return std::move(schema_);
  }

 private:
  // `space` is the namespace around it.
  Result<size_t> Type(const Json& json, const std::string& space, const std::string& path) {
    const Deeper deeper(depth_);
    if (depth_ > kDeepestType) return Refuse("types are nested too deeply", path);
    if (schema_.types_.size() >= kMostTypes) return Refuse("it has too many types", path);
    if (json.is_string()) return Named(json.get_ref<const std::string&>(), space, path);
    if (json.is_array()) return Union(json, space, path);
    if (!json.is_object() || !json.contains("type")) {
      return Refuse("this is not a type: " + Dump(json).substr(0, 100), path);
    }
    const Json& type = json["type"];
    if (!type.is_string()) return Type(type, space, path);
    const auto& word = type.get_ref<const std::string&>();
    if (word == "record" || word == "error") return Record(json, space, path);
    if (word == "enum") return Enum(json, space, path);
    if (word == "fixed") return Fixed(json, space, path);
    if (word == "array") return Container(AvroKind::kArray, json, "items", space, path);
    if (word == "map") return Container(AvroKind::kMap, json, "values", space, path);
    PT_LET(const size_t at, Named(word, space, path));
    return schema_.types_[at].name.empty() ? WithLogical(at, json, path) : Result<size_t>(at);
  }

  size_t Add(AvroType type) {
    schema_.types_.push_back(std::move(type));
    return schema_.types_.size() - 1;
  }

  Result<size_t> Named(const std::string& name, const std::string& space, const std::string& path) {
    for (const auto& [word, kind] : kPrimitives) {
      if (name == word) return Add({.kind = kind});
    }
    const bool full = space.empty() || name.find('.') != name.npos;
    const auto found = names_.find(full ? name : space + "." + name);
    if (found != names_.end()) return found->second;
    return Refuse(fmt::format("the type \"{}\" is not defined", name), path);
  }

  // A logical type that does not fit is ignored (specification, "Logical Types").
  Result<size_t> WithLogical(size_t at, const Json& json, const std::string& path) {
    AvroType& type = schema_.types_[at];
    const std::string& name = TextAt(json, "logicalType");
    for (const LogicalName& each : kLogicals) {
      if (each.name == name && (each.of == type.kind || each.or_of == type.kind)) {
        type.logical = each.logical;
      }
    }
    if (type.logical == AvroLogical::kUuid && type.kind == AvroKind::kFixed && type.bytes != 16) {
      type.logical = AvroLogical::kNone;
    }
    if (type.logical != AvroLogical::kDecimal) return at;
    const int64_t precision = WholeAt(json, "precision"), scale = WholeAt(json, "scale");
    if (precision < 1 || precision > 1'000'000 || scale < 0 || scale > precision) {
      return Refuse("a decimal has a precision of at least 1, and a scale from 0 up to it", path);
    }
    type.precision = int32_t(precision);
    type.scale = int32_t(scale);
    return at;
  }

  // Takes the name of a definition, which stands for type `at`; returns its namespace.
  Result<std::string> Define(size_t at, const Json& json, const std::string& space,
                             const std::string& path) {
    std::string name = TextAt(json, "name");
    if (name.empty()) return Refuse("a record, an enum or a fixed has no name", path);
    const std::string own = json.contains("namespace") ? TextAt(json, "namespace") : space;
    if (name.find('.') == name.npos && !own.empty()) name = own + "." + name;
    if (!names_.emplace(name, at).second) {
      return Refuse(fmt::format("the name \"{}\" is defined twice", name), path);
    }
    schema_.types_[at].name = name;
    const size_t dot = name.rfind('.');
    return dot == name.npos ? "" : name.substr(0, dot);
  }

  Result<size_t> Record(const Json& json, const std::string& space, const std::string& path) {
    const size_t at = Add({.kind = AvroKind::kRecord});
    PT_LET(const std::string own, Define(at, json, space, path));
    if (!json.contains("fields") || !json["fields"].is_array()) {
      return Refuse("a record has no list of fields", path);
    }
    std::set<std::string> names;
    for (const Json& each : json["fields"]) {
      AvroField field{.name = TextAt(each, "name")};
      if (field.name.empty()) return Refuse("a field has no name", path);
      const std::string inner = path.empty() ? field.name : path + "." + field.name;
      if (!names.insert(field.name).second) return Refuse("there are two of it", inner);
      if (!each.contains("type")) return Refuse("the field has no type", inner);
      PT_LET(field.type, Type(each["type"], own, inner));
      if (each.contains("default")) field.fallback = each["default"];
      if (each.contains("aliases")) {
        PT_LET(field.aliases, Texts(each["aliases"], inner));
      }
      schema_.types_[at].fields.push_back(std::move(field));
    }
    return at;
  }

  static Result<std::vector<std::string>> Texts(const Json& json, const std::string& path) {
    std::vector<std::string> texts;
    if (!json.is_array()) return Refuse("this is no list of texts: " + Dump(json), path);
    for (const Json& each : json) {
      if (!each.is_string()) return Refuse("this is no text: " + Dump(each), path);
      texts.push_back(each.get<std::string>());
    }
    return texts;
  }

  Result<size_t> Enum(const Json& json, const std::string& space, const std::string& path) {
    const size_t at = Add({.kind = AvroKind::kEnum});
    PT_TRY(Define(at, json, space, path).status());
    PT_LET(schema_.types_[at].symbols, Texts(json.value("symbols", Json()), path));
    return at;
  }

  Result<size_t> Fixed(const Json& json, const std::string& space, const std::string& path) {
    const int64_t bytes = WholeAt(json, "size", -1);
    if (bytes < 0 || bytes > kMostFixed) return Refuse("a fixed has a size from 0 to 1 MiB", path);
    const size_t at = Add({.kind = AvroKind::kFixed, .bytes = bytes});
    PT_TRY(Define(at, json, space, path).status());
    return WithLogical(at, json, path);
  }

  Result<size_t> Container(AvroKind kind, const Json& json, const char* key,
                           const std::string& space, const std::string& path) {
    if (!json.contains(key)) return Refuse(fmt::format("it lacks \"{}\"", key), path);
    const size_t at = Add({.kind = kind});
    PT_LET(const size_t of, Type(json[key], space, path + "[]"));
    schema_.types_[at].of.push_back(of);
    return at;
  }

  Result<size_t> Union(const Json& json, const std::string& space, const std::string& path) {
    const size_t at = Add({.kind = AvroKind::kUnion});
    for (const Json& each : json) {
      if (each.is_array()) return Refuse("a union holds another", path);
      PT_LET(const size_t of, Type(each, space, path));
      schema_.types_[at].of.push_back(of);
    }
    if (schema_.types_[at].of.empty()) return Refuse("a union holds nothing", path);
    return at;
  }

  AvroSchema schema_;
  std::map<std::string, size_t> names_;  // Of types.
  int depth_ = 0;
};

Result<AvroSchema> AvroSchema::Parse(std::string_view text) {
  if (text.size() > kMostBytes) return Refuse("it is longer than 4 MiB", "");
  const auto json = ParseJson(text);
  if (!json.ok()) return Refuse("it is no JSON: " + FaultOf(json.status()).what, "");
  return Reader().Read(*json);
}

std::optional<size_t> AvroSchema::Beneath(size_t type) const {
  const AvroType& outer = types_[type];
  if (outer.kind != AvroKind::kUnion) return type;
  std::optional<size_t> beneath;
  for (const size_t each : outer.of) {
    if (types_[each].kind == AvroKind::kNull) continue;
    if (beneath) return std::nullopt;
    beneath = each;
  }
  return beneath ? beneath : outer.of.front();
}

std::string AvroSchema::Describe(size_t type) const {
  const AvroType& it = types_[type];
  for (const LogicalName& each : kLogicals) {
    if (it.logical != AvroLogical::kNone && each.logical == it.logical) {
      return std::string(each.name);
    }
  }
  std::string text(NameOf(it.kind));
  if (!it.name.empty()) text += " " + it.name;
  if (it.kind != AvroKind::kUnion) return text;
  for (size_t i = 0; i < it.of.size(); ++i) {
    const bool last = i + 1 == it.of.size();
    text += i == 0 ? " of " : last ? " and " : ", ";
    text += types_[it.of[i]].kind == AvroKind::kUnion ? "union" : Describe(it.of[i]);
  }
  return text;
}

}  // namespace protium
