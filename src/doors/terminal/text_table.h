// SPDX-License-Identifier: Apache-2.0
// Columns and lines of text that fit the terminal's or a page's width.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace protium {

inline constexpr int32_t kGap = 2;  // Blanks between two columns.

// Formats columns of text, two spaces apart, with the first row as the heading; columns marked in
// `right` are right-aligned, as numbers are.
std::string TextTable(const std::vector<std::vector<std::string>>& rows,
                      const std::vector<bool>& right = {});

// TextTable() for stdout: on a terminal that is too narrow, the widest columns are cut.
std::string FittedTable(std::vector<std::vector<std::string>> rows,
                        const std::vector<bool>& right = {});

// Lines for stdout: on a terminal that is too narrow, they are broken between words and continue
// with an indent of two spaces.
std::string FittedLines(const std::string& text);

// A text table whose last column is wrapped to a page of 100 columns.
std::string WrappedTable(const std::vector<std::vector<std::string>>& rows);

// Breaks a text into lines of at most `width` bytes; a longer word gets a line of its own.
std::vector<std::string> Wrapped(const std::string& text, size_t width);

}  // namespace protium
