// SPDX-License-Identifier: Apache-2.0
#include "duckdb/fault.h"

#include <string>

#include "base/fault.h"

namespace protium {
namespace {

// The text between `before` and `after`; empty if either is missing.
std::string_view Between(std::string_view text, std::string_view before, std::string_view after) {
  const size_t start = text.find(before);
  if (start == std::string_view::npos) return {};
  text.remove_prefix(start + before.size());
  const size_t end = text.find(after);
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

// The argument of the macro error() (sql/duckdb/macros/conditions.cc): the message of its cast
// repeats it behind a mark. Empty for all other messages.
std::string_view Raised(std::string_view message) {
  constexpr std::string_view kBefore = "Could not convert string '\x01", kAfter = "' to INT64";
  const size_t start = message.find(kBefore), end = message.rfind(kAfter);
  if (start == std::string_view::npos || end == std::string_view::npos) return {};
  return message.substr(start + kBefore.size(), end - start - kBefore.size());
}

// Drops the "Binder Error: " in front.
std::string_view WithoutKind(std::string_view message) {
  const size_t colon = message.find(": ");
  const size_t error = message.find("Error");
  if (colon != std::string_view::npos && error != std::string_view::npos && error < colon) {
    message.remove_prefix(colon + 2);
  }
  return message;
}

// The line of SQL with the caret below it, as DuckDB draws it.
std::string Place(std::string_view message) {
  const size_t start = message.find("\n\nLINE ");
  if (start == std::string_view::npos) return {};
  std::string_view place = message.substr(start + 2);
  while (!place.empty() && (place.back() == '\n' || place.back() == ' ')) place.remove_suffix(1);
  return "the SQL text\n" + std::string(place);
}

// DuckDB's own suggestions, in its two wordings.
std::string Candidates(std::string_view message) {
  for (const auto& [before, after] :
       {std::pair{"Candidate bindings: ", "\n"}, std::pair{"Did you mean \"", "\"?"}}) {
    const std::string_view names = Between(message, before, after);
    if (!names.empty()) {
      const bool quoted = names.front() == '"';
      return "did you mean " + std::string(quoted ? names : "\"" + std::string(names) + "\"") + "?";
    }
  }
  return {};
}

Exit ChooseExit(std::string_view message, duckdb_error_type type) {
  const auto is = [&](std::string_view kind) { return message.starts_with(kind); };
  if (is("Parser") || is("Binder") || is("Catalog") || type == DUCKDB_ERROR_PARSER ||
      type == DUCKDB_ERROR_BINDER || type == DUCKDB_ERROR_CATALOG) {
    return Exit::kUsage;
  }
  if (is("Out of Memory") || type == DUCKDB_ERROR_OUT_OF_MEMORY ||
      message.find("No space left") != std::string_view::npos) {
    return Exit::kNoRoom;
  }
  // Everything else is about values: casts, overflows, bad files.
  if (is("INTERNAL") || is("FATAL")) return Exit::kFailed;
  return Exit::kInput;
}

// A CSV error is several lines; the third says what is wrong:
// "CSV Error on Line: 7\nOriginal Line: ...\nwhat is wrong\n ... file = x.csv".
void TakeCsv(std::string_view message, Fault& fault) {
  const std::string_view line = Between(message, "CSV Error on Line: ", "\n");
  const size_t original = message.find("\nOriginal Line: ");
  if (line.empty() || original == std::string_view::npos) return;
  const std::string_view file = Between(message, "\n  file = ", "\n");
  const std::string_view rest = message.substr(original + 1);
  fault.what = "bad CSV: " + std::string(Between(rest, "\n", "\n"));
  fault.where = std::string(file) + ":" + std::string(line);
  fault.fix.clear();
}

std::string FirstLine(std::string_view message) {
  std::string line(message.substr(0, message.find('\n')));
  while (!line.empty() && (line.back() == '!' || line.back() == '.')) line.pop_back();
  // Our own functions are reported by the names that users know.
  constexpr std::string_view kOurs = "argument types 'pt_";
  if (const size_t ours = line.find(kOurs); ours != std::string::npos) {
    line.erase(ours + kOurs.size() - 3, 3);
  }
  // "Unimplemented type for cast (DATE -> BIGINT) when casting from source column a".
  const std::string_view types = Between(line, "nimplemented type for cast (", ")");
  if (const size_t arrow = types.find(" -> "); arrow != types.npos) {
    return "a value of type " + std::string(types.substr(0, arrow)) + " cannot be cast to " +
           std::string(types.substr(arrow + 4));
  }
  if (line.size() > 1 && line[0] >= 'A' && line[0] <= 'Z' && line[1] >= 'a') {
    line[0] = static_cast<char>(line[0] + 32);
  }
  return line;
}

}  // namespace

Status DuckDbFault(std::string_view message, duckdb_error_type type) {
  if (message.starts_with("INTERRUPT") || type == DUCKDB_ERROR_INTERRUPT) {
    return Status::Cancelled("the query was stopped");
  }
  if (const std::string_view raised = Raised(message); !raised.empty()) {
    return Fail({.exit = Exit::kInput, .what = FirstLine(raised)});
  }
  Fault fault{.exit = ChooseExit(message, type),
              .what = FirstLine(WithoutKind(message)),
              .where = Place(message),
              .fix = Candidates(message)};
  TakeCsv(message, fault);
  if (fault.exit == Exit::kNoRoom) {
    fault.why = "the embedded engine ran out of memory or of disk for spilling";
    fault.fix = "raise the memory limit, or point the spill folder at a larger disk";
  }
  return Fail(std::move(fault));
}

}  // namespace protium
