// SPDX-License-Identifier: Apache-2.0
#include "sql/doubled_quotes.h"

#include <algorithm>
#include <cctype>

#include "sql/dialect.h"

namespace protium {
namespace {

class Respelling {
 public:
  explicit Respelling(std::string_view sql) : sql_(sql) {}

  std::string Run() {
    while (at_ < sql_.size()) Token();
    return std::move(out_);
  }

 private:
  bool Starts(std::string_view token) const { return sql_.substr(at_).starts_with(token); }

  void CopyTo(size_t end) {
    end = std::min(end, sql_.size());
    out_ += sql_.substr(at_, end - at_);
    at_ = end;
  }

  void CopyThrough(std::string_view token, size_t from) {
    const size_t found = sql_.find(token, from);
    CopyTo(found == std::string_view::npos ? sql_.size() : found + token.size());
  }

  // r'...' has no escapes; an r that ends a word begins no text.
  bool StartsRaw() const {
    if (!Starts("r'") && !Starts("R'") && !Starts("r\"") && !Starts("R\"")) return false;
    const char before = at_ == 0 ? ' ' : sql_[at_ - 1];
    return std::isalnum(static_cast<unsigned char>(before)) == 0 && before != '_';
  }

  void Token() {
    if (Starts("--")) return CopyThrough("\n", at_);
    if (Starts("/*")) return CopyThrough("*/", at_ + 2);
    if (StartsRaw()) return CopyThrough(sql_.substr(at_ + 1, 1), at_ + 2);
    if (Starts("`")) return CopyThrough("`", at_ + 1);
    if (Starts("'") || Starts("\"")) return Quoted(sql_[at_]);
    CopyTo(at_ + 1);
  }

  void Quoted(char quote) {
    std::string inside;
    bool doubled = false;
    size_t end = at_ + 1;
    for (; end < sql_.size(); ++end) {
      const bool pair = end + 1 < sql_.size();
      if (sql_[end] == '\\' && pair) {
        inside += sql_[end++];
      } else if (sql_[end] == quote && !(pair && sql_[end + 1] == quote)) {
        break;
      } else if (sql_[end] == quote) {
        doubled = true;
        ++end;
        if (quote == '\'') inside += '\\';
      }
      inside += sql_[end];
    }
    if (end >= sql_.size() || !doubled) return CopyTo(end + 1);
    out_ += quote == '\'' ? "'" + inside + "'" : QuoteName(inside, SparkDialect());
    at_ = end + 1;
  }

  const std::string_view sql_;
  std::string out_;
  size_t at_ = 0;
};

}  // namespace

std::string WithoutDoubledQuotes(std::string_view sql) { return Respelling(sql).Run(); }

}  // namespace protium
