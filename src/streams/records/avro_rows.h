// SPDX-License-Identifier: Apache-2.0
// Makes typed rows of records in Avro's binary form. As Avro resolves schemas (Apache Avro 1.11
// Specification, "Schema Resolution"), fields are found by name, numbers become wider ones, and a
// field that the writer's schema lacks has the default of the reader's.
#pragma once

#include <arrow/record_batch.h>

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "avro/scan.h"
#include "avro/schema.h"
#include "format/brought_columns.h"
#include "protium/expr.h"

namespace protium {

// Returns the columns that records of the schema have, in the types of events (records/
// record_rows.h): int64, double (decimals, too), bool, date32, timestamps in microseconds, and text
// (also enums, times of day, uuids, bytes and fixeds in UTF-8); lists of these. Only those of
// `names`, unless that is empty. Refuses (kInput) by its path what is no column: records in
// records, maps, unions of several types, durations.
Result<SchemaPtr> AvroColumns(const AvroSchema& schema, const Columns& names = {});

// How records of one writer's schema become rows.
struct AvroReading {
  // A value among the bytes of a record.
  struct Step {
    size_t type = 0;  // Of the schema's types.
    int column = -1;  // -1: it is skipped.
  };
  struct Default {
    Step step;  // Of the reader's schema.
    std::string bytes;
  };
  std::shared_ptr<const AvroSchema> writer, reader;
  std::vector<Step> steps;
  std::vector<Default> defaults;
  std::string unknown;  // The first field that is no column, whatever its type; empty: none.
};

// `reader` (may be null) has defaults and aliases. Columns of `optional` are NULL where the writer
// has no such field. Refuses (kInput) a schema whose records cannot become rows.
Result<AvroReading> ReadingOf(std::shared_ptr<const AvroSchema> writer,
                              std::shared_ptr<const AvroSchema> reader,
                              const arrow::Schema& columns, const Columns& optional);

// One thread.
class AvroRows {
 public:
  // `columns` are EventColumns().
  static Result<AvroRows> Make(SchemaPtr columns);

  const SchemaPtr& columns() const { return columns_; }

  // Adds the row of a record that fills `bytes`. Refuses (kInput), and adds nothing, if they are
  // damaged or a value does not fit its column.
  Status Add(const AvroReading& reading, std::string_view bytes);

  int64_t rows() const { return builder_.rows(); }
  // Returns the rows so far, and begins anew.
  Result<std::shared_ptr<arrow::RecordBatch>> Finish() { return builder_.Finish(); }

 private:
  // What a column gets: kept until the whole record is known to be sound.
  struct Value {
    enum class Kind { kNull, kWhole, kReal, kText, kList } kind = Kind::kNull;
    int64_t whole = 0;  // Of a list: its items.
    double real = 0;
    std::string_view text = {};
    size_t first = 0;  // Of a list: its first item in items_.
  };
  AvroRows(SchemaPtr columns, BatchBuilder builder);

  Status ReadRecord(const AvroReading& reading, std::string_view bytes);
  Status ReadStep(const AvroSchema& schema, const AvroReading::Step& step, AvroScanner& scanner);
  Status Read(const AvroSchema& schema, size_t type, AvroScanner& scanner, Value& value);
  Status ReadScalar(const AvroType& type, AvroScanner& scanner, Value& value);
  Status ReadWhole(const AvroType& type, AvroScanner& scanner, Value& value);
  Status ReadText(const AvroType& type, AvroScanner& scanner, Value& value);
  Status ReadList(const AvroSchema& schema, size_t items, AvroScanner& scanner, Value& value);
  Status TakeText(std::string_view bytes, Value& value);
  Status Append(const Value& value, const arrow::DataType& type, arrow::ArrayBuilder& builder);

  SchemaPtr columns_;
  BatchBuilder builder_;
  std::vector<Value> values_;  // By column.
  std::vector<Value> items_;
  std::deque<std::string> held_;  // Texts that do not stand in the bytes.
};

}  // namespace protium
