// SPDX-License-Identifier: Apache-2.0
#include "spark/engine/parquet_types.h"

#include <arrow/type.h>

#include <algorithm>

namespace protium {
namespace {

using TypePtr = std::shared_ptr<arrow::DataType>;

TypePtr ReadAs(const TypePtr& type, const TypePtr& large) {
  switch (type->id()) {
    // Spark has no unsigned numbers.
    case arrow::Type::UINT8:
      return arrow::int16();
    case arrow::Type::UINT16:
      return arrow::int32();
    case arrow::Type::UINT32:
      return arrow::int64();
    case arrow::Type::UINT64:
      return large;
    // The files store them as whole numbers.
    case arrow::Type::DURATION:
      return arrow::int64();
    case arrow::Type::DATE64:
      return arrow::date32();
    case arrow::Type::FIXED_SIZE_BINARY:
      return arrow::binary();
    case arrow::Type::DICTIONARY:
      return ReadAs(static_cast<const arrow::DictionaryType&>(*type).value_type(), large);
    // It reads milliseconds as microseconds; files have no seconds.
    case arrow::Type::TIMESTAMP: {
      const auto& time = static_cast<const arrow::TimestampType&>(*type);
      const bool nanos = time.unit() == arrow::TimeUnit::NANO;
      return nanos ? type : arrow::timestamp(arrow::TimeUnit::MICRO, time.timezone());
    }
    case arrow::Type::LIST:
      return arrow::list(ReadAs(type->field(0)->type(), large));
    default:
      return type;
  }
}

}  // namespace

TypePtr TypeForSpark(const TypePtr& type) { return ReadAs(type, arrow::decimal128(20, 0)); }

TypePtr FinalTypeForSpark(const TypePtr& type) { return ReadAs(type, arrow::int64()); }

bool IsCastAfterReading(const arrow::DataType& type) {
  return type.id() == arrow::Type::UINT64 ||
         (type.id() == arrow::Type::LIST && IsCastAfterReading(*type.field(0)->type()));
}

}  // namespace protium
