// SPDX-License-Identifier: Apache-2.0
#include "collective/request.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"
#include "base/fault.h"
#include "base/text.h"
#include "collective/subtrees.h"

namespace protium {
namespace {

const char* ElementTypeName(Element type) {
  // In the order of Element.
  constexpr const char* kNames[] = {"float32", "float64", "int64",   "uint64",
                                    "int32",   "uint8",   "float16", "bfloat16"};
  return size_t(type) < std::size(kNames) ? kNames[size_t(type)] : "unknown";
}

const char* ReduceName(Op reduce) {
  // In the order of Op.
  constexpr const char* kNames[] = {"sum", "min", "max", "product", "mean"};
  return size_t(reduce) < std::size(kNames) ? kNames[size_t(reduce)] : "unknown";
}

// Messages and windows may have a different length on each rank; the request tells the others.
bool LengthMayDiffer(Operation operation) {
  return operation == Operation::kAllGather || operation == Operation::kWindow;
}

std::string_view RequestName(const Request& request) {
  const auto& name = request.name;
  return {name.data(), size_t(std::find(name.begin(), name.end(), '\0') - name.begin())};
}

}  // namespace

void Request::SetName(std::string_view text) {
  // All of it: Agree() compares all bytes.
  name.fill('\0');
  std::copy_n(text.begin(), std::min(text.size(), name.size()), name.begin());
}

bool Agree(const Request& a, const Request& b) {
  return a.operation == b.operation && a.type == b.type && a.reduce == b.reduce &&
         a.root == b.root && a.name == b.name &&
         (a.length == b.length || LengthMayDiffer(a.operation));
}

std::string Describe(const Request& request) {
  const std::string length = std::to_string(request.length);
  const std::string name(RequestName(request));
  switch (request.operation) {
    case Operation::kInner:
      return "an operation under way";
    case Operation::kAllReduce:
      return std::string("all-reduce (") + ReduceName(request.reduce) + ") of " + length + " " +
             ElementTypeName(request.type) + " elements";
    case Operation::kBroadcast:
      return "broadcast of " + length + " bytes from rank " + std::to_string(request.root);
    case Operation::kAllGather:
      return "all-gather";
    case Operation::kBarrier:
      return "barrier \"" + name + "\"";
    case Operation::kWindow:
      return "a new window";
    case Operation::kTree:
      return "a new tree of " + name;
    case Operation::kTreeReduce:
      return "tree reduction of " + length + " float32 elements";
  }
  return "an unknown operation";
}

int64_t ElementBytes(Element type) {
  switch (type) {
    case Element::kUint8:
      return 1;
    case Element::kFloat16:
    case Element::kBfloat16:
      return 2;
    case Element::kFloat32:
    case Element::kInt32:
      return 4;
    default:
      return 8;
  }
}

Request TreeRequest(const TreeSpec& spec) {
  const std::string text = TreeSpecText(spec);
  Request request{.operation = Operation::kTree, .length = spec.count};
  // 94 characters at most, so that SetName() does not cut the hash.
  request.SetName(text.substr(0, 80) + " #" + Sha256Hex(text).substr(0, 12));
  return request;
}

Status NoSuchRoot(int32_t root, int32_t world) {
  return Fail({.exit = Exit::kBug,
               .what = fmt::format("broadcast from rank {} in a world of {}", root, world)});
}

Status CheckWindowSizes(std::span<const int64_t> sizes) {
  for (size_t r = 0; r < sizes.size(); ++r) {
    if (sizes[r] >= 0) continue;
    return Fail({.exit = Exit::kBug,
                 .what = fmt::format("rank {} asks for a window of {} bytes", r, sizes[r])});
  }
  return Status::OK();
}

Status CheckWindowRead(const Window& window, int32_t world, int32_t rank, int64_t offset,
                       int64_t bytes) {
  const bool known = rank >= 0 && rank < world;
  const int64_t size = known ? window.size(rank) : 0;
  // Without an addition, which might overflow.
  if (known && offset >= 0 && offset <= size && bytes <= size - offset) return Status::OK();
  return Fail(
      {.exit = Exit::kBug,
       .what = fmt::format("a read of {} bytes at offset {} of the window of rank {}, which has {}",
                           bytes, offset, rank, size)});
}

Status CompareRequests(std::span<const Request> asked) {
  bool agreed = true;
  for (const Request& request : asked) agreed = agreed && Agree(asked.front(), request);
  if (agreed) return Status::OK();
  std::string what = "ranks disagree:";
  // Names all: it is unknown which of the programs is wrong.
  for (size_t r = 0; r < asked.size(); ++r) {
    what += fmt::format("{} rank {} asked for {}", r == 0 ? "" : ",", r, Describe(asked[r]));
  }
  return Fail({.what = what});
}

Status LateFault(std::span<const int32_t> late, const Request& request,
                 std::chrono::milliseconds deadline) {
  return Fail({.exit = Exit::kStalled,
               .what = fmt::format("rank{} {} did not join {} within {:g} s", PluralOf(late.size()),
                                   fmt::join(late, ", "), Describe(request),
                                   double(deadline.count()) / 1000)});
}

}  // namespace protium
