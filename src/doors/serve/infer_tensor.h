// SPDX-License-Identifier: Apache-2.0
// Tensors of the Open Inference Protocol, version 2 (KServe, Triton), as columns of rows: their
// first dimension counts rows, others the values of a list.
// https://kserve.github.io/website/docs/concepts/architecture/data-plane/v2-protocol
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "inference/json_cursor.h"

namespace protium {

// What a tensor of a request says about itself. All faults below are of Exit::kInput.
struct InferTensor {
  std::string name;
  std::string datatype;  // "FP64", or "BYTES" for texts.
  std::vector<int64_t> shape;
  std::optional<int64_t> bytes;  // Of its values behind the JSON text; none: they are in it.
};

// How many rows the shape claims, and values in each row. Fails for a shape without dimensions, a
// negative one, and more rows than `most_rows` or more values than a list column can have.
struct InferSize {
  int64_t rows = 0;
  int64_t width = 1;
};
Result<InferSize> SizeOf(const InferTensor& tensor, int64_t most_rows);

// The datatype of a column of the type; of a list that of its values. What the protocol has no type
// for (dates, times, decimals) is BYTES, with the texts that JSON rows have. Fails for lists of
// lists.
Result<std::string> DatatypeOf(const arrow::Field& column);

// Reads the values in JSON, flat or nested as the shape is, into a column for `field`. null is a
// missing value.
Result<std::shared_ptr<arrow::Array>> ReadJsonTensor(JsonCursor values, const InferTensor& tensor,
                                                     const InferSize& size,
                                                     const arrow::Field& field);
// Reads values as bytes: little-endian numbers, one byte for a flag, texts each after its length in
// 4 bytes. Numbers keep the type that they came in.
Result<std::shared_ptr<arrow::Array>> ReadRawTensor(std::string_view values,
                                                    const InferTensor& tensor,
                                                    const InferSize& size,
                                                    const arrow::Field& field);

}  // namespace protium
