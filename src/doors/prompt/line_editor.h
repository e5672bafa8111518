// SPDX-License-Identifier: Apache-2.0
// A line typed on a terminal, with the keys known from shells: arrows, Home and End, Ctrl-A E B F K
// U W L, words by Alt or Ctrl, history by the arrows, completion by Tab.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"

namespace protium {

// How a line ended: with Enter; with Ctrl-C, which drops it; or with Ctrl-D on an empty line, a
// terminal that is gone, or SIGTERM.
enum class LineEnd { kEnter, kCancelled, kEnd };

// One thread. Assumes that characters are one column wide. Between two calls the terminal is back
// in its normal mode, so that Ctrl-C is a signal while a query runs; what was typed ahead is not
// lost.
class LineEditor {
 public:
  // Returns all possible completions of the last word of `before`, the line up to the cursor.
  using Complete = std::function<std::vector<std::string>(const std::string& before)>;

  LineEditor(int in, int out, Complete complete)
      : in_(in), out_(out), complete_(std::move(complete)) {}

  // Earlier lines, oldest first. The owner adds to them.
  std::vector<std::string>& history() { return history_; }

  Result<LineEnd> Read(const std::string& prompt, std::string& line);

 private:
  Result<int> NextByte();  // -1 at the end.
  Result<std::string> NextKey();
  void Move(const std::string& key);
  void Edit(const std::string& key);
  void Insert(const std::string& bytes);
  void Recall(int step);
  void CompleteWord();
  void ListWords(const std::vector<std::string>& words);
  void Draw();
  void Print(const std::string& text) const;

  const int in_;
  const int out_;
  const Complete complete_;
  std::vector<std::string> history_;
  std::string pending_;  // Bytes that were read but not used yet.
  int wake_ = -1;        // Readable when the line should end.
  std::string prompt_;
  std::string line_;
  size_t at_ = 0;         // The cursor, in bytes of line_.
  size_t recalled_ = 0;   // The line of history_ that is shown; its size: the new line.
  std::string new_line_;  // What was typed before going back in history_.
};

}  // namespace protium
