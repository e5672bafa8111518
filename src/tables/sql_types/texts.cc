// SPDX-License-Identifier: Apache-2.0
// Functions that make texts of values of any type, or hash them: their arguments are cast to
// Spark's types, and the call becomes one of our functions, which uses the types it receives. Also
// functions whose meaning depends on whether they are given text, binary or numbers.
#include <algorithm>
#include <utility>

#include "sql_tree/tree.h"
#include "sql_tree/tree_view.h"
#include "sql_types/calls.h"
#include "sql_types/convert.h"
#include "sql_words/json_schema.h"

namespace protium {
namespace {

const SqlType kText{SqlType::kText};

// Makes sure that the value has the same type in DuckDB as in Spark.
void Fix(Json& value, const SqlType& type) {
  if (type == SqlType::kUnknown || type == SqlType::kNull || type == SqlType::kOther) return;
  tree::Replace(value, tree::Cast(tree::Take(value), type));
}

Status RefuseType(const TypedCall& call, size_t i, std::string why, std::string fix) {
  return call.Refuse(call.name + "() is given " + call.types[i].SparkName(), std::move(why),
                     std::move(fix));
}

// Calls `function` with the arguments from `first` on in their own types.
Status CallWithAny(TypedCall& call, const char* function, size_t first) {
  for (size_t i = first; i < call.types.size(); ++i) {
    if (call.types[i].IsInterval()) {
      return RefuseType(call, i, "the embedded engine does not keep intervals as Spark does",
                        "use CAST(... AS STRING)");
    }
    Fix(call.argument(i), call.types[i]);
  }
  call.node["function_name"] = function;
  return Status::OK();
}

}  // namespace

Result<SqlType> TypeHash(TypedCall& call) {
  const bool murmur = call.name == "hash";
  if (call.types.empty()) return call.Refuse(call.name + "() has nothing to hash", "", "");
  PT_TRY(CallWithAny(call, murmur ? "pt_hash" : "pt_xxhash64", 0));
  return SqlType{murmur ? SqlType::kInt : SqlType::kBigint};
}

// An estimate over hashes; values that are null have none. Only Spark's default accuracy is
// supported.
Result<SqlType> TypeDistinctEstimate(TypedCall& call) {
  if (call.types.size() != 1) {
    return call.Refuse(call.name + "() with an accuracy is not supported by every engine",
                       "the embedded engine estimates only with Spark's default of 0.05",
                       "leave it out, or use count(DISTINCT x)");
  }
  if (tree::FindKind(call.node) == tree::Kind::kWindow) return RefuseWindow(call);
  Fix(call.argument(0), call.types[0]);
  Json value = tree::Take(call.argument(0));
  Json null = tree::Operator("OPERATOR", "OPERATOR_IS_NULL", Json::array({value}));
  Json hash = tree::Call("pt_xxhash64", Json::array({std::move(value)}), call.node);
  call.argument(0) = tree::Case(std::move(null), tree::NullConstant(), std::move(hash));
  call.node["function_name"] = "pt_distinct_estimate";
  return SqlType{SqlType::kBigint};
}

Result<SqlType> TypeFormatString(TypedCall& call) {
  if (call.types.empty() || call.types[0].IsNested()) {
    return call.Refuse(call.name + "() has no format", "Spark takes a text first", "");
  }
  call.CoerceTo(0, kText);
  PT_TRY(CallWithAny(call, "pt_format_string", 1));
  // See RowFunction::FailsFor(): rows that a condition excludes must not fail.
  if (!tree::IsConstant(call.argument(0))) {
    Json format = Json::array({tree::Take(call.argument(0)), tree::WholeConstant(1)});
    tree::Replace(call.argument(0), tree::Call("repeat", std::move(format), call.node));
  }
  return kText;
}

Result<SqlType> TypeToJson(TypedCall& call) {
  if (call.types.size() != 1) {
    return call.Refuse("to_json() with options is not supported by every engine",
                       "the embedded engine writes JSON only without options",
                       "leave the options out");
  }
  const SqlType& type = call.types[0];
  if (type != SqlType::kOther && type != SqlType::kUnknown && type != SqlType::kNull) {
    return RefuseType(call, 0, "Spark writes only structs, lists and maps as JSON",
                      "use to_json(struct(x))");
  }
  PT_TRY(CallWithAny(call, "pt_to_json", 0));
  return kText;
}

// The third argument names the type that DuckDB makes: see Macro("from_json").
Result<SqlType> TypeFromJson(TypedCall& call) {
  if (call.types.size() != 3) return SqlType{};
  call.CoerceTo(0, kText);
  const std::string* const schema = tree::ConstantText(call.argument(2));
  const Json type = schema == nullptr ? Json() : Json::parse(*schema, nullptr, false);
  return type.is_string() ? call.typer.TypeNamed(type.get<std::string>()) : SqlType{};
}

// Spark, too, accepts nothing but a constant.
Result<SqlType> TypeSchemaOfJson(TypedCall& call) {
  const std::string* const text =
      call.types.size() == 1 ? tree::ConstantText(call.argument(0)) : nullptr;
  const auto schema = text == nullptr ? std::nullopt : InferJsonSchema(*text);
  if (!schema) {
    return call.Refuse("schema_of_json() is given no JSON whose schema is known here",
                       "it takes one constant text, with keys in double quotes",
                       "write the schema, as in from_json(text, 'a INT, b STRING')");
  }
  tree::Replace(call.node, tree::TextConstant(*schema));
  return kText;
}

// Lists are joined as their elements, which become texts.
Result<SqlType> TypeConcatWs(TypedCall& call) {
  if (call.types.empty()) return call.Refuse("concat_ws() has no separator", "", "");
  for (size_t i = 0; i < call.types.size(); ++i) {
    const SqlType type = call.types[i];
    Json& argument = call.argument(i);
    if (type.IsList() && i > 0) {
      const SqlType element = type.Element();
      if (element.IsNested()) {
        return RefuseType(call, i, "Spark joins only texts and lists of texts", "flatten it first");
      }
      if (element == kText) continue;
      const SqlType texts = SqlType::ListOf(kText);
      tree::Replace(argument, Converted(tree::Take(argument), type, texts));
    } else if (type == SqlType::kOther) {
      return RefuseType(call, i, "Spark joins only texts and lists of texts", "use to_json(x)");
    } else if (type != SqlType::kUnknown) {
      tree::Replace(argument, Converted(tree::Take(argument), type, kText));
    }
  }
  call.node["function_name"] = "pt_join_texts";
  return kText;
}

// listagg() and string_agg(), which use no separator if it is omitted or NULL. Binary values are
// joined as hexadecimal digits.
Result<SqlType> TypeListagg(TypedCall& call) {
  if (call.types.empty() || call.types.size() > 2) return SqlType{};
  const bool bytes = call.types[0] == SqlType::kBinary;
  if (call.types[0] == SqlType::kOther) {
    return RefuseType(call, 0, "it joins only text and binary", "use CAST(... AS STRING)");
  }
  if (call.types.size() == 2 && call.types[1] == SqlType::kNull) {
    call.node["children"].erase(1);
    call.types.pop_back();
  }
  if (call.types.size() == 2 && call.types[1].IsNested()) {
    return RefuseType(call, 1, "Spark takes a text for a separator", "");
  }
  if (call.types.size() == 2 && bytes != (call.types[1] == SqlType::kBinary)) {
    return RefuseType(call, 1, "Spark joins values by a separator of their own type",
                      "use CAST(... AS STRING)");
  }
  call.node["function_name"] = "listagg";
  if (call.types.size() == 1) {
    call.node["children"].push_back(tree::TextConstant(""));
    call.types.push_back(kText);
  }
  if (!bytes) {
    call.CoerceAll(kText);
    return kText;
  }
  for (size_t i = 0; i < 2; ++i) {
    if (call.types[i] != SqlType::kBinary) continue;
    Json digits = Json::array({tree::Take(call.argument(i))});
    tree::Replace(call.argument(i), tree::Call("hex", std::move(digits), call.node));
  }
  Json joined = tree::Take(call.node);
  tree::Replace(call.node, tree::Call("unhex", Json::array({joined}), joined));
  return SqlType{SqlType::kBinary};
}

// format_number(x, d): d is a whole number of 32 bits, or a pattern.
Result<SqlType> TypeFormatNumber(TypedCall& call) {
  if (call.types.size() != 2) return SqlType{};
  const SqlType &x = call.types[0], &d = call.types[1];
  const bool number = x.IsNumber() || x == SqlType::kUnknown || x == SqlType::kNull;
  if (!number) return RefuseType(call, 0, "Spark takes only numbers there", "cast it to a number");
  const bool whole = d.IsWhole() && d != SqlType::kBigint;
  if (!whole && d != kText && d != SqlType::kNull && d != SqlType::kUnknown) {
    return RefuseType(call, 1, "Spark takes a number of digits or a pattern there",
                      "use CAST(... AS INT)");
  }
  if (x == SqlType::kNull) call.CoerceTo(0, {SqlType::kDouble});
  if (d == SqlType::kNull) call.CoerceTo(1, {SqlType::kInt});
  return kText;
}

// hex() writes numbers by their whole part, everything else by its bytes.
Result<SqlType> TypeHex(TypedCall& call) {
  if (call.types.size() != 1) return SqlType{};
  const SqlType type = call.types[0];
  if (type.IsNumber() && !type.IsWhole()) {
    call.CoerceTo(0, {SqlType::kBigint});
  } else if (type == SqlType::kOther) {
    return RefuseType(call, 0, "it takes numbers, text and binary", "use CAST(... AS STRING)");
  } else if (!type.IsNumber() && type != SqlType::kBinary) {
    call.CoerceTo(0, kText);
  }
  return kText;
}

// elt(n, a, b, ...): binary if all values are, otherwise text.
Result<SqlType> TypeElt(TypedCall& call) {
  bool bytes = call.types.size() > 1;
  for (size_t i = 1; i < call.types.size(); ++i) {
    if (call.types[i] == SqlType::kUnknown) return SqlType{};
    bytes = bytes && call.types[i] == SqlType::kBinary;
  }
  for (size_t i = 1; i < call.types.size(); ++i) {
    if (call.types[i] == SqlType::kOther) {
      return RefuseType(call, i, "it takes only text and binary", "use CAST(... AS STRING)");
    }
  }
  if (!call.types.empty() && !call.types[0].IsWhole()) call.CoerceTo(0, {SqlType::kInt});
  const SqlType result = bytes ? SqlType{SqlType::kBinary} : kText;
  const bool null = std::ranges::find(call.types, SqlType{SqlType::kNull}) != call.types.end();
  call.CoerceAll(result, 1);
  // DuckDB gives a constant NULL no type.
  if (null) call.CastResult(result);
  return result;
}

}  // namespace protium
