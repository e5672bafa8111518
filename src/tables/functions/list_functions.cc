// SPDX-License-Identifier: Apache-2.0
// Functions of lists and maps of any type.
#include "functions/row_function.h"
#include "functions/themes.h"

namespace protium {
namespace {

std::optional<int32_t> Size(Chunk&, Sized list) { return static_cast<int32_t>(list.size); }

constexpr RowFunction kFunctions[] = {AsRowFunction<&Size>("pt_size")};

}  // namespace

std::span<const RowFunction> ListFunctions() { return kFunctions; }

}  // namespace protium
