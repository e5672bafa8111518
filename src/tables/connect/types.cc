// SPDX-License-Identifier: Apache-2.0
#include "connect/types.h"

#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>
#include <fmt/format.h>

#include "base/fault.h"
#include "base/json.h"
#include "base/text.h"

namespace protium::connect {

namespace {

// Deeper nesting is refused: the message comes from the network, and reading it recurses.
constexpr int kDeepest = 100;
constexpr const char* kNotes = "spark";

Status NoSparkType(const arrow::DataType& type) {
  return Fail({.exit = Exit::kUsage,
               .what = "Spark has no type for " + type.ToString(),
               .fix = "cast the column to another type"});
}

// `between` separates name and type: " " in a list of columns, ": " in a STRUCT.
Result<std::string> FieldText(const arrow::Field& field, std::string_view between) {
  const auto type = SparkType(*field.type());
  if (!type.ok()) return Annotate(type.status(), "column \"" + field.name() + "\"");
  return SparkName(field.name()) + std::string(between) + *type +
         (field.nullable() ? "" : " NOT NULL");
}

Result<std::string> StructText(const arrow::FieldVector& fields, std::string_view between) {
  std::string text;
  for (const auto& field : fields) {
    PT_LET(const std::string one, FieldText(*field, between));
    text += (text.empty() ? "" : ", ") + one;
  }
  return text;
}

// Spark's timestamps count microseconds. With any zone, a column holds instants; without one it
// holds what a clock on the wall shows.
Result<std::string> TimestampText(const arrow::TimestampType& type) {
  if (type.unit() == arrow::TimeUnit::NANO) {
    return Fail(
        {.exit = Exit::kUsage,
         .what = "Spark has no type for " + type.ToString(),
         .why = "its times have microseconds",
         .fix = "write the column so; pandas: to_parquet(path, coerce_timestamps = \"us\")"});
  }
  if (type.unit() != arrow::TimeUnit::MICRO) return NoSparkType(type);
  return type.timezone().empty() ? "TIMESTAMP_NTZ" : "TIMESTAMP";
}

// Spark's own limits are 38 digits, and a scale within the digits.
Result<std::string> DecimalText(const arrow::DecimalType& type) {
  if (type.precision() > 38 || type.scale() < 0 || type.scale() > type.precision()) {
    return NoSparkType(type);
  }
  return fmt::format("DECIMAL({},{})", type.precision(), type.scale());
}

Result<std::string> NestedText(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::LIST:
    // Spark's arrays have no fixed length and only one width of offsets.
    case arrow::Type::FIXED_SIZE_LIST:
    case arrow::Type::LARGE_LIST: {
      PT_LET(const std::string item, SparkType(*type.field(0)->type()));
      return "ARRAY<" + item + ">";
    }
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      PT_LET(const std::string key, SparkType(*map.key_type()));
      PT_LET(const std::string item, SparkType(*map.item_type()));
      return "MAP<" + key + ", " + item + ">";
    }
    case arrow::Type::STRUCT: {
      PT_LET(const std::string fields, StructText(type.fields(), ": "));
      return "STRUCT<" + fields + ">";
    }
    default:
      return NoSparkType(type);
  }
}

Result<std::shared_ptr<arrow::DataType>> Convert(const proto::DataType& type,
                                                 const std::string& zone, int depth);

Result<std::shared_ptr<arrow::Field>> ConvertField(const std::string& name,
                                                   const proto::DataType& type, bool nullable,
                                                   const std::string& zone, int depth) {
  auto converted = Convert(type, zone, depth);
  if (!converted.ok()) return Annotate(converted.status(), "column \"" + name + "\"");
  return arrow::field(name, *std::move(converted), nullable);
}

Result<arrow::FieldVector> ConvertStruct(const proto::DataType::Struct& type,
                                         const std::string& zone, int depth) {
  arrow::FieldVector fields;
  for (const auto& each : type.fields()) {
    PT_LET(auto field, ConvertField(each.name(), each.data_type(), each.nullable(), zone, depth));
    const bool notes = each.metadata().size() > 2;  // More than {}.
    fields.push_back(
        notes ? field->WithMetadata(arrow::key_value_metadata({{kNotes, each.metadata()}}))
              : std::move(field));
  }
  return fields;
}

Result<std::shared_ptr<arrow::DataType>> ConvertNested(const proto::DataType& type,
                                                       const std::string& zone, int depth) {
  if (depth > kDeepest) return Status::Invalid("a type is nested more than 100 levels deep");
  if (type.has_array()) {
    PT_LET(auto item, ConvertField("element", type.array().element_type(),
                                   type.array().contains_null(), zone, depth + 1));
    return arrow::list(std::move(item));
  }
  if (type.has_map()) {
    PT_LET(auto key, Convert(type.map().key_type(), zone, depth + 1));
    PT_LET(auto item, ConvertField("value", type.map().value_type(),
                                   type.map().value_contains_null(), zone, depth + 1));
    return arrow::map(std::move(key), std::move(item));
  }
  // A struct: Convert() passes nothing else.
  PT_LET(auto fields, ConvertStruct(type.struct_(), zone, depth + 1));
  return arrow::struct_(std::move(fields));
}

Status NoArrowType(std::string_view name) {
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("Spark's type {} is not supported by tables", name),
               .fix = "cast the column in the SQL, to a number, a timestamp or text"});
}

// Names for messages about the kinds that have no Arrow type here.
std::string_view KindName(const proto::DataType& type) {
  using Kind = proto::DataType;
  switch (type.kind_case()) {
    case Kind::kCalendarInterval:
    case Kind::kYearMonthInterval:
    case Kind::kDayTimeInterval:
      return "INTERVAL";
    case Kind::kVariant:
      return "VARIANT";
    case Kind::kGeometry:
      return "GEOMETRY";
    case Kind::kGeography:
      return "GEOGRAPHY";
    case Kind::kTime:
      return "TIME";
    case Kind::kUserDefined:
      return "of a user";
    default:
      return "unknown to this client";
  }
}

Result<std::shared_ptr<arrow::DataType>> ConvertDecimal(const proto::DataType::Decimal& type) {
  // Spark's DecimalType.USER_DEFAULT is DECIMAL(10,0).
  return arrow::Decimal128Type::Make(type.has_precision() ? type.precision() : 10,
                                     type.has_scale() ? type.scale() : 0);
}

Result<std::shared_ptr<arrow::DataType>> Convert(const proto::DataType& type,
                                                 const std::string& zone, int depth) {
  using Kind = proto::DataType;
  switch (type.kind_case()) {
    case Kind::kNull:
      return arrow::null();
    case Kind::kBinary:
      return arrow::binary();
    case Kind::kBoolean:
      return arrow::boolean();
    case Kind::kByte:
      return arrow::int8();
    case Kind::kShort:
      return arrow::int16();
    case Kind::kInteger:
      return arrow::int32();
    case Kind::kLong:
      return arrow::int64();
    case Kind::kFloat:
      return arrow::float32();
    case Kind::kDouble:
      return arrow::float64();
    case Kind::kDecimal:
      return ConvertDecimal(type.decimal());
    case Kind::kString:
    // Arrow's text has no length limit.
    case Kind::kChar:
    case Kind::kVarChar:
      return arrow::utf8();
    case Kind::kDate:
      return arrow::date32();
    case Kind::kTimestamp:
      return arrow::timestamp(arrow::TimeUnit::MICRO, zone);
    case Kind::kTimestampNtz:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    case Kind::kArray:
    case Kind::kMap:
    case Kind::kStruct:
      return ConvertNested(type, zone, depth);
    default:
      return NoArrowType(KindName(type));
  }
}

}  // namespace

std::string NoteOf(const arrow::Field& field, const std::string& key) {
  if (field.metadata() == nullptr || !field.metadata()->Contains(kNotes)) return {};
  const auto notes = ParseJson(field.metadata()->Get(kNotes).ValueOrDie());
  if (!notes.ok() || !notes->is_object() || !notes->contains(key)) return {};
  return Dump(notes->at(key));
}

std::string SparkName(std::string_view name) { return InQuotes(name, '`'); }

Result<std::string> SparkType(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::NA:
      return "VOID";
    case arrow::Type::BOOL:
      return "BOOLEAN";
    case arrow::Type::INT8:
      return "TINYINT";
    case arrow::Type::INT16:
      return "SMALLINT";
    case arrow::Type::INT32:
      return "INT";
    case arrow::Type::INT64:
      return "BIGINT";
    case arrow::Type::FLOAT:
      return "FLOAT";
    case arrow::Type::DOUBLE:
      return "DOUBLE";
    case arrow::Type::STRING:
    // Spark has one text type, whatever the width of Arrow's offsets.
    case arrow::Type::LARGE_STRING:
      return "STRING";
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
      return "BINARY";
    case arrow::Type::DATE32:
      return "DATE";
    case arrow::Type::TIMESTAMP:
      return TimestampText(static_cast<const arrow::TimestampType&>(type));
    case arrow::Type::DECIMAL128:
      return DecimalText(static_cast<const arrow::DecimalType&>(type));
    // Lists, maps and structs; what Spark lacks is refused there.
    default:
      return NestedText(type);
  }
}

Result<std::string> SparkDdl(const arrow::Schema& schema) {
  return StructText(schema.fields(), " ");
}

Result<std::shared_ptr<arrow::DataType>> ArrowType(const proto::DataType& type,
                                                   const std::string& zone) {
  return Convert(type, zone, 0);
}

Result<SchemaPtr> ArrowSchema(const proto::DataType& type, const std::string& zone) {
  if (!type.has_struct_()) return Status::Invalid("the server's schema is not a list of columns");
  PT_LET(auto fields, ConvertStruct(type.struct_(), zone, 0));
  return arrow::schema(std::move(fields));
}

}  // namespace protium::connect
