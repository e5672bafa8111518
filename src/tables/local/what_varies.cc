// SPDX-License-Identifier: Apache-2.0
#include "local/what_varies.h"

#include <algorithm>

#include "sql_words/functions/table.h"

namespace protium {
namespace {

constexpr std::string_view kOverWindow = " over a window";

bool IsOfWindowTies(const std::string& note) {
  return note.find(kOverWindow) != std::string::npos &&
         (note.ends_with(functions::kTies) || note.ends_with(functions::kAnyRow));
}

// Variances and the like are of doubles, whatever they are given.
bool IsOfTypedSum(const std::string& note) {
  if (!note.ends_with(functions::kFloatSum)) return false;
  std::string name = note.substr(0, note.find(':'));
  if (name.ends_with(kOverWindow)) name.resize(name.size() - kOverWindow.size());
  constexpr std::string_view kTyped[] = {"avg", "mean", "sum", "try_avg", "try_sum"};
  return std::ranges::find(kTyped, name) != std::end(kTyped);
}

// Other libraries or engines would compute something else; ours are part of the cause.
bool IsOfEngines(const std::string& note) {
  return note.ends_with(functions::kLastBit) || note.ends_with(functions::kZones) ||
         note.ends_with(functions::kFewRows);
}

}  // namespace

std::vector<std::string> WhatVaries(std::vector<std::string>& not_exact,
                                    const TypedStatement& typed) {
  if (typed.doubles.empty()) std::erase_if(not_exact, IsOfTypedSum);
  std::vector<std::string> varies = typed.doubles;
  for (const std::string& note : not_exact) {
    if (IsOfEngines(note) || IsOfTypedSum(note)) continue;
    if (IsOfWindowTies(note) && !typed.ties) continue;
    varies.push_back(note);
  }
  return varies;
}

}  // namespace protium
