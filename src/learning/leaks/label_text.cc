// SPDX-License-Identifier: Apache-2.0
#include "leaks/label_text.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace protium {
namespace {

constexpr int64_t kFirstTexts = 500;  // That show whether all of them are worth reading.
constexpr int64_t kMostTexts = 20'000;
constexpr int64_t kFewestTexts = 50;
constexpr int64_t kPerException = 50;
constexpr size_t kMostLabels = 1000;
constexpr size_t kLongestText = 4096;  // Of a text, what is read.

bool IsOfWord(char c) { return IsLetter(c) || IsDigit(c) || (c & 0x80) != 0; }

}  // namespace

bool HoldsWord(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) { return ToLower(a) == ToLower(b); };
  auto from = text.begin();
  while (!word.empty()) {
    const auto at = std::search(from, text.end(), word.begin(), word.end(), same);
    if (at == text.end()) return false;
    const auto behind = at + int64_t(word.size());
    const bool begins = at == text.begin() || !IsOfWord(*(at - 1)) || !IsOfWord(word.front());
    const bool ends = behind == text.end() || !IsOfWord(*behind) || !IsOfWord(word.back());
    if (begins && ends) return true;
    from = at + 1;
  }
  return false;
}

bool HoldsNumber(std::string_view text, double number) {
  size_t at = 0;
  while (at < text.size()) {
    if (!IsDigit(text[at])) {
      ++at;
      continue;
    }
    std::string digits;
    if (at > 0 && text[at - 1] == '-') digits = "-";
    for (; at < text.size(); ++at) {
      const bool within = at + 1 < text.size() && IsDigit(text[at + 1]);
      if (text[at] == ',' && within) continue;
      if (!IsDigit(text[at]) && !(text[at] == '.' && within)) break;
      digits += text[at];
    }
    const auto read = AllAsNumber<double>(digits);
    const double scale = std::max(std::abs(number), 1e-6);
    if (read && std::abs(std::abs(*read) - std::abs(number)) <= 1e-6 * scale) return true;
  }
  return false;
}

void LabelInText::Read(std::string_view text, const std::string& label,
                       std::optional<double> amount) {
  const bool rare = rows_ >= kFirstTexts && own_ * 2 < rows_;
  if (rare || rows_ >= kMostTexts || text.empty()) return;
  text = text.substr(0, kLongestText);
  const auto holds = [&](const std::string& word, std::optional<double> number) {
    return number ? HoldsNumber(text, *number) : HoldsWord(text, word);
  };
  if (rows_ > 0 && (label != last_ || amount != last_amount_)) {
    other_ = last_;
    other_amount_ = last_amount_;
    any_other_ = true;
  }
  ++rows_;
  const bool own = holds(label, amount);
  own_ += own ? 1 : 0;
  const std::string key = amount ? std::to_string(*amount) : label;
  if (labels_.size() < kMostLabels || labels_.contains(key)) {
    ++labels_[key].rows;
    labels_[key].own += own ? 1 : 0;
  }
  asked_ += any_other_ ? 1 : 0;
  others_ += any_other_ && holds(other_, other_amount_) ? 1 : 0;
  last_ = label;
  last_amount_ = amount;
}

bool LabelInText::telling() const {
  if (rows_ < kFewestTexts || asked_ < kFewestTexts / 2) return false;
  Count most;
  for (const auto& [label, count] : labels_) {
    if (count.rows > most.rows) most = count;
  }
  const int64_t rest = rows_ - most.rows, without_in_rest = rest - (own_ - most.own);
  return rest >= kFewestTexts / 2 && without_in_rest * kPerException <= rest &&
         without() * kPerException <= rows_ && others_ * kPerException <= asked_;
}

}  // namespace protium
