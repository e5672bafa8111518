// SPDX-License-Identifier: Apache-2.0
// What the ranks of a gang can compute together: reductions, broadcasts, gathers and exchanges of
// numbers and objects. Implemented by the rooms collective and gang.
//
//   PT_LET(pt::Ranks ranks, pt::Ranks::Of(context));
//   PT_TRY(ranks.AllReduce(pt::Values(gradient), pt::Op::kMean));
//
// 1. Every rank makes the same calls in the same order; if ranks disagree on operation, type or
//    length, all get an error that says which rank asked for what.
// 2. Every wait is limited by the gang's deadline and fails naming the ranks that did not arrive.
// 3. Values are combined in the order of ranks, so results are the same on all ranks and in all
//    runs, bit for bit, over shared memory and over TCP, alone and in a group.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protium/elements.h"
#include "protium/status.h"
#include "protium/task.h"

namespace protium {

class Communicator;

float ToFloat(Float16 value);
float ToFloat(Bfloat16 value);
// Rounds to the nearest value, ties to even.
Float16 ToFloat16(float value);
Bfloat16 ToBfloat16(float value);

namespace ranks {

template <class T>
struct ElementOf;
template <>
struct ElementOf<float> : std::integral_constant<Element, Element::kFloat32> {};
template <>
struct ElementOf<double> : std::integral_constant<Element, Element::kFloat64> {};
template <>
struct ElementOf<Float16> : std::integral_constant<Element, Element::kFloat16> {};
template <>
struct ElementOf<Bfloat16> : std::integral_constant<Element, Element::kBfloat16> {};
template <>
struct ElementOf<int32_t> : std::integral_constant<Element, Element::kInt32> {};
template <>
struct ElementOf<int64_t> : std::integral_constant<Element, Element::kInt64> {};
template <>
struct ElementOf<uint64_t> : std::integral_constant<Element, Element::kUint64> {};
template <>
struct ElementOf<uint8_t> : std::integral_constant<Element, Element::kUint8> {};

}  // namespace ranks

// Values owned by the caller, which a call reads and writes in place.
struct Tensor {
  void* data = nullptr;
  int64_t count = 0;
  Element element = Element::kFloat32;
};

template <class T>
Tensor Values(std::span<T> values) {
  return {values.data(), int64_t(values.size()), ranks::ElementOf<T>::value};
}
template <class T>
Tensor Values(std::vector<T>& values) {
  return Values(std::span<T>(values));
}

// One rank's end. Use it on the task's thread, while the task runs.
class Ranks {
 public:
  // Fails for a task without a gang.
  static Result<Ranks> Of(TaskContext& context);
  explicit Ranks(Communicator& communicator);
  Ranks(Ranks&&) noexcept;
  ~Ranks();

  int32_t rank() const;
  int32_t world() const;

  // `name` appears in the error of a rank whose wait times out.
  Status Barrier(std::string_view name = "barrier");
  // Leaves the combined values in each rank's `values`; on an error they are undefined.
  Status AllReduce(Tensor values, Op op);
  // The same for tensors that are reduced together: many small ones take little longer than one of
  // their total size. Ranks must pass the same tensors in the same order.
  Status AllReduce(std::span<const Tensor> group, Op op);
  // Returns rank r's slice of the combined values: the first `count % world` ranks get one value
  // more.
  template <class T>
  Result<std::vector<T>> ReduceScatter(std::span<const T> values, Op op) {
    const Tensor all{const_cast<T*>(values.data()), int64_t(values.size()),
                     ranks::ElementOf<T>::value};
    PT_LET(const std::string bytes, ReduceScatterBytes(all, op));
    return FromBytes<T>(bytes);
  }
  // Copies rank `root`'s values to all ranks.
  Status Broadcast(Tensor values, int32_t root);

  // Returns every rank's values, by rank; their numbers may differ. Up to 1 GiB from each.
  template <class T>
  Result<std::vector<std::vector<T>>> AllGather(std::span<const T> own) {
    PT_LET(const auto parts, AllGatherBytes(AsBytes(own), sizeof(T)));
    return FromParts<T>(parts);
  }
  // The same on rank `root`; the others get nothing.
  template <class T>
  Result<std::vector<std::vector<T>>> Gather(std::span<const T> own, int32_t root) {
    PT_LET(const auto parts, GatherBytes(AsBytes(own), root));
    return FromParts<T>(parts);
  }
  // Sends splits[r] elements of `own`, in their order, to rank r, and returns what came from each
  // rank.
  template <class T>
  Result<std::vector<std::vector<T>>> AllToAll(std::span<const T> own,
                                               std::span<const int64_t> splits) {
    PT_LET(const auto parts, ExchangeBytes(AsBytes(own), splits, sizeof(T)));
    return FromParts<T>(parts);
  }

  // Returns every rank's object, by rank.
  Result<std::vector<Json>> AllGather(const Json& own);
  // Returns rank `root`'s object on all ranks; the others' objects are ignored.
  Result<Json> Broadcast(const Json& own, int32_t root);

 private:
  struct Room;

  template <class T>
  static std::string_view AsBytes(std::span<const T> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
  }
  template <class T>
  static std::vector<T> FromBytes(const std::string& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
  template <class T>
  static std::vector<std::vector<T>> FromParts(const std::vector<std::string>& parts) {
    std::vector<std::vector<T>> values;
    for (const std::string& part : parts) values.push_back(FromBytes<T>(part));
    return values;
  }
  Result<std::string> ReduceScatterBytes(const Tensor& values, Op op);
  Result<std::vector<std::string>> AllGatherBytes(std::string_view own, size_t width);
  Result<std::vector<std::string>> GatherBytes(std::string_view own, int32_t root);
  // Splits count elements of `width` bytes.
  Result<std::vector<std::string>> ExchangeBytes(std::string_view own,
                                                 std::span<const int64_t> splits, size_t width);

  std::unique_ptr<Room> room_;
};

}  // namespace protium
