// SPDX-License-Identifier: Apache-2.0
// Splits text that people type or pipe in into SQL statements.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

struct Statement {
  std::string text;  // Without the semicolon at its end.
  size_t line = 1;   // Of its first word in the original text, from 1.
};

// Removes the statements that end with a semicolon from `text`, which retains the rest. Semicolons
// in texts, names and comments end nothing. Statements without a word are dropped.
std::vector<Statement> TakeStatements(std::string& text);

// CREATE [OR REPLACE] [TEMPORARY] VIEW name AS query.
struct ViewStatement {
  std::string name, query;
  bool replaces = false;
};

// Returns the view that a statement defines; none for other statements.
std::optional<ViewStatement> ReadView(const std::string& statement);

// Whether the text has more than blanks and comments.
bool HasWords(std::string_view text);

// Whether a text, a name or a comment is open at the end, so that a further line may close it.
bool IsOpen(std::string_view text);

}  // namespace protium
