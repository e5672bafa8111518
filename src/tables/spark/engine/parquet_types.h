// SPDX-License-Identifier: Apache-2.0
// The types of columns of Parquet files as Spark reads them. Its reader knows fewer than Arrow's,
// which restores those that a table had when it was written.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>

namespace protium {

// What Spark is told to read a column of `type` as; types that it has no other for stay.
std::shared_ptr<arrow::DataType> TypeForSpark(const std::shared_ptr<arrow::DataType>& type);

// Whether what was read so must be cast to FinalTypeForSpark(): unsigned numbers of 64 bits come as
// decimals, and are BIGINT in tables.
bool IsCastAfterReading(const arrow::DataType& type);
std::shared_ptr<arrow::DataType> FinalTypeForSpark(const std::shared_ptr<arrow::DataType>& type);

}  // namespace protium
