// SPDX-License-Identifier: Apache-2.0
// Tables as lines of typed text, so that answers of engines and answers in files compare.
#pragma once

#include <filesystem>
#include <string>

#include "engine/engine.h"

namespace protium {

// A header of `name:type` and one line a row. Whole numbers of any width are of one type, because
// engines choose widths differently; decimals are doubles, because tables do not carry them beyond
// a query. Doubles are written in the shortest text
// that reads back to the same bits. Sorts the rows unless `ordered`.
Result<std::string> TextOf(BatchStream& stream, bool ordered);

// The same text from answers/<case>.csv, or "!fails ..." where Spark failed.
Result<std::string> ReadAnswer(const std::filesystem::path& path, bool ordered);

}  // namespace protium
