// SPDX-License-Identifier: Apache-2.0
// Everything here uses only what the backends have: all-reduce, broadcast, all-gather, barrier and
// windows.
// 1. If ranks contribute different sizes, one gathering exchanges the sizes first, together with
//    the bytes themselves if they are few. So all ranks make the same choice for the rest.
// 2. The rest goes through a window that is reused and grows: filled, a barrier, read, and a
//    barrier before anybody fills it again.
#include "protium/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/copy.h"
#include "base/fault.h"
#include "base/half.h"
#include "base/json.h"
#include "collective/combine.h"
#include "collective/request.h"

namespace protium {

namespace {

// Bytes sent together with the sizes.
constexpr size_t kFewBytes = 4 << 10;
// Size of tensors reduced as one; a larger one is reduced in place.
constexpr int64_t kFusedBytes = int64_t{4} << 20;

// The operation that the backends combine with.
Op CombinedBy(Op op) { return op == Op::kMean ? Op::kSum : op; }

bool IsFloat(Element type) {
  return type == Element::kFloat32 || type == Element::kFloat64 || type == Element::kFloat16 ||
         type == Element::kBfloat16;
}

// Before anything is sent: all ranks with the same request are refused alike.
Status CheckOp(Element type, Op op) {
  if (op != Op::kMean || IsFloat(type)) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = "a mean of whole numbers is not one",
               .fix = "sum them (Op::kSum), or reduce floats"});
}

template <class T, class Divide>
void DivideEach(std::byte* data, int64_t count, Divide divide) {
  T* const values = reinterpret_cast<T*>(data);
  for (int64_t i = 0; i < count; ++i) values[i] = divide(values[i]);
}

void DivideBy(int32_t world, Element type, std::byte* data, int64_t count) {
  const auto by = float(world);
  switch (type) {
    case Element::kFloat64:
      return DivideEach<double>(data, count, [&](double x) { return x / double(world); });
    case Element::kFloat16:
      return DivideEach<Float16>(data, count,
                                 [&](Float16 x) { return NarrowToFloat16(Widen(x) / by); });
    case Element::kBfloat16:
      return DivideEach<Bfloat16>(data, count,
                                  [&](Bfloat16 x) { return NarrowToBfloat16(Widen(x) / by); });
    default:
      return DivideEach<float>(data, count, [&](float x) { return x / by; });
  }
}

struct Slice {
  int64_t begin = 0;
  int64_t count = 0;
};

Slice SliceOf(int64_t count, int32_t rank, int32_t world) {
  const int64_t each = count / world, more = count % world;
  return {each * rank + std::min<int64_t>(rank, more), each + (rank < more)};
}

// Whether the splits divide `count` values among all ranks.
Status CheckSplits(std::span<const int64_t> splits, int64_t count, int32_t rank, int32_t world) {
  bool fits = splits.size() == size_t(world);
  int64_t left = count;
  for (const int64_t split : splits) {
    fits = fits && split >= 0 && split <= left;
    if (fits) left -= split;
  }
  if (fits && left == 0) return Status::OK();
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("rank {}: {} splits do not divide {} values among {} ranks",
                                   rank, splits.size(), count, world)});
}

void AppendNumber(int64_t number, std::string& text) {
  text.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// What the ranks sent at the beginning of an exchange: how many bytes each has for every rank, as
// numbers, followed by the bytes themselves, if they are few.
struct Told {
  static constexpr int64_t kMostBytes = int64_t{1} << 50;
  std::vector<std::string> messages;

  // Whether all messages have this form: a rank with another request gathers other messages.
  Status Check() const {
    const size_t numbers = messages.size() * sizeof(int64_t);
    for (int32_t from = 0; from < int32_t(messages.size()); ++from) {
      bool fits = messages[size_t(from)].size() >= numbers;
      for (int32_t to = 0; fits && to < int32_t(messages.size()); ++to) {
        fits = For(from, to) >= 0 && For(from, to) <= kMostBytes;
      }
      const size_t behind = fits && CameAlong(from) ? size_t(Of(from)) : 0;
      if (fits && messages[size_t(from)].size() == numbers + behind) continue;
      return Fail(
          {.exit = Exit::kBug,
           .what = fmt::format("rank {} does not exchange values while the others do", from),
           .fix = "make the same calls in the same order on every rank"});
    }
    return Status::OK();
  }
  int64_t For(int32_t from, int32_t to) const {
    int64_t bytes = 0;
    std::memcpy(&bytes, messages[size_t(from)].data() + size_t(to) * sizeof(bytes), sizeof(bytes));
    return bytes;
  }
  // Returns where the part for `to` begins in what `from` has; for all ranks: how much it has.
  int64_t Before(int32_t from, int32_t to) const {
    int64_t bytes = 0;
    for (int32_t r = 0; r < to; ++r) bytes += For(from, r);
    return bytes;
  }
  int64_t Of(int32_t from) const { return Before(from, int32_t(messages.size())); }
  bool CameAlong(int32_t from) const { return Of(from) <= int64_t(kFewBytes); }
  // Returns the most that any rank has which was not sent along; 0 if everything was.
  int64_t LargestBehind() const {
    int64_t largest = 0;
    for (int32_t r = 0; r < int32_t(messages.size()); ++r) {
      if (!CameAlong(r)) largest = std::max(largest, Of(r));
    }
    return largest;
  }
};

}  // namespace

float ToFloat(Float16 value) { return Widen(value); }
float ToFloat(Bfloat16 value) { return Widen(value); }
Float16 ToFloat16(float value) { return NarrowToFloat16(value); }
Bfloat16 ToBfloat16(float value) { return NarrowToBfloat16(value); }

// What is reused between calls.
struct Ranks::Room {
  explicit Room(Communicator& to) : communicator(to) {}

  // Makes a window of at least `bytes`, the same number on each rank, unless there is one. Nobody
  // reads it any more.
  Status Open(int64_t bytes) {
    if (window && bytes <= window_bytes) return Status::OK();
    window.reset();
    window_bytes = int64_t(std::bit_ceil(uint64_t(std::max<int64_t>(bytes, 1 << 16))));
    PT_LET(window, communicator.MakeWindow(window_bytes));
    return Status::OK();
  }

  // Reduces several tensors of one type, next to each other, as one.
  Status ReduceFused(std::span<const Tensor> run, Op op) {
    const Element type = run[0].element;
    const int64_t width = ElementBytes(type);
    int64_t count = 0;
    for (const Tensor& each : run) count += each.count;
    fused.resize(size_t(count * width));
    std::byte* at = fused.data();
    for (const Tensor& each : run) {
      CopyBytes(at, each.data, each.count * width);
      at += each.count * width;
    }
    PT_TRY(communicator.AllReduce({fused.data(), count, type}, op));
    at = fused.data();
    for (const Tensor& each : run) {
      CopyBytes(each.data, at, each.count * width);
      at += each.count * width;
    }
    return Status::OK();
  }

  // Combines the slice of every rank's values, in rank order.
  Result<std::string> CombineSlices(Element type, Op op, Slice slice) {
    const int64_t width = ElementBytes(type);
    std::string sum(size_t(slice.count * width), '\0'), next = sum;
    for (int32_t r = 0; r < communicator.world(); ++r) {
      std::string& into = r == 0 ? sum : next;
      PT_TRY(window->Read(r, slice.begin * width, std::as_writable_bytes(std::span(into))));
      auto* const out = reinterpret_cast<std::byte*>(sum.data());
      const auto* const in = reinterpret_cast<const std::byte*>(next.data());
      if (r > 0) Combine(type, op, out, in, out, slice.count);
    }
    return sum;
  }

  // Returns what `from` has for `to`.
  Result<std::string> Take(const Told& told, int32_t from, int32_t to) {
    const int64_t begin = told.Before(from, to), bytes = told.For(from, to);
    if (told.CameAlong(from)) {
      const size_t numbers = told.messages.size() * sizeof(int64_t);
      return told.messages[size_t(from)].substr(numbers + size_t(begin), size_t(bytes));
    }
    std::string part(size_t(bytes), '\0');
    PT_TRY(window->Read(from, begin, std::as_writable_bytes(std::span(part))));
    return part;
  }

  Communicator& communicator;
  std::unique_ptr<Window> window;
  int64_t window_bytes = 0;
  std::vector<std::byte> fused;
};

Ranks::Ranks(Communicator& communicator) : room_(std::make_unique<Room>(communicator)) {}
Ranks::Ranks(Ranks&&) noexcept = default;
Ranks::~Ranks() = default;

int32_t Ranks::rank() const { return room_->communicator.rank(); }
int32_t Ranks::world() const { return room_->communicator.world(); }

Status Ranks::Barrier(std::string_view name) { return room_->communicator.Barrier(name); }

Status Ranks::AllReduce(Tensor values, Op op) {
  const Element type = values.element;
  PT_TRY(CheckOp(type, op));
  PT_TRY(room_->communicator.AllReduce({values.data, values.count, type}, CombinedBy(op)));
  if (op == Op::kMean) DivideBy(world(), type, static_cast<std::byte*>(values.data), values.count);
  return Status::OK();
}

Status Ranks::AllReduce(std::span<const Tensor> group, Op op) {
  for (const Tensor& each : group) PT_TRY(CheckOp(each.element, op));
  for (size_t begin = 0; begin < group.size();) {
    size_t end = begin;
    int64_t bytes = 0;
    while (end < group.size() && group[end].element == group[begin].element) {
      bytes += group[end].count * ElementBytes(group[end].element);
      if (end > begin && bytes > kFusedBytes) break;
      ++end;
    }
    const auto run = group.subspan(begin, end - begin);
    if (run.size() == 1) {
      PT_TRY(AllReduce(run[0], op));
    } else {
      PT_TRY(room_->ReduceFused(run, CombinedBy(op)));
      for (const Tensor& each : run) {
        if (op != Op::kMean) break;
        DivideBy(world(), each.element, static_cast<std::byte*>(each.data), each.count);
      }
    }
    begin = end;
  }
  return Status::OK();
}

Result<std::string> Ranks::ReduceScatterBytes(const Tensor& values, Op op) {
  const Element type = values.element;
  PT_TRY(CheckOp(type, op));
  Communicator& communicator = room_->communicator;
  const int64_t width = ElementBytes(type), bytes = values.count * width;
  const Slice slice = SliceOf(values.count, rank(), world());
  std::string out;
  if (world() == 1 || bytes <= int64_t(kFewBytes)) {
    std::string all(static_cast<const char*>(values.data), size_t(bytes));
    PT_TRY(communicator.AllReduce({all.data(), values.count, type}, CombinedBy(op)));
    out = all.substr(size_t(slice.begin * width), size_t(slice.count * width));
  } else {
    const Request request{.operation = Operation::kAllReduce,
                          .type = type,
                          .reduce = CombinedBy(op),
                          .length = values.count};
    const std::string name = "reduce-scatter: " + Describe(request);
    PT_TRY(communicator.Barrier(name));
    PT_TRY(room_->Open(bytes));
    CopyBytes(room_->window->own().data(), values.data, bytes);
    PT_TRY(communicator.Barrier(name));
    PT_LET(out, room_->CombineSlices(type, CombinedBy(op), slice));
    PT_TRY(communicator.Barrier(name));
  }
  if (op == Op::kMean) {
    DivideBy(world(), type, reinterpret_cast<std::byte*>(out.data()), slice.count);
  }
  return out;
}

Status Ranks::Broadcast(Tensor values, int32_t root) {
  const int64_t bytes = values.count * ElementBytes(values.element);
  return room_->communicator.Broadcast({static_cast<std::byte*>(values.data), size_t(bytes)}, root);
}

Result<std::vector<std::string>> Ranks::AllGatherBytes(std::string_view own, size_t width) {
  PT_LET(auto parts, room_->communicator.AllGather(own));
  for (const std::string& part : parts) {
    if (part.size() % width == 0) continue;
    return FailTogether(Fail({.exit = Exit::kUsage,
                              .what = fmt::format("{} bytes were gathered where each value has "
                                                  "{}: the ranks gather different types",
                                                  part.size(), width)}),
                        room_->communicator);
  }
  return parts;
}

Result<std::vector<std::string>> Ranks::GatherBytes(std::string_view own, int32_t root) {
  if (root < 0 || root >= world()) return NoSuchRoot(root, world());
  std::vector<int64_t> splits(size_t(world()), 0);
  splits[size_t(root)] = int64_t(own.size());
  PT_LET(auto parts, ExchangeBytes(own, splits, 1));
  if (rank() != root) parts.clear();
  return parts;
}

Result<std::vector<std::string>> Ranks::ExchangeBytes(std::string_view own,
                                                      std::span<const int64_t> splits,
                                                      size_t width) {
  Communicator& communicator = room_->communicator;
  PT_TRY(FailTogether(CheckSplits(splits, int64_t(own.size() / width), rank(), world()),
                      communicator));
  std::string message;
  for (const int64_t split : splits) AppendNumber(split * int64_t(width), message);
  if (own.size() <= kFewBytes) message += own;
  Told told;
  PT_LET(told.messages, communicator.AllGather(message));
  PT_TRY(FailTogether(told.Check(), communicator));
  const int64_t largest = told.LargestBehind();
  if (largest > 0) {
    PT_TRY(room_->Open(largest));
    if (own.size() > kFewBytes) {
      CopyBytes(room_->window->own().data(), own.data(), int64_t(own.size()));
    }
    PT_TRY(communicator.Barrier("exchange filled"));
  }
  std::vector<std::string> parts;
  for (int32_t from = 0; from < world(); ++from) {
    PT_LET(parts.emplace_back(), room_->Take(told, from, rank()));
  }
  if (largest > 0) PT_TRY(communicator.Barrier("exchange read"));
  return parts;
}

Result<std::vector<Json>> Ranks::AllGather(const Json& own) {
  PT_LET(const auto told, room_->communicator.AllGather(Dump(own)));
  std::vector<Json> all;
  for (const std::string& each : told) {
    PT_LET(all.emplace_back(), ParseJson(each));
  }
  return all;
}

Result<Json> Ranks::Broadcast(const Json& own, int32_t root) {
  if (root < 0 || root >= world()) return NoSuchRoot(root, world());
  PT_LET(const auto told, room_->communicator.AllGather(rank() == root ? Dump(own) : ""));
  return ParseJson(told[size_t(root)]);
}

}  // namespace protium
