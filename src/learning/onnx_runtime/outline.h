// SPDX-License-Identifier: Apache-2.0
// What an ONNX file says of itself, read by our own reader before the runtime sees a byte of it:
// versions, inputs, outputs, operators. The numbers of fields are those of onnx.proto (ONNX 1.18).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace protium {

// Of TensorProto.DataType.
enum class NetElement : int32_t {
  kNone = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
};

// "float32", "string"; "type 17" for one that has no name here.
std::string NameOf(NetElement element);

inline constexpr int64_t kAnyLength = -1;  // Of a dimension: decided by what is fed.

struct NetValue {
  std::string name;
  NetElement element = NetElement::kNone;  // kNone: not a tensor, such as a sequence of maps.
  std::vector<int64_t> shape;              // Empty as well if the file does not say.
  bool has_shape = false;
};

// "float32 [any, 4]".
std::string Describe(const NetValue& value);

struct NetOutline {
  int64_t ir_version = 0;
  std::string producer;                                 // "skl2onnx 1.20.0"; may be empty.
  std::vector<std::pair<std::string, int64_t>> opsets;  // Domain ("" is ONNX's own), version.
  std::vector<NetValue> inputs;                         // Without those that have a value.
  std::vector<NetValue> outputs;
  std::set<std::string> operators;  // "Gemm", "ai.onnx.ml.ZipMap".
  std::set<std::string> values;     // All that nodes of the graph compute.
  std::map<std::string, std::string>
      zip_maps;         // Output of a ZipMap: the tensor that it is made of.
  int64_t weights = 0;  // Numbers in initializers and in attributes of nodes.
};

// Fails with Exit::kInput and a `where` for bytes that are no ONNX file, more than one could need
// of anything (names of 4,096 bytes, 100,000 values, 8 dimensions, graphs nested 8 deep), a value
// that is named twice, and, as Exit::kUsage, weights that lie in other files.
Result<NetOutline> ReadNetOutline(std::string_view file, const std::string& where);

// The same file with more outputs, which must be among NetOutline::values. Messages of Protocol
// Buffers are merged where they are put one after the other.
std::string WithOutputs(std::string file, const std::vector<std::string>& names);

}  // namespace protium
