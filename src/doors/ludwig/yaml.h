// SPDX-License-Identifier: Apache-2.0
// A YAML file as a tree that records line numbers and which entries have been read. A reader of a
// configuration takes the entries that it understands; Untaken() returns the rest, so that nothing
// is dropped silently.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace protium {

class Yaml {
 public:
  enum class Kind { kNull, kText, kList, kMap };

  // Reads one document of at most 1 MiB and 50 levels; an empty file is a null. Text that is not
  // YAML, aliases, duplicate keys in a map and keys that are not text are faults of Exit::kInput
  // with their line in `file`.
  static Result<Yaml> Parse(std::string_view text, const std::string& file);

  // For the parser and for tests.
  struct Parts {
    Kind kind = Kind::kNull;
    int64_t line = 0;
    std::string text;
    std::vector<Yaml> items;
    std::vector<std::pair<std::string, Yaml>> entries;
  };
  explicit Yaml(Parts parts);

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::kNull; }
  int64_t line() const { return line_; }  // From 1.
  // The text of a scalar, as written; "" for other nodes.
  const std::string& text() const { return text_; }
  std::vector<Yaml>& items() { return items_; }
  std::vector<std::pair<std::string, Yaml>>& entries() { return entries_; }

  // Returns an entry of a map and marks it as taken; valid as long as the map; nullptr if the entry
  // is missing or null.
  Yaml* Take(std::string_view key);
  // The same as a value; an entry of another kind remains for Untaken() to report.
  std::optional<std::string> TakeText(std::string_view key);
  std::optional<std::string> TakeWord(std::string_view key);  // A text, or "null" for null.
  std::optional<double> TakeNumber(std::string_view key);
  std::optional<bool> TakeTruth(std::string_view key);
  // Takes everything below it too.
  void TakeAll();

  struct Left {
    int64_t line = 0;
    std::string text;  // "trainer.steps_per_checkpoint: 100"
  };
  // Returns the outermost entries that nobody has taken, in the order of the file. Nulls do not
  // count.
  std::vector<Left> Untaken() const;

 private:
  void AddUntaken(const std::string& path, std::vector<Left>& left) const;
  std::string Shown() const;

  Kind kind_ = Kind::kNull;
  int64_t line_ = 0;
  bool taken_ = false;
  std::string text_;
  std::vector<Yaml> items_;
  std::vector<std::pair<std::string, Yaml>> entries_;
};

}  // namespace protium
