// SPDX-License-Identifier: Apache-2.0
// from_json(): reads JSON by a schema as Spark's JacksonParser does in PERMISSIVE mode: a value of
// the wrong type is null, up to the next field of a struct, and all fields are null if the text is
// not JSON. It writes JSON again, which DuckDB's json_transform() can then convert unambiguously.
// The schema is the type of a second argument.
#include <fmt/format.h>

#include <cstdint>

#include "functions/any_values.h"
#include "functions/themes.h"
#include "java/base64.h"
#include "java/code_points.h"
#include "java/json_tokens.h"
#include "java/text_values.h"
#include "java/zone_clock.h"

namespace protium {
namespace {

using Kind = JsonTokens::Kind;

// The outcome for a value. After kBadJson nothing more can be read.
enum class Read { kGood, kNotOfType, kBadJson };

class SchemaReader {
 public:
  explicit SchemaReader(std::string_view json) : tokens_(json, /*not_numbers=*/true) {}

  // Returns the whole text as JSON of the schema; "" for one without any token.
  std::string Run(const AnyColumn& schema) {
    if (tokens_.Next() == Kind::kNone) return "";
    std::string out;
    const bool row = schema.type() == DUCKDB_TYPE_STRUCT;
    // An object is treated as a list of one struct.
    const bool one = schema.type() == DUCKDB_TYPE_LIST && tokens_.kind() == Kind::kStartObject &&
                     schema.children()[0].type() == DUCKDB_TYPE_STRUCT;
    if (one) {
      out = "[";
      return Value(schema.children()[0], out) == Read::kGood ? out + "]" : "";
    }
    if (tokens_.kind() != Kind::kNull && Value(schema, out) == Read::kGood) return out;
    return row ? "{}" : "";
  }

  const std::string& error() const { return error_; }

 private:
  // Reads the value at the current token, to its end, and adds it.
  Read Value(const AnyColumn& type, std::string& out) {
    switch (tokens_.kind()) {
      case Kind::kBad:
        return Read::kBadJson;
      case Kind::kNull:
        out += "null";
        return Read::kGood;
      default:
        break;
    }
    std::string value;
    Read read = Read::kNotOfType;
    const bool object = tokens_.kind() == Kind::kStartObject;
    if (type.type() == DUCKDB_TYPE_STRUCT && object) {
      read = Struct(type, value);
    } else if (type.type() == DUCKDB_TYPE_MAP && object) {
      read = Map(type.children()[0].children()[1], value);
    } else if (type.type() == DUCKDB_TYPE_LIST && tokens_.kind() == Kind::kStartArray) {
      read = List(type.children()[0], value);
    } else if (type.type() == DUCKDB_TYPE_VARCHAR) {
      read = String(value);
    } else {
      const bool good = Scalar(type, value);
      if (!tokens_.SkipChildren()) return Read::kBadJson;
      read = good ? Read::kGood : Read::kNotOfType;
    }
    if (read == Read::kGood) out += value;
    return read;
  }

  // If a name occurs twice, the last value of the right type counts.
  Read Struct(const AnyColumn& type, std::string& out) {
    std::vector<std::string> values(type.names().size());
    while (tokens_.Next() != Kind::kEndObject) {
      if (tokens_.kind() != Kind::kName) return Read::kBadJson;
      size_t field = 0;
      while (field < values.size() && type.names()[field] != tokens_.text()) ++field;
      if (tokens_.Next() == Kind::kBad) return Read::kBadJson;
      if (field == values.size()) {
        if (!tokens_.SkipChildren()) return Read::kBadJson;
        continue;
      }
      std::string value;
      const Read read = Nested(type.children()[field], value);
      if (read == Read::kBadJson) return read;
      if (read == Read::kGood) values[field] = value;
    }
    out += '{';
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out += ',';
      WriteJsonText(type.names()[i], out);
      out += ':';
      out += values[i].empty() ? "null" : values[i];
    }
    out += '}';
    return Read::kGood;
  }

  // Reads a value within another one. If its type is wrong, all of it is skipped, so that reading
  // continues with what follows.
  Read Nested(const AnyColumn& type, std::string& out) {
    const JsonTokens before = tokens_;
    const Read read = Value(type, out);
    if (read != Read::kNotOfType) return read;
    tokens_ = before;
    return tokens_.SkipChildren() ? read : Read::kBadJson;
  }

  Read List(const AnyColumn& element, std::string& out) {
    out += '[';
    for (bool first = true; tokens_.Next() != Kind::kEndArray; first = false) {
      if (!first) out += ',';
      const Read read = Nested(element, out);
      if (read != Read::kGood) return read;
    }
    out += ']';
    return Read::kGood;
  }

  Read Map(const AnyColumn& element, std::string& out) {
    out += '{';
    for (bool first = true; tokens_.Next() != Kind::kEndObject; first = false) {
      if (tokens_.kind() != Kind::kName) return Read::kBadJson;
      if (!first) out += ',';
      WriteJsonText(tokens_.text(), out);
      out += ':';
      tokens_.Next();
      const Read read = Nested(element, out);
      if (read != Read::kGood) return read;
    }
    out += '}';
    return Read::kGood;
  }

  // Anything but a text becomes the text of its JSON.
  Read String(std::string& out) {
    if (tokens_.kind() == Kind::kText) {
      WriteJsonText(tokens_.text(), out);
      return Read::kGood;
    }
    std::string json;
    if (!tokens_.Copy(json)) return Read::kBadJson;
    WriteJsonText(json, out);
    return Read::kGood;
  }

  bool Scalar(const AnyColumn& type, std::string& out) {
    const Kind kind = tokens_.kind();
    switch (type.type()) {
      case DUCKDB_TYPE_BOOLEAN:
        out += tokens_.text();
        return kind == Kind::kTrue || kind == Kind::kFalse;
      case DUCKDB_TYPE_TINYINT:
        return Whole(INT8_MIN, INT8_MAX, out);
      case DUCKDB_TYPE_SMALLINT:
        return Whole(INT16_MIN, INT16_MAX, out);
      case DUCKDB_TYPE_INTEGER:
        return Whole(INT32_MIN, INT32_MAX, out);
      case DUCKDB_TYPE_BIGINT:
        return Whole(INT64_MIN, INT64_MAX, out);
      case DUCKDB_TYPE_FLOAT:
      case DUCKDB_TYPE_DOUBLE:
        return Real(out);
      case DUCKDB_TYPE_DECIMAL:
        return Decimal(out);
      case DUCKDB_TYPE_DATE:
        return kind == Kind::kText && Date(out);
      case DUCKDB_TYPE_TIMESTAMP:
        return Timestamp(out);
      case DUCKDB_TYPE_BLOB:
        return kind == Kind::kText && Binary(out);
      default:
        return false;
    }
  }

  bool Whole(int64_t least, int64_t most, std::string& out) {
    if (tokens_.kind() != Kind::kWhole) return false;
    const auto value = ReadWhole(tokens_.text());
    if (!value || *value < least || *value > most) return false;
    out += std::to_string(*value);
    return true;
  }

  bool Real(std::string& out) {
    const std::string& text = tokens_.text();
    if (tokens_.kind() == Kind::kWhole || tokens_.kind() == Kind::kFraction) {
      WriteJsonNumber(ReadJsonNumber(text), out);
      return true;
    }
    if (tokens_.kind() != Kind::kText) return false;
    for (const char* const name : {"NaN", "+INF", "+Infinity", "Infinity", "-INF", "-Infinity"}) {
      if (text != name) continue;
      WriteJsonNumber(ReadJsonNumber(text), out);
      return true;
    }
    return false;
  }

  bool Decimal(std::string& out) {
    const Kind kind = tokens_.kind();
    if (kind != Kind::kWhole && kind != Kind::kFraction && kind != Kind::kText) return false;
    std::string text = tokens_.text();
    if (kind == Kind::kText) std::erase(text, ',');
    const bool blanks = text.find(' ') != std::string::npos;
    const auto digits = blanks ? std::nullopt : ReadDecimal(text);
    if (!digits) return false;
    WriteJsonText(*digits, out);
    return true;
  }

  bool Date(std::string& out) {
    const auto day = ReadDay(tokens_.text());
    if (!day) return false;
    const duckdb_date_struct parts = duckdb_from_date({day->days});
    out += fmt::format("\"{:04}-{:02}-{:02}\"", parts.year, parts.month, parts.day);
    return true;
  }

  bool Timestamp(std::string& out) {
    std::optional<Moment> moment;
    if (tokens_.kind() == Kind::kText) {
      const auto micros = ReadMicros(clock_, tokens_.text(), true, error_);
      if (micros) moment = Moment{*micros};
    } else if (tokens_.kind() == Kind::kWhole) {
      const auto seconds = ReadWhole(tokens_.text());
      int64_t micros = 0;
      if (seconds && !__builtin_mul_overflow(*seconds, 1000000, &micros)) moment = Moment{micros};
    }
    if (!moment) return false;
    const duckdb_timestamp_struct parts = duckdb_from_timestamp({moment->micros});
    out += fmt::format("\"{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:06}\"", parts.date.year,
                       parts.date.month, parts.date.day, parts.time.hour, parts.time.min,
                       parts.time.sec, parts.time.micros);
    return true;
  }

  // DuckDB makes binary of the bytes of a text.
  bool Binary(std::string& out) {
    const auto bytes = ReadBase64(tokens_.text());
    if (!bytes) return false;
    if (!IsUtf8(*bytes)) error_ = "from_json reads binary only of bytes that are UTF-8 here";
    WriteJsonText(*bytes, out);
    return true;
  }

  JsonTokens tokens_;
  std::string error_;
  ZoneClock clock_;
};

std::optional<std::string> ReadJson(Chunk& chunk, std::span<const AnyValue> values) {
  if (values.size() < 2 || values[0].null()) return std::nullopt;
  if (values[0].type() != DUCKDB_TYPE_VARCHAR) {
    chunk.error = "from_json reads text; use CAST(... AS STRING)";
    return std::nullopt;
  }
  SchemaReader reader(values[0].text());
  std::string json = reader.Run(values[1].column());
  chunk.error = reader.error();
  return json.empty() ? std::nullopt : std::optional(std::move(json));
}

constexpr AnyFunction kFunctions[] = {AsAnyFunction<&ReadJson>("pt_read_json")};

}  // namespace

std::span<const AnyFunction> JsonReaders() { return kFunctions; }

}  // namespace protium
