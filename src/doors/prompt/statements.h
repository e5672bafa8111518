// SPDX-License-Identifier: Apache-2.0
// Text that people type or pipe in, as statements of SQL.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace protium {

struct Statement {
  std::string text;  // Without the semicolon that ended it.
  size_t line = 1;   // Where its first word stands in what was taken from, from 1 on.
};

// Takes the statements that a semicolon ends out of `text`, which keeps what comes after the last
// of them. Semicolons in texts, names and comments end nothing. Statements without a word are
// dropped.
std::vector<Statement> TakeStatements(std::string& text);

// CREATE [OR REPLACE] [TEMPORARY] VIEW name AS query.
struct ViewStatement {
  std::string name, query;
  bool replaces = false;
};

// The view that a statement defines; none for other statements.
std::optional<ViewStatement> ReadView(const std::string& statement);

// Whether there is more than blanks and comments.
bool HasWords(std::string_view text);

// Whether a text, a name or a comment is open at the end, which a next line may close.
bool IsOpen(std::string_view text);

}  // namespace protium
