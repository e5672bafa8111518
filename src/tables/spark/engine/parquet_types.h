// SPDX-License-Identifier: Apache-2.0
// The types that Spark reads from the columns of Parquet files. Its reader knows fewer types than
// Arrow's, which restores those that a table had when it was written.
#pragma once

#include <arrow/type_fwd.h>

#include <memory>

namespace protium {

// Returns the type to request from Spark for a column of `type`; most types stay as they are.
std::shared_ptr<arrow::DataType> TypeForSpark(const std::shared_ptr<arrow::DataType>& type);

// Whether a column read this way must be cast to FinalTypeForSpark(): unsigned 64-bit numbers are
// read as decimals, and are BIGINT in tables.
bool IsCastAfterReading(const arrow::DataType& type);
std::shared_ptr<arrow::DataType> FinalTypeForSpark(const std::shared_ptr<arrow::DataType>& type);

}  // namespace protium
