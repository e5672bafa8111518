// SPDX-License-Identifier: Apache-2.0
// Functions whose arguments have fixed types, given by the letters of their rows
// (sql_words/functions/table.h): arguments are cast where Spark casts them implicitly and refused
// where Spark refuses them, and the result is cast to Spark's type if DuckDB's differs.
#include <algorithm>

#include "sql_tree/tree.h"
#include "sql_types/calls.h"
#include "sql_types/convert.h"
#include "sql_words/functions/table.h"

namespace protium {
namespace {

// Letters of SqlFunction::arguments and ::result.
SqlType::Kind ParseKind(char letter) {
  switch (letter) {
    case 'e':
    case 't':
    case 'x':
      return SqlType::kText;
    case 'd':
      return SqlType::kDate;
    case 's':
      return SqlType::kTimestamp;
    case 'n':
      return SqlType::kDouble;
    case 'b':
      return SqlType::kBoolean;
    case 'i':
    case 'k':
      return SqlType::kInt;
    case 'l':
      return SqlType::kBigint;
    case 'y':
      return SqlType::kTinyint;
    case 'v':
      return SqlType::kInterval;
    case 'm':
      return SqlType::kMonths;
    case 'o':
      return SqlType::kBinary;
    default:
      return SqlType::kUnknown;
  }
}

Status RefuseArgument(const TypedCall& call, size_t i, std::string why, std::string fix) {
  return call.Refuse(call.name + "() is given " + call.types[i].SparkName(), std::move(why),
                     std::move(fix));
}

// Numbers and booleans, by the letters of their types.
Status CoerceNumber(TypedCall& call, size_t i, char letter) {
  const SqlType type = call.types[i], wanted{ParseKind(letter)};
  const bool text = type == SqlType::kText || type == SqlType::kNull;
  const char* const whole = "Spark takes only whole numbers there";
  switch (letter) {
    case 'n':
      if (!text && !type.IsNumber()) {
        return RefuseArgument(call, i, "Spark takes only numbers there", "cast it to a number");
      }
      call.CoerceTo(i, wanted);
      return Status::OK();
    case 'b':
      if (text) call.CoerceTo(i, wanted);
      if (!type.IsNumber()) return Status::OK();
      return RefuseArgument(call, i, "Spark takes only true and false there",
                            "compare it with a value");
    case 'k':
      if (!text && (type == SqlType::kBigint || !type.IsWhole())) {
        return RefuseArgument(call, i, "Spark moves dates only by 32-bit numbers",
                              "use CAST(... AS INT)");
      }
      call.CoerceTo(i, wanted);
      return Status::OK();
    case 'w':
      if (type.IsWhole() || type == SqlType::kBoolean || type == SqlType::kNull) {
        return Status::OK();
      }
      return RefuseArgument(call, i, whole, "use CAST(... AS BIGINT)");
    default:  // i and l
      if (!text && !type.IsNumber()) return RefuseArgument(call, i, whole, "cast it to a number");
      if (!type.IsWhole()) call.CoerceTo(i, wanted);
      return Status::OK();
  }
}

// Converts an argument to its type. What is neither cast nor refused here is left to DuckDB, which
// fails with its own message.
Status CoerceArgument(TypedCall& call, size_t i, char letter) {
  const SqlType type = call.types[i], wanted{ParseKind(letter)};
  if (type.IsNested() && letter != '*') {
    return RefuseArgument(call, i, "Spark takes no list, map or struct there",
                          "name an element or a field of it");
  }
  const bool takes_text = wanted == SqlType::kText || wanted == SqlType::kBinary;
  if (type == SqlType::kUnknown || type == wanted) return Status::OK();
  // Other types are left to DuckDB, except where it would make texts of them.
  if (type == SqlType::kOther && !takes_text) return Status::OK();
  const bool text = type == SqlType::kText || type == SqlType::kNull;
  switch (letter) {
    case 'e':
      if (text) call.CoerceTo(i, wanted);
      if (text) return Status::OK();
      return RefuseArgument(call, i, "Spark takes only text there", "use CAST(... AS STRING)");
    case 't':
      call.CoerceTo(i, wanted);
      return Status::OK();
    case 'x':
      if (text) call.CoerceTo(i, wanted);
      return Status::OK();
    case 'd':
    case 's':
      if (text || type.IsTime()) call.CoerceTo(i, wanted);
      return Status::OK();
    case 'o':
      if (text) call.CoerceTo(i, wanted);
      if (text) return Status::OK();
      return RefuseArgument(call, i, "Spark takes only binary and text there",
                            "use CAST(... AS STRING)");
    case 'n':
    case 'b':
    case 'k':
    case 'w':
    case 'i':
    case 'l':
      return CoerceNumber(call, i, letter);
    default:
      return Status::OK();
  }
}

}  // namespace

Result<SqlType> TypeBySignature(TypedCall& call) {
  const SqlFunction* const row = FindSqlFunction(call.name);
  if (row == nullptr || row->arguments.empty()) return call.typer.AskType(call.name, call.types);
  for (size_t i = 0; i < call.types.size(); ++i) {
    PT_TRY(CoerceArgument(call, i, row->arguments[std::min(i, row->arguments.size() - 1)]));
  }
  if (row->result == '?') return call.typer.AskType(call.name, call.types);
  if (row->result == '1') return call.types.empty() ? SqlType{} : call.types[0];
  if (row->result == 'A') return call.types.empty() ? SqlType{} : SqlType::ListOf(call.types[0]);
  // For a capital, DuckDB returns the type anyway; the next line finds the lower-case letter.
  const bool given = row->result >= 'A' && row->result <= 'Z';
  SqlType result{ParseKind(static_cast<char>(row->result | 0x20))};
  if (result == SqlType::kTimestamp) result = SqlType::ZonedTime();
  if (!given) call.CastResult(result);
  return result;
}

}  // namespace protium
