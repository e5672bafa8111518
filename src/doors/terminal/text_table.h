// SPDX-License-Identifier: Apache-2.0
// Columns and lines of text, as wide as the terminal or a page is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace protium {

inline constexpr int32_t kGap = 2;  // Blanks between two columns.

// Columns of text, two spaces apart, the first row being the heading; columns marked in `right` are
// aligned to the right, as numbers are.
std::string TextTable(const std::vector<std::vector<std::string>>& rows,
                      const std::vector<bool>& right = {});

// TextTable() for stdout: on a terminal that is too narrow for it, the widest columns are cut.
std::string FittedTable(std::vector<std::vector<std::string>> rows,
                        const std::vector<bool>& right = {});

// Lines for stdout: on a terminal that is too narrow for one, it is broken between words and goes
// on two blanks further in.
std::string FittedLines(const std::string& text);

// A text table whose last column is wrapped to a page of 100 columns.
std::string WrappedTable(const std::vector<std::vector<std::string>>& rows);

// Breaks a text into lines of at most `width` bytes; a longer word gets a line of its own.
std::vector<std::string> Wrapped(const std::string& text, size_t width);

}  // namespace protium
