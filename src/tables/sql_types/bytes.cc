// SPDX-License-Identifier: Apache-2.0
// Functions that Spark has for both text and binary. For text they count characters; for binary
// they become our own functions, which count bytes. Beside text, binary is read as text.
#include <algorithm>
#include <limits>
#include <utility>

#include "sql_tree/tree.h"
#include "sql_types/calls.h"
#include "sql_types/convert.h"

namespace protium {
namespace {

const SqlType kBinary{SqlType::kBinary}, kInt{SqlType::kInt}, kText{SqlType::kText};

struct BytesForm {
  std::string_view name;
  const char* function;
  char result;  // i: the length in bytes; b: a boolean; x: binary.
};

constexpr BytesForm kForms[] = {
    {"char_length", "pt_bytes_length", 'i'},  {"character_length", "pt_bytes_length", 'i'},
    {"contains", "pt_bytes_contains", 'b'},   {"endswith", "pt_bytes_end", 'b'},
    {"left", "pt_bytes_slice", 'x'},          {"len", "pt_bytes_length", 'i'},
    {"length", "pt_bytes_length", 'i'},       {"lpad", "pt_bytes_lpad", 'x'},
    {"octet_length", "pt_bytes_length", 'i'}, {"rpad", "pt_bytes_rpad", 'x'},
    {"startswith", "pt_bytes_start", 'b'},    {"substr", "pt_bytes_slice", 'x'},
    {"substring", "pt_bytes_slice", 'x'},
};

Json& Arguments(TypedCall& call) { return call.node["children"]; }

// Adds the arguments that the forms have and the call omits.
void AddDefaults(TypedCall& call) {
  Json& arguments = Arguments(call);
  if (call.name == "left") {
    arguments.insert(arguments.begin() + 1, tree::WholeConstant(1));
  } else if (call.name.starts_with("substr") && arguments.size() == 2) {
    arguments.push_back(tree::WholeConstant(std::numeric_limits<int>::max()));
  } else if (call.name.ends_with("pad") && arguments.size() == 2) {
    Json zero = Json::array({tree::TextConstant("00")});
    arguments.push_back(tree::Call("unhex", std::move(zero), call.node));
  }
}

Json Called(const char* function, Json arguments, const Json& like) {
  return tree::Call(function, std::move(arguments), like);
}

// Spark writes right(s, n) as substring(s, -n), which is a text whatever s is.
SqlType MakeRight(TypedCall& call) {
  call.CoerceTo(1, kInt);
  Json length = tree::Take(call.argument(1));
  Json begin = Called("-", Json::array({length}), call.node);
  Json slice =
      Called("pt_bytes_slice",
             Json::array({tree::Take(call.argument(0)), std::move(begin), length}), call.node);
  tree::Replace(call.node, Called("pt_text_of_bytes", Json::array({std::move(slice)}), call.node));
  return kText;
}

SqlType MakeBitLength(TypedCall& call) {
  Json bytes = Called("pt_bytes_length", Json::array({tree::Take(call.argument(0))}), call.node);
  Json factors = Json::array({std::move(bytes), tree::WholeConstant(8)});
  tree::Replace(call.node, Called("*", std::move(factors), call.node));
  return kInt;
}

// Whether every argument that the form takes as binary is binary, including pads and parts.
bool AllBinary(const TypedCall& call) {
  const auto binary = [&](size_t i) { return call.types[i] == SqlType::kBinary; };
  if (call.types.empty() || !binary(0)) return false;
  if (call.name.ends_with("pad")) return call.types.size() < 3 || binary(2);
  const bool pair = call.name == "contains" || call.name.ends_with("with");
  return !pair || (call.types.size() == 2 && binary(1));
}

}  // namespace

Result<SqlType> TypeTextOrBytes(TypedCall& call) {
  if (!AllBinary(call)) return TypeBySignature(call);
  if (call.name == "right" && call.types.size() == 2) return MakeRight(call);
  if (call.name == "bit_length") return MakeBitLength(call);
  const auto* const form = std::ranges::find(kForms, call.name, &BytesForm::name);
  if (form == std::end(kForms)) return TypeBySignature(call);
  for (size_t i = 1; i < call.types.size(); ++i) {
    if (call.types[i] != SqlType::kBinary) call.CoerceTo(i, kInt);
  }
  AddDefaults(call);
  call.node["function_name"] = form->function;
  return form->result == 'i' ? kInt : form->result == 'x' ? kBinary : SqlType{SqlType::kBoolean};
}

// concat() and || of nothing but binary.
std::optional<SqlType> JoinBytes(TypedCall& call) {
  const bool bytes =
      !call.types.empty() &&
      std::ranges::all_of(call.types, [](const SqlType& type) { return type == SqlType::kBinary; });
  if (!bytes) return std::nullopt;
  if (call.types.size() == 1) tree::Replace(call.node, tree::Take(call.argument(0)));
  return kBinary;
}

}  // namespace protium
