// SPDX-License-Identifier: Apache-2.0
// The row functions by theme, one list from each *_functions.cc. Their names begin with pt_; SQL's
// own names are macros over them (sql/duckdb/macros.h).
#pragma once

#include <span>

#include "functions/any_values.h"
#include "functions/row_function.h"

namespace protium {

std::span<const RowFunction> BytesFunctions();
std::span<const RowFunction> CastFunctions();
std::span<const RowFunction> DigestFunctions();
std::span<const RowFunction> IntervalFunctions();
std::span<const RowFunction> JsonFunctions();
std::span<const RowFunction> LetterFunctions();
std::span<const RowFunction> ListFunctions();
std::span<const RowFunction> NumberFunctions();
std::span<const RowFunction> NumberPatternFunctions();
std::span<const RowFunction> RegexFunctions();
std::span<const RowFunction> TextFunctions();
std::span<const RowFunction> TimeFunctions();
std::span<const RowFunction> TimeNumberFunctions();
std::span<const RowFunction> TimeUnitFunctions();
std::span<const RowFunction> UrlFunctions();

// Functions of any number of arguments.
std::span<const AnyFunction> FormatFunctions();
std::span<const AnyFunction> HashFunctions();
std::span<const AnyFunction> JsonReaders();
std::span<const AnyFunction> JsonWriters();

}  // namespace protium
