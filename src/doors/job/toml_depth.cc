// SPDX-License-Identifier: Apache-2.0
#include "job/toml_depth.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace protium {

namespace {

class DepthScan {
 public:
  DepthScan(std::string_view text, int most) : text_(text), most_(most) {}

  std::optional<size_t> Run() {
    while (at_ < text_.size()) {
      const size_t begin = at_;
      Next();
      if (levels_ + key_ + parts_ > most_) return begin;
    }
    return std::nullopt;
  }

 private:
  // Passes one token and counts it.
  void Next() {
    switch (const char c = text_[at_]) {
      case '#':
        at_ = std::min(text_.find('\n', at_), text_.size());
        return;
      case '"':
      case '\'':
        PassString(c);
        return Part();
      case '.':
        joined_ = true;
        break;
      case '=':
        key_ = std::exchange(parts_, 0);
        in_value_ = true;
        break;
      case '[':
      case '{':
        Open();
        break;
      case ']':
      case '}':
        Close();
        break;
      case ',':
        key_ = parts_ = 0;
        break;
      case '\n':
        EndLine();
        break;
      case ' ':
      case '\t':
      case '\r':
        break;
      default:
        at_ = std::min(text_.find_first_of(" \t\r\n.,=[]{}#\"'", at_), text_.size());
        return Part();
    }
    ++at_;
  }

  // Reads a word or a text: after a dot, a further part of the same key; after "=", the key's
  // value.
  void Part() {
    const bool joined = std::exchange(joined_, false);
    if (key_ == 0) parts_ = joined ? parts_ + 1 : 1;
  }

  // A bracket holds the value of a key, or is an item of a list. Those around the name of a table
  // hold nothing.
  void Open() {
    open_.push_back(in_value_ ? std::max(std::exchange(key_, 0), 1) : 0);
    levels_ += open_.back();
    parts_ = 0;
  }

  void Close() {
    key_ = parts_ = 0;
    if (open_.empty()) return;
    levels_ -= open_.back();
    open_.pop_back();
  }

  // Lists may continue on further lines, names of tables may not.
  void EndLine() {
    key_ = parts_ = 0;
    joined_ = false;
    if (in_value_ && !open_.empty()) return;
    in_value_ = false;
    open_.clear();
    levels_ = 0;
  }

  void PassString(char quote) {
    const std::string_view rest = text_.substr(at_);
    const bool long_string = rest.size() > 2 && rest[1] == quote && rest[2] == quote;
    at_ += long_string ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n' && !long_string) return;  // It is not closed; the TOML parser reports that.
      const bool closes = !long_string || text_.substr(at_).starts_with(std::string(3, quote));
      if (c == quote && closes) break;
      at_ += c == '\\' && quote == '"' ? 2 : 1;
    }
    at_ += long_string ? 3 : 1;
    // Up to two quotes before the three belong to the text, and are skipped after them as well.
    while (long_string && at_ < text_.size() && text_[at_] == quote) ++at_;
  }

  const std::string_view text_;
  const int most_;
  size_t at_ = 0;
  std::vector<int> open_;  // The levels that each open bracket adds.
  int levels_ = 0;         // Their sum.
  int key_ = 0;            // Parts of the key before the last "=".
  int parts_ = 0;          // Parts of the key, or of the item of a list, that is being read.
  bool joined_ = false;    // By a dot.
  bool in_value_ = false;
};

}  // namespace

std::optional<size_t> FindTooDeep(std::string_view text, int most) {
  return DepthScan(text, most).Run();
}

}  // namespace protium
