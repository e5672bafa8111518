// SPDX-License-Identifier: Apache-2.0
#include "transit/index.h"

#include <filesystem>

#include "base/fault.h"
#include "base/json.h"
#include "protium/fields.h"

namespace protium {
namespace {

bool StaysInside(const std::string& path) {
  const std::filesystem::path given(path);
  return !path.empty() && given.is_relative() && given == given.lexically_normal() &&
         *given.begin() != ".." && path.back() != '/' && path.find('\0') == path.npos;
}

Status Wrong(const std::string& why) {
  return Fail({.exit = Exit::kRemote, .what = "an index of files in transit is damaged: " + why});
}

}  // namespace

int64_t TransitFile::bytes() const {
  int64_t all = 0;
  for (const TransitPiece& each : pieces) all += each.bytes;
  return all;
}

std::string IndexText(const TransitIndex& index) { return Dump(FieldsToJson(index)) + "\n"; }

Result<TransitIndex> ReadIndex(std::string_view text) {
  auto json = ParseJson(text);
  if (!json.ok()) return Wrong(json.status().message());
  TransitIndex index;
  const Status read = FieldsFromJson(*json, "index", index);
  if (!read.ok()) return Wrong(FaultOf(read).what);
  for (const TransitFile& each : index.files) {
    if (!StaysInside(each.path)) return Wrong("the path \"" + each.path + "\"");
    for (const TransitPiece& piece : each.pieces) {
      constexpr int64_t kMost = int64_t{1} << 50;
      if (!StaysInside(piece.object) || piece.bytes < 0 || piece.bytes > kMost) {
        return Wrong("a piece of " + each.path);
      }
    }
  }
  return index;
}

}  // namespace protium
