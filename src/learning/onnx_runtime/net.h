// SPDX-License-Identifier: Apache-2.0
// A net of an ONNX file, ready to compute, by ONNX Runtime on one thread.
//
// 1. Every computation has height() rows; what is short of it repeats its last row. Kernels choose
//    by the shape how they add, so a row has the same bits whichever rows are beside it.
// 2. Bits hold for one version of the runtime and one kind of processor: NumericsOfOnnx().
// 3. The runtime never opens a file: a net comes as bytes whose outline our own reader has seen.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "onnx_runtime/outline.h"

namespace protium {

// Numbers in row-major order, or texts.
struct NetTensor {
  NetElement element = NetElement::kNone;
  std::vector<int64_t> shape;
  std::vector<std::byte> numbers;  // Texts: empty.
  std::vector<std::string> texts;  // Numbers: empty.

  int64_t size() const;  // The product of `shape`.
  template <class T>
  std::span<const T> As() const {
    return {reinterpret_cast<const T*>(numbers.data()), numbers.size() / sizeof(T)};
  }
};

// Bytes of one number; 0 for texts and for types that tables do not carry.
size_t BytesOf(NetElement element);

// {"onnxruntime": "1.32.0", "cpu": "..."}: what the bits depend on beside the file.
Result<Json> NumericsOfOnnx();

// Immutable: any thread.
class OnnxNet {
 public:
  // Reads the file and makes it ready. `outputs`: those to compute, in this order, which may be
  // any value that a node makes; empty: all of the graph, where a ZipMap stands for the tensor of
  // its probabilities. Fails with Exit::kUsage or kInput, before any row is seen, for a file that
  // ReadNetOutline() refuses, an output that does not exist, operators and operator sets that the
  // runtime does not know, and inputs that do not begin with a dimension of rows. `alone`: each
  // row by itself, unless the file prescribes how many.
  static Result<OnnxNet> Open(const std::filesystem::path& file,
                              const std::vector<std::string>& outputs = {}, bool alone = false);
  // The same for the bytes of a file that this process has made, with all of its outputs; `where`
  // is what faults name. `work`: multiplications for a row; 0: as many as there are weights.
  static Result<OnnxNet> OfBytes(std::string bytes, const std::string& where, int64_t work);

  const NetOutline& outline() const;
  const std::string& sha256() const;  // Of the file.
  // With the shapes that the runtime has inferred. The first dimension is that of rows.
  const std::vector<NetValue>& inputs() const;
  // Named as they were asked for.
  const std::vector<NetValue>& outputs() const;
  // Rows of a computation: a file may prescribe them; otherwise the more work a row is, the fewer.
  int64_t height() const;

  // Computes a row, of which Run() has made `alone`, beside one of ones, and fails with
  // Exit::kUsage if its bits differ: the graph mixes rows, as one does that subtracts the mean of
  // its batch. A graph that refuses ones, or mixes rows only with other values, is not found out.
  Status CheckRowsApart(std::vector<NetTensor> row, const std::vector<NetTensor>& alone) const;

  // One tensor per input, of 1 to height() rows; returns one per output with as many rows.
  Result<std::vector<NetTensor>> Run(std::vector<NetTensor> inputs) const;

 private:
  struct Inside;
  explicit OnnxNet(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}
  std::shared_ptr<const Inside> inside_;
};

// Reads the outline of a file of at most 2 GiB.
Result<NetOutline> ReadNetFile(const std::filesystem::path& file);

// Whether a path means an ONNX file: its name ends with .onnx and it is no folder.
bool IsOnnxFile(const std::filesystem::path& path);

}  // namespace protium
