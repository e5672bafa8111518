// SPDX-License-Identifier: Apache-2.0
#include "records/avro_rows.h"

#include <arrow/builder.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <arrow/util/utf8.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "avro/encoding.h"
#include "base/fault.h"
#include "column/schema.h"
#include "records/dead_letter.h"

namespace protium {
namespace {

using TypePtr = std::shared_ptr<arrow::DataType>;

constexpr size_t kDecimalBytes = 16;
constexpr int32_t kMostDigits = 38;
// Of a symbol and a default, which take the place of fewer bytes of a message, or none.
constexpr size_t kLongestKnown = 4 << 10;
constexpr int64_t kDayMicros = int64_t{86'400} * 1'000'000;

Status Damaged(const AvroScanner& scanner) {
  return RefuseEvent(
      fmt::format("the record is damaged: {}, at its byte {}", scanner.error(), scanner.at()));
}

// The column of a value that is neither a list nor nested; null: there is none.
TypePtr ScalarColumn(const AvroType& type) {
  switch (type.logical) {
    case AvroLogical::kDate:
      return arrow::date32();
    case AvroLogical::kTimestampMillis:
    case AvroLogical::kTimestampMicros:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    case AvroLogical::kDecimal:
      return type.precision > kMostDigits ? nullptr : arrow::float64();
    case AvroLogical::kTimeMillis:
    case AvroLogical::kTimeMicros:
      return arrow::utf8();
    case AvroLogical::kDuration:
      return nullptr;
    default:
      break;
  }
  switch (type.kind) {
    case AvroKind::kBoolean:
      return arrow::boolean();
    case AvroKind::kInt:
    case AvroKind::kLong:
      return arrow::int64();
    case AvroKind::kFloat:
    case AvroKind::kDouble:
      return arrow::float64();
    case AvroKind::kArray:
    case AvroKind::kMap:
    case AvroKind::kRecord:
    case AvroKind::kUnion:
      return nullptr;
    default:
      return arrow::utf8();
  }
}

// The column of a field. Refuses by `path` what is none.
Result<TypePtr> ColumnOf(const AvroSchema& schema, size_t type, const std::string& path) {
  const auto no_column = [&](size_t what, const std::string& where) {
    return Fail({.exit = Exit::kInput,
                 .what = fmt::format("the field {} is of the type {}, which is no column", where,
                                     schema.Describe(what)),
                 .fix = "stream.columns names the fields that are read: leave it out there"});
  };
  const auto outer = schema.Beneath(type);
  if (!outer) return no_column(type, path);
  const AvroType& it = schema.types()[*outer];
  if (it.kind == AvroKind::kArray) {
    const auto item = schema.Beneath(it.of.front());
    if (!item) return no_column(it.of.front(), path + "[]");
    const AvroType& of = schema.types()[*item];
    const TypePtr cells = of.kind == AvroKind::kNull ? nullptr : ScalarColumn(of);
    if (cells == nullptr) return no_column(*item, path + "[]");
    return arrow::list(cells);
  }
  TypePtr column = ScalarColumn(it);
  if (column == nullptr) return no_column(*outer, path);
  return column;
}

// Whether a column holds every value of another: whole numbers become doubles.
bool Holds(const arrow::DataType& column, const arrow::DataType& values) {
  if (column.id() == arrow::Type::LIST && values.id() == arrow::Type::LIST) {
    return Holds(*column.field(0)->type(), *values.field(0)->type());
  }
  return column.Equals(values) ||
         (column.id() == arrow::Type::DOUBLE && values.id() == arrow::Type::INT64);
}

Status CheckColumn(const AvroSchema& schema, const AvroField& field, const arrow::Field& column) {
  const auto beneath = schema.Beneath(field.type);
  if (beneath && schema.types()[*beneath].kind == AvroKind::kNull) return Status::OK();
  PT_LET(const TypePtr values, ColumnOf(schema, field.type, field.name));
  if (Holds(*column.type(), *values)) return Status::OK();
  return RefuseEvent(
      fmt::format("the field {} is of the type {}, and the stream's column \"{}\" is {}",
                  field.name, schema.Describe(beneath.value_or(field.type)), column.name(),
                  TypeName(*column.type()).ValueOr("another")));
}

Status CheckRecord(const AvroSchema& schema) {
  if (schema.root().kind == AvroKind::kRecord) return Status::OK();
  return RefuseEvent("the schema is not that of a record");
}

Status CheckSymbols(const AvroSchema& schema) {
  for (const AvroType& each : schema.types()) {
    for (const std::string& symbol : each.symbols) {
      if (symbol.size() <= kLongestKnown) continue;
      return RefuseEvent(fmt::format("a symbol of the enum {} is longer than 4 KiB", each.name));
    }
  }
  return Status::OK();
}

const AvroField* FieldNamed(const AvroSchema* schema, const std::string& name) {
  if (schema == nullptr) return nullptr;
  const auto found = std::ranges::find(schema->root().fields, name, &AvroField::name);
  return found == schema->root().fields.end() ? nullptr : &*found;
}

// The column that a writer's field belongs to: that of its name, or of which it is an alias.
int PlaceOf(const AvroField& field, const AvroSchema* reader, const arrow::Schema& columns) {
  const int place = columns.GetFieldIndex(field.name);
  if (place >= 0 || reader == nullptr) return place;
  for (const AvroField& each : reader->root().fields) {
    if (std::ranges::count(each.aliases, field.name) > 0) return columns.GetFieldIndex(each.name);
  }
  return -1;
}

Result<AvroReading::Default> DefaultOf(const AvroSchema& reader, const AvroField& field,
                                       const arrow::Schema& columns) {
  AvroReading::Default made{
      .step = {.type = field.type, .column = columns.GetFieldIndex(field.name)}};
  PT_TRY(CheckColumn(reader, field, *columns.field(made.step.column)));
  PT_TRY(PutAvroDefault(made.bytes, *field.fallback, reader, field.type));
  if (made.bytes.size() <= kLongestKnown) return made;
  return RefuseEvent(fmt::format("the default of the field {} is longer than 4 KiB", field.name));
}

std::string TimeText(int64_t micros, bool millis) {
  const int64_t seconds = micros / 1'000'000, rest = micros % 1'000'000;
  const std::string clock =
      fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  return millis ? fmt::format("{}.{:03}", clock, rest / 1000)
                : fmt::format("{}.{:06}", clock, rest);
}

std::string UuidText(std::string_view bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(bytes[i]));
  }
  return text;
}

// A big-endian number in two's complement, without bytes in front that only repeat its sign.
Result<double> DecimalOf(std::string_view bytes, int32_t scale) {
  const auto high = [](char c) { return (c & 0x80) != 0; };
  while (bytes.size() > kDecimalBytes && (bytes[0] == 0 || bytes[0] == '\xff') &&
         high(bytes[0]) == high(bytes[1])) {
    bytes.remove_prefix(1);
  }
  if (bytes.empty() || bytes.size() > kDecimalBytes) {
    return RefuseEvent(fmt::format("a decimal of {} bytes cannot be read", bytes.size()));
  }
  PT_LET(const auto decimal,
         arrow::Decimal128::FromBigEndian(reinterpret_cast<const uint8_t*>(bytes.data()),
                                          int32_t(bytes.size())));
  const std::string text = decimal.ToString(scale);
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc()) return RefuseEvent("a decimal is too small or too large: " + text);
  return value;
}

}  // namespace

Result<SchemaPtr> AvroColumns(const AvroSchema& schema, const Columns& names) {
  PT_TRY(CheckRecord(schema));
  arrow::FieldVector fields;
  for (const AvroField& each : schema.root().fields) {
    if (!names.empty() && std::ranges::count(names, each.name) == 0) continue;
    PT_LET(TypePtr type, ColumnOf(schema, each.type, each.name));
    fields.push_back(arrow::field(each.name, std::move(type)));
  }
  return arrow::schema(std::move(fields));
}

Result<AvroReading> ReadingOf(std::shared_ptr<const AvroSchema> writer,
                              std::shared_ptr<const AvroSchema> reader,
                              const arrow::Schema& columns, const Columns& optional) {
  PT_TRY(CheckRecord(*writer));
  PT_TRY(CheckSymbols(*writer));
  AvroReading reading{.writer = std::move(writer), .reader = std::move(reader)};
  std::vector<bool> found(size_t(columns.num_fields()));
  for (const AvroField& each : reading.writer->root().fields) {
    int place = PlaceOf(each, reading.reader.get(), columns);
    if (place >= 0 && found[size_t(place)]) place = -1;
    if (place < 0 && reading.unknown.empty()) reading.unknown = each.name;
    reading.steps.push_back({.type = each.type, .column = place});
    if (place < 0) continue;
    found[size_t(place)] = true;
    PT_TRY(CheckColumn(*reading.writer, each, *columns.field(place)));
  }
  for (const auto& field : columns.fields()) {
    if (found[size_t(columns.GetFieldIndex(field->name()))]) continue;
    const AvroField* const known = FieldNamed(reading.reader.get(), field->name());
    if (known != nullptr && known->fallback) {
      PT_LET(reading.defaults.emplace_back(), DefaultOf(*reading.reader, *known, columns));
    } else if (std::ranges::count(optional, field->name()) == 0) {
      return RefuseEvent(fmt::format("the schema has no field \"{}\", and nothing says its default",
                                     field->name()));
    }
  }
  return reading;
}

AvroRows::AvroRows(SchemaPtr columns, BatchBuilder builder)
    : columns_(std::move(columns)),
      builder_(std::move(builder)),
      values_(size_t(columns_->num_fields())) {}

Result<AvroRows> AvroRows::Make(SchemaPtr columns) {
  arrow::util::InitializeUTF8();
  PT_LET(BatchBuilder builder, BatchBuilder::Make(columns));
  return AvroRows(std::move(columns), std::move(builder));
}

Status AvroRows::TakeText(std::string_view bytes, Value& value) {
  if (!arrow::util::ValidateUTF8(bytes)) return RefuseEvent("a value is not UTF-8");
  value = {.kind = Value::Kind::kText, .text = bytes};
  return Status::OK();
}

Status AvroRows::ReadWhole(const AvroType& type, AvroScanner& scanner, Value& value) {
  value.kind = Value::Kind::kWhole;
  const bool sound =
      type.kind == AvroKind::kInt ? scanner.Int(value.whole) : scanner.Long(value.whole);
  if (!sound) return Damaged(scanner);
  const bool millis =
      type.logical == AvroLogical::kTimestampMillis || type.logical == AvroLogical::kTimeMillis;
  if (millis && __builtin_mul_overflow(value.whole, int64_t{1000}, &value.whole)) {
    return RefuseEvent("a time is beyond the years of timestamps");
  }
  if (type.logical != AvroLogical::kTimeMillis && type.logical != AvroLogical::kTimeMicros) {
    return Status::OK();
  }
  if (value.whole < 0 || value.whole >= kDayMicros)
    return RefuseEvent("a time of day is beyond it");
  return TakeText(held_.emplace_back(TimeText(value.whole, millis)), value);
}

Status AvroRows::ReadText(const AvroType& type, AvroScanner& scanner, Value& value) {
  std::string_view bytes;
  const bool fixed = type.kind == AvroKind::kFixed;
  if (!(fixed ? scanner.Fixed(type.bytes, bytes) : scanner.Bytes(bytes))) return Damaged(scanner);
  if (type.logical == AvroLogical::kDecimal) {
    value.kind = Value::Kind::kReal;
    PT_LET(value.real, DecimalOf(bytes, type.scale));
    return Status::OK();
  }
  if (fixed && type.logical == AvroLogical::kUuid) {
    return TakeText(held_.emplace_back(UuidText(bytes)), value);
  }
  return TakeText(bytes, value);
}

Status AvroRows::ReadScalar(const AvroType& type, AvroScanner& scanner, Value& value) {
  bool flag = false;
  size_t which = 0;
  switch (type.kind) {
    case AvroKind::kNull:
      return Status::OK();
    case AvroKind::kBoolean:
      if (!scanner.Flag(flag)) return Damaged(scanner);
      value = {.kind = Value::Kind::kWhole, .whole = flag};
      return Status::OK();
    case AvroKind::kInt:
    case AvroKind::kLong:
      return ReadWhole(type, scanner, value);
    case AvroKind::kFloat:
    case AvroKind::kDouble:
      value.kind = Value::Kind::kReal;
      if (type.kind == AvroKind::kFloat ? scanner.Float(value.real) : scanner.Double(value.real)) {
        return Status::OK();
      }
      return Damaged(scanner);
    case AvroKind::kEnum:
      if (!scanner.Which(type.symbols.size(), which)) return Damaged(scanner);
      return TakeText(type.symbols[which], value);
    default:
      return ReadText(type, scanner, value);
  }
}

Status AvroRows::ReadList(const AvroSchema& schema, size_t items, AvroScanner& scanner,
                          Value& value) {
  value = {.kind = Value::Kind::kList, .first = items_.size()};
  int64_t count = 0;
  while (scanner.Block(count)) {
    if (count == 0) return Status::OK();
    for (; count > 0; --count) {
      Value item;
      PT_TRY(Read(schema, items, scanner, item));
      items_.push_back(item);
      ++value.whole;
    }
  }
  return Damaged(scanner);
}

Status AvroRows::Read(const AvroSchema& schema, size_t type, AvroScanner& scanner, Value& value) {
  const AvroType* it = &schema.types()[type];
  if (it->kind == AvroKind::kUnion) {
    size_t which = 0;
    if (!scanner.Which(it->of.size(), which)) return Damaged(scanner);
    it = &schema.types()[it->of[which]];
  }
  if (it->kind == AvroKind::kArray) return ReadList(schema, it->of.front(), scanner, value);
  return ReadScalar(*it, scanner, value);
}

Status AvroRows::ReadStep(const AvroSchema& schema, const AvroReading::Step& step,
                          AvroScanner& scanner) {
  if (step.column >= 0) return Read(schema, step.type, scanner, values_[size_t(step.column)]);
  return scanner.Skip(schema, step.type) ? Status::OK() : Damaged(scanner);
}

Status AvroRows::ReadRecord(const AvroReading& reading, std::string_view bytes) {
  AvroScanner scanner(bytes);
  for (const AvroReading::Step& step : reading.steps) {
    PT_TRY(ReadStep(*reading.writer, step, scanner));
  }
  if (!scanner.AtEnd()) {
    return RefuseEvent(fmt::format("the record is damaged: {} bytes are left behind its last field",
                                   scanner.left()));
  }
  for (const AvroReading::Default& each : reading.defaults) {
    AvroScanner said(each.bytes);
    PT_TRY(ReadStep(*reading.reader, each.step, said));
  }
  return Status::OK();
}

Status AvroRows::Append(const Value& value, const arrow::DataType& type,
                        arrow::ArrayBuilder& builder) {
  if (value.kind == Value::Kind::kNull) return builder.AppendNull();
  switch (type.id()) {
    case arrow::Type::BOOL:
      return static_cast<arrow::BooleanBuilder&>(builder).Append(value.whole != 0);
    case arrow::Type::INT64:
      return static_cast<arrow::Int64Builder&>(builder).Append(value.whole);
    case arrow::Type::DOUBLE:
      return static_cast<arrow::DoubleBuilder&>(builder).Append(
          value.kind == Value::Kind::kWhole ? double(value.whole) : value.real);
    case arrow::Type::DATE32:
      return static_cast<arrow::Date32Builder&>(builder).Append(int32_t(value.whole));
    case arrow::Type::TIMESTAMP:
      return static_cast<arrow::TimestampBuilder&>(builder).Append(value.whole);
    case arrow::Type::STRING:
      return static_cast<arrow::StringBuilder&>(builder).Append(value.text);
    default:
      break;
  }
  auto& list = static_cast<arrow::ListBuilder&>(builder);
  PT_TRY(list.Append());
  for (size_t i = value.first; i < value.first + size_t(value.whole); ++i) {
    PT_TRY(Append(items_[i], *type.field(0)->type(), *list.value_builder()));
  }
  return Status::OK();
}

Status AvroRows::Add(const AvroReading& reading, std::string_view bytes) {
  std::ranges::fill(values_, Value());
  items_.clear();
  held_.clear();
  PT_TRY(ReadRecord(reading, bytes));
  for (size_t i = 0; i < values_.size(); ++i) {
    PT_TRY(Append(values_[i], *columns_->field(int(i))->type(), builder_.column(i)));
  }
  builder_.EndRow(bytes.size());
  return Status::OK();
}

}  // namespace protium
