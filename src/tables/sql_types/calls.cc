// SPDX-License-Identifier: Apache-2.0
#include "sql_types/calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "sql_tree/tree.h"
#include "sql_tree/tree_view.h"
#include "sql_types/convert.h"

namespace protium {
namespace {

struct NamedRule {
  std::string_view name;
  CallRule rule;
};

// Sorted by name, for a binary search.
constexpr NamedRule kRules[] = {
    {"%", TypeProduct},
    {"&", TypeBits},
    {"*", TypeProduct},
    {"+", TypeSum},
    {"-", TypeSum},
    {"/", TypeProduct},
    {"//", TypeDivision},
    {"<<", TypeBits},
    {">>", TypeBits},
    {"^", TypeBits},
    {"abs", TypeSum},
    {"approx_count_distinct", TypeDistinctEstimate},
    {"approx_percentile", TypePercentile},
    {"array_append", TypeNested},
    {"array_compact", TypeNested},
    {"array_contains", TypeNested},
    {"array_distinct", TypeNested},
    {"array_except", TypeNested},
    {"array_insert", TypeNested},
    {"array_intersect", TypeNested},
    {"array_join", TypeNested},
    {"array_max", TypeNested},
    {"array_min", TypeNested},
    {"array_position", TypeNested},
    {"array_prepend", TypeNested},
    {"array_remove", TypeNested},
    {"array_repeat", TypeNested},
    {"array_size", TypeNested},
    {"array_sort", TypeNested},
    {"array_union", TypeNested},
    {"arrays_overlap", TypeNested},
    {"arrays_zip", TypeArraysZip},
    {"avg", TypeMean},
    {"bit_length", TypeTextOrBytes},
    {"bround", TypeRounded},
    {"cardinality", TypeNested},
    {"ceil", TypeWhole},
    {"ceiling", TypeWhole},
    {"char_length", TypeTextOrBytes},
    {"character_length", TypeTextOrBytes},
    {"concat", TypeJoinedText},
    {"concat_ws", TypeConcatWs},
    {"contains", TypeTextOrBytes},
    {"corr", TypeMoment},
    {"covar_pop", TypeMoment},
    {"covar_samp", TypeMoment},
    {"date_part", TypeDatePart},
    {"element_at", TypeElement},
    {"elt", TypeElt},
    {"endswith", TypeTextOrBytes},
    {"explode", TypeGenerator},
    {"explode_outer", TypeGenerator},
    {"flatten", TypeNested},
    {"floor", TypeWhole},
    {"format_number", TypeFormatNumber},
    {"format_string", TypeFormatString},
    {"from_json", TypeFromJson},
    {"get", TypeNested},
    {"greatest", TypeChoice},
    {"hash", TypeHash},
    {"hex", TypeHex},
    {"if", TypeChoice},
    {"iff", TypeChoice},
    {"ifnull", TypeChoice},
    {"inline", TypeGenerator},
    {"inline_outer", TypeGenerator},
    {"json_tuple", TypeGenerator},
    {"kurtosis", TypeMoment},
    {"least", TypeChoice},
    {"left", TypeTextOrBytes},
    {"len", TypeTextOrBytes},
    {"length", TypeTextOrBytes},
    {"list", TypeCollected},
    {"list_filter", TypeFiltered},
    {"list_reduce", TypeReduced},
    {"list_transform", TypeTransformed},
    {"list_value", TypeArray},
    {"listagg", TypeListagg},
    {"lpad", TypeTextOrBytes},
    {"make_timestamp", TypeMadeTime},
    {"make_timestamp_ltz", TypeMadeTime},
    {"make_timestamp_ntz", TypeMadeTime},
    {"map", TypeMapOf},
    {"map_concat", TypeNested},
    {"map_contains_key", TypeNested},
    {"map_entries", TypeNested},
    {"map_from_arrays", TypeNested},
    {"map_from_entries", TypeNested},
    {"map_keys", TypeNested},
    {"map_values", TypeNested},
    {"max", TypeExtreme},
    {"max_by", TypeExtremeBy},
    {"mean", TypeMean},
    {"min", TypeExtreme},
    {"min_by", TypeExtremeBy},
    {"mod", TypeProduct},
    {"nanvl", TypeChoice},
    {"negative", TypeSum},
    {"nullif", TypeNullIf},
    {"nvl", TypeChoice},
    {"nvl2", TypeChoice},
    {"octet_length", TypeTextOrBytes},
    {"percentile", TypePercentile},
    {"percentile_approx", TypePercentile},
    {"pmod", TypeProduct},
    {"posexplode", TypeGenerator},
    {"posexplode_outer", TypeGenerator},
    {"positive", TypeSum},
    {"printf", TypeFormatString},
    {"pt_all_true", TypeListCondition},
    {"pt_any_true", TypeListCondition},
    {"pt_element", TypeElement},
    {"pt_literal_bigint", TypeLiteral},
    {"pt_literal_smallint", TypeLiteral},
    {"pt_second", TypeDatePart},
    {"pt_to_bigint", TypeCastCall},
    {"pt_to_boolean", TypeCastCall},
    {"pt_to_date", TypeCastCall},
    {"pt_to_double", TypeCastCall},
    {"pt_to_float", TypeCastCall},
    {"pt_to_integer", TypeCastCall},
    {"pt_to_local_timestamp", TypeCastCall},
    {"pt_to_smallint", TypeCastCall},
    {"pt_to_text", TypeCastCall},
    {"pt_to_timestamp", TypeCastCall},
    {"pt_to_tinyint", TypeCastCall},
    {"pt_try_bigint", TypeCastCall},
    {"pt_try_boolean", TypeCastCall},
    {"pt_try_date", TypeCastCall},
    {"pt_try_double", TypeCastCall},
    {"pt_try_float", TypeCastCall},
    {"pt_try_integer", TypeCastCall},
    {"pt_try_local_timestamp", TypeCastCall},
    {"pt_try_smallint", TypeCastCall},
    {"pt_try_timestamp", TypeCastCall},
    {"pt_try_tinyint", TypeCastCall},
    {"pt_zip", TypeNested},
    {"pt_zip_maps", TypeNested},
    {"regr_intercept", TypeMoment},
    {"regr_r2", TypeMoment},
    {"regr_slope", TypeMoment},
    {"regr_sxx", TypeMoment},
    {"regr_sxy", TypeMoment},
    {"regr_syy", TypeMoment},
    {"reverse", TypeReversed},
    {"right", TypeTextOrBytes},
    {"round", TypeRounded},
    {"row", TypeRow},
    {"rpad", TypeTextOrBytes},
    {"schema_of_json", TypeSchemaOfJson},
    {"sequence", TypeSequence},
    {"shiftleft", TypeBits},
    {"shiftright", TypeBits},
    {"shiftrightunsigned", TypeBits},
    {"size", TypeNested},
    {"skewness", TypeMoment},
    {"slice", TypeNested},
    {"sort_array", TypeNested},
    {"stack", TypeGenerator},
    {"startswith", TypeTextOrBytes},
    {"std", TypeMoment},
    {"stddev", TypeMoment},
    {"stddev_pop", TypeMoment},
    {"stddev_samp", TypeMoment},
    {"string_agg", TypeListagg},
    {"struct_extract", TypeStructField},
    {"struct_pack", TypeStructPack},
    {"substr", TypeTextOrBytes},
    {"substring", TypeTextOrBytes},
    {"sum", TypeTotal},
    {"to_char", TypeWriteNumber},
    {"to_days", TypeUnits},
    {"to_hours", TypeUnits},
    {"to_json", TypeToJson},
    {"to_microseconds", TypeUnits},
    {"to_milliseconds", TypeUnits},
    {"to_minutes", TypeUnits},
    {"to_months", TypeUnits},
    {"to_number", TypeReadNumber},
    {"to_seconds", TypeUnits},
    {"to_varchar", TypeWriteNumber},
    {"to_weeks", TypeUnits},
    {"to_years", TypeUnits},
    {"try_add", TypeTried},
    {"try_avg", TypeMean},
    {"try_divide", TypeProduct},
    {"try_element_at", TypeElement},
    {"try_make_timestamp", TypeMadeTime},
    {"try_make_timestamp_ltz", TypeMadeTime},
    {"try_make_timestamp_ntz", TypeMadeTime},
    {"try_mod", TypeTried},
    {"try_multiply", TypeTried},
    {"try_subtract", TypeTried},
    {"try_sum", TypeTotal},
    {"try_to_number", TypeReadNumber},
    {"typeof", TypeTypeOf},
    {"var_pop", TypeMoment},
    {"var_samp", TypeMoment},
    {"variance", TypeMoment},
    {"xxhash64", TypeHash},
    {"|", TypeBits},
    {"||", TypeJoinedText},
    {"~", TypeBits},
};

}  // namespace

CallRule FindCallRule(std::string_view name) {
  const auto found = std::lower_bound(
      std::begin(kRules), std::end(kRules), name,
      [](const NamedRule& rule, std::string_view wanted) { return rule.name < wanted; });
  return found != std::end(kRules) && found->name == name ? found->rule : nullptr;
}

bool TypedCall::AnyNullConstant() const {
  const Json& arguments = node["children"];
  return std::any_of(arguments.begin(), arguments.end(), [](const Json& argument) {
    const Json* value = &argument;
    while (tree::FindKind(*value) == tree::Kind::kCast) value = &(*value)["child"];
    return tree::IsConstant(*value) && (*value)["value"].value("is_null", false);
  });
}

void TypedCall::CoerceTo(size_t i, const SqlType& type) {
  Coerce(argument(i), types[i], type);
  types[i] = type;
}

void TypedCall::CoerceAll(const SqlType& type, size_t first) {
  for (size_t i = first; i < types.size(); ++i) CoerceTo(i, type);
}

std::string TypedCall::TypeNames() const {
  std::vector<std::string> names;
  for (const SqlType& type : types) names.push_back(type.SparkName());
  return fmt::format("{}", fmt::join(names, " and "));
}

void TypedCall::CastResult(const SqlType& type) {
  tree::Replace(node, tree::Cast(tree::Take(node), type));
}

Status RefuseWindow(const TypedCall& call) {
  return call.Refuse(
      "function \"" + call.name + "\" over a window is not supported by every engine",
      "the embedded engine computes it only for groups",
      "compute it in a query with GROUP BY and join the result");
}

Status TypedCall::Refuse(std::string what, std::string why, std::string fix) const {
  return typer.Refuse(node, std::move(what), std::move(why), std::move(fix));
}

}  // namespace protium
