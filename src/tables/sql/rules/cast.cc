// SPDX-License-Identifier: Apache-2.0
// CAST and TRY_CAST. Spark reads text by its own rules ('1d' is a double; '1e3' and '1.7' are not
// INT, where DuckDB makes them 1000 and 2), writes doubles as Java does, and cuts off the fraction
// of a number where DuckDB rounds. The type of the operand is not known here, so functions chosen
// by the target type check it row by row; where the typer knows it, sql_types/choices.cc replaces
// them with plain casts.
#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.h"
#include "sql/rules/rule.h"
#include "sql_tree/tree.h"

namespace protium {
namespace {

struct CastFunctions {
  std::string_view type;  // The target type, as DuckDB names it.
  const char* cast;
  const char* tried;
};

constexpr CastFunctions kCastFunctions[] = {
    {"BIGINT", "pt_to_bigint", "pt_try_bigint"},
    {"BOOLEAN", "pt_to_boolean", "pt_try_boolean"},
    {"DATE", "pt_to_date", "pt_try_date"},
    {"DOUBLE", "pt_to_double", "pt_try_double"},
    {"FLOAT", "pt_to_float", "pt_try_float"},
    {"INTEGER", "pt_to_integer", "pt_try_integer"},
    {"SMALLINT", "pt_to_smallint", "pt_try_smallint"},
    {"TIMESTAMP", "pt_to_timestamp", "pt_try_timestamp"},
    {"TIMESTAMP WITH TIME ZONE", "pt_to_timestamp", "pt_try_timestamp"},
    // TIMESTAMP_NTZ, as spark_types.cc writes it.
    {"TIMESTAMP_S", "pt_to_local_timestamp", "pt_try_local_timestamp"},
    {"TINYINT", "pt_to_tinyint", "pt_try_tinyint"},
    {"VARCHAR", "pt_to_text", "pt_to_text"},
};

const CastFunctions* FindCastFunctions(const Json& cast) {
  const std::string& type = tree::Text(cast["cast_type"], "id");
  const auto* const found = std::ranges::find(kCastFunctions, type, &CastFunctions::type);
  return found == std::end(kCastFunctions) ? nullptr : found;
}

// Whether DuckDB reads the text as Spark does: dddd-dd-dd, optionally followed by dd:dd:dd with a
// fraction of up to six digits. Days beyond 28, which not every month has, and all other texts are
// left to our own functions.
bool ReadsAlike(std::string_view text, bool timed) {
  const std::string_view form = timed ? "0000-00-00 00:00:00" : "0000-00-00";
  const std::string_view most = "9999-12-28 23:59:59";
  if (text.size() < form.size()) return false;
  for (size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '0' ? !IsDigit(text[i]) : text[i] != form[i]) return false;
  }
  // Each number within its own limit.
  for (const size_t at : {0, 5, 8, 11, 14, 17}) {
    const size_t size = at == 0 ? 4 : 2;
    if (at < form.size() && text.substr(at, size) > most.substr(at, size)) return false;
  }
  if (text.starts_with("0000") || text.substr(5, 2) == "00" || text.substr(8, 2) == "00") {
    return false;
  }
  const std::string_view rest = text.substr(form.size());
  if (rest.empty()) return true;
  return timed && rest.size() <= 7 && rest.size() > 1 && rest[0] == '.' &&
         std::ranges::all_of(rest.substr(1), IsDigit);
}

// Whether the text of a literal such as DATE '2013-07-04' reads the same on both engines.
bool ReadsAlike(const Json& child, std::string_view type) {
  const std::string* const text = tree::ConstantText(child);
  if (text == nullptr) return false;
  // A text cast to text.
  if (type == "VARCHAR") return true;
  if (type == "DATE") return ReadsAlike(std::string_view(*text), /*timed=*/false);
  return type == "TIMESTAMP" && ReadsAlike(std::string_view(*text), /*timed=*/true);
}

}  // namespace

Rule CastRule() {
  return {.name = "cast",
          .matches =
              [](const tree::View& node) {
                const Json& cast = node.json();
                if (!node.Is(tree::Kind::kCast) || !cast.contains("cast_type")) return false;
                const CastFunctions* const found = FindCastFunctions(cast);
                return found != nullptr && cast.contains("child") &&
                       !ReadsAlike(cast["child"], found->type);
              },
          .apply =
              [](Json& node) {
                const CastFunctions& found = *FindCastFunctions(node);
                const char* const function =
                    node.value("try_cast", false) ? found.tried : found.cast;
                tree::Replace(node, tree::Call(function, Json::array({node["child"]}), node));
                return Status::OK();
              }};
}

}  // namespace protium
