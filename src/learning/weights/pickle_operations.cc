// SPDX-License-Identifier: Apache-2.0
#include "weights/pickle_operations.h"

#include <algorithm>
#include <array>

namespace protium {
namespace {

struct Named {
  uint8_t operation;
  std::string_view name;
};
constexpr std::array<Named, 32> kNames = {{
    {'I', "INT"},
    {'L', "LONG"},
    {'F', "FLOAT"},
    {'S', "STRING"},
    {'T', "BINSTRING"},
    {'U', "SHORT_BINSTRING"},
    {'V', "UNICODE"},
    {'P', "PERSID"},
    {'p', "PUT"},
    {'g', "GET"},
    {'d', "DICT"},
    {'l', "LIST"},
    {'i', "INST"},
    {'o', "OBJ"},
    {'0', "POP"},
    {'1', "POP_MARK"},
    {'2', "DUP"},
    {'B', "BINBYTES"},
    {'C', "SHORT_BINBYTES"},
    {0x81, "NEWOBJ"},
    {0x82, "EXT1"},
    {0x83, "EXT2"},
    {0x84, "EXT4"},
    {0x8b, "LONG4"},
    {0x8e, "BINBYTES8"},
    {0x8f, "EMPTY_SET"},
    {0x90, "ADDITEMS"},
    {0x91, "FROZENSET"},
    {0x92, "NEWOBJ_EX"},
    {0x96, "BYTEARRAY8"},
    {0x97, "NEXT_BUFFER"},
    {0x98, "READONLY_BUFFER"},
}};

}  // namespace

std::string_view NameOfOperation(uint8_t operation) {
  const auto* const found = std::ranges::find(kNames, operation, &Named::operation);
  return found == kNames.end() ? "of no name" : found->name;
}

}  // namespace protium
