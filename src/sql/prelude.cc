// SPDX-License-Identifier: Apache-2.0
#include "sql/prelude.h"

namespace protium {
namespace {

// Rows keep the order of their files: queries that leave an order open, as LIMIT without ORDER BY
// does, then answer the same in every run. Costs memory only where a result is larger than it.
constexpr std::string_view kSettings[] = {
    "SET GLOBAL default_null_order = 'nulls_first_on_asc_last_on_desc'",
    "SET GLOBAL TimeZone = 'UTC'",
    "SET GLOBAL autoinstall_known_extensions = false",
    "SET GLOBAL autoload_known_extensions = false",
    "SET GLOBAL preserve_insertion_order = true",
    "SET GLOBAL arrow_large_buffer_size = false",
    "SET GLOBAL produce_arrow_string_view = false",
};

// Progress is known only where the bar is on.
constexpr std::string_view kConnectionSettings[] = {
    "SET enable_progress_bar = true",
    "SET enable_progress_bar_print = false",
};

// system.main.f is DuckDB's own f, which a macro of that name hides.
constexpr Macro kMacros[] = {
    // Division and remainder by zero are errors; no infinities come of them.
    {"/",
     "(a, b) AS CASE WHEN b <> 0 THEN system.main.\"/\"(a, b) WHEN a IS NOT NULL AND b = 0 "
     "THEN error('division by zero') END"},
    {"%",
     "(a, b) AS CASE WHEN b <> 0 THEN system.main.\"%\"(a, b) WHEN a IS NOT NULL AND b = 0 "
     "THEN error('remainder by zero') END"},
    {"//",
     "(a, b) AS CAST(CASE WHEN b <> 0 THEN system.main.\"//\"(a, b) WHEN a IS NOT NULL AND b = 0 "
     "THEN error('division by zero') END AS BIGINT)"},
    {"try_divide", "(a, b) AS CASE WHEN b <> 0 THEN system.main.\"/\"(a, b) END"},
    {"mod", "(a, b) AS a % b"},
    {"pmod", "(a, b) AS CASE WHEN a % b < 0 THEN (a % b + b) % b ELSE a % b END"},
    {"pt_divide", "(a, b) AS CAST(a AS DOUBLE) / CAST(b AS DOUBLE)"},

    // Outside their domain roots and inverse functions are NaN, logarithms NULL.
    {"sqrt", "(x) AS CASE WHEN x < 0 THEN 'NaN'::DOUBLE ELSE system.main.sqrt(x) END"},
    {"pt_sqrt", "(x) AS sqrt(CAST(x AS DOUBLE))"},
    {"acos", "(x) AS CASE WHEN abs(x) > 1 THEN 'NaN'::DOUBLE ELSE system.main.acos(x) END"},
    {"asin", "(x) AS CASE WHEN abs(x) > 1 THEN 'NaN'::DOUBLE ELSE system.main.asin(x) END"},
    {"ln", "(x) AS CASE WHEN x > 0 THEN system.main.ln(x) END"},
    {"log", "(x) AS ln(x), (b, x) AS ln(x) / ln(b)"},
    {"log2", "(x) AS CASE WHEN x > 0 THEN system.main.log2(x) END"},
    {"log10", "(x) AS CASE WHEN x > 0 THEN system.main.log10(x) END"},
    {"cbrt", "(x) AS pt_cbrt(x)"},
    {"log1p", "(x) AS CASE WHEN x > -1 THEN system.main.ln(1 + CAST(x AS DOUBLE)) END"},
    {"expm1", "(x) AS exp(x) - 1"},

    // Whole results are whole numbers.
    {"floor", "(x) AS CAST(system.main.floor(x) AS BIGINT)"},
    {"ceil", "(x) AS CAST(system.main.ceil(x) AS BIGINT)"},
    {"ceiling", "(x) AS CAST(system.main.ceil(x) AS BIGINT)"},
    {"sign",
     "(x) AS CASE WHEN isnan(x) OR x = 0 THEN CAST(x AS DOUBLE) "
     "ELSE CAST(system.main.sign(x) AS DOUBLE) END"},
    {"signum", "(x) AS sign(x)"},
    {"round", "(x) AS pt_round(x), (x, d) AS pt_round(x, d)"},
    {"bround", "(x) AS pt_bround(x), (x, d) AS pt_bround(x, d)"},
    {"rint", "(x) AS system.main.round_even(CAST(x AS DOUBLE), 0)"},

    // NULL and NaN.
    {"isnan", "(x) AS coalesce(system.main.isnan(CAST(x AS DOUBLE)), false)"},
    {"!", "(a) AS NOT a"},
    {"negative", "(x) AS -x"},
    {"positive", "(x) AS x"},
    {"e", "() AS CAST('2.718281828459045' AS DOUBLE)"},
    {"zeroifnull", "(x) AS coalesce(x, 0)"},
    {"nullifzero", "(x) AS nullif(x, 0)"},
    {"isnull", "(x) AS x IS NULL"},
    {"isnotnull", "(x) AS x IS NOT NULL"},
    {"nvl", "(a, b) AS coalesce(a, b)"},
    {"ifnull", "(a, b) AS coalesce(a, b)"},
    {"nvl2", "(a, b, c) AS CASE WHEN a IS NOT NULL THEN b ELSE c END"},
    {"nanvl", "(a, b) AS CASE WHEN system.main.isnan(CAST(a AS DOUBLE)) THEN b ELSE a END"},
    {"if", "(a, b, c) AS CASE WHEN a THEN b ELSE c END"},
    {"iff", "(a, b, c) AS CASE WHEN a THEN b ELSE c END"},

    // Text. Positions count from 1, 0 is taken as 1, negative ones count from the end.
    {"concat",
     "(a) AS CAST(a AS VARCHAR), (a, b) AS a || b, (a, b, c) AS a || b || c, "
     "(a, b, c, d) AS a || b || c || d, (a, b, c, d, e) AS a || b || c || d || e, "
     "(a, b, c, d, e, f) AS a || b || c || d || e || f, "
     "(a, b, c, d, e, f, g) AS a || b || c || d || e || f || g, "
     "(a, b, c, d, e, f, g, h) AS a || b || c || d || e || f || g || h"},
    {"pt_from", "(s, p) AS CASE WHEN p > 0 THEN p - 1 WHEN p < 0 THEN length(s) + p ELSE 0 END"},
    {"substring",
     "(s, p) AS system.main.substring(s, CAST(greatest(pt_from(s, p), 0) + 1 AS BIGINT)), "
     "(s, p, n) AS system.main.substring(s, CAST(greatest(pt_from(s, p), 0) + 1 AS BIGINT), "
     "CAST(greatest(pt_from(s, p) + n - greatest(pt_from(s, p), 0), 0) AS BIGINT))"},
    {"substr", "(s, p) AS substring(s, p), (s, p, n) AS substring(s, p, n)"},
    {"left",
     "(s, n) AS CASE WHEN s IS NOT NULL AND n <= 0 THEN '' ELSE system.main.left(s, n) END"},
    {"right",
     "(s, n) AS CASE WHEN s IS NOT NULL AND n <= 0 THEN '' ELSE system.main.right(s, n) END"},
    {"instr", "(s, t) AS system.main.instr(s, t)"},
    {"locate",
     "(t, s) AS system.main.instr(s, t), (t, s, p) AS CASE WHEN p > 0 AND "
     "system.main.instr(substring(s, p), t) > 0 THEN system.main.instr(substring(s, p), t) + p - 1 "
     "WHEN t IS NOT NULL AND s IS NOT NULL AND p IS NOT NULL THEN 0 END"},
    {"lpad",
     "(s, n) AS system.main.lpad(s, CAST(n AS INTEGER), ' '), "
     "(s, n, p) AS CASE WHEN p = '' THEN left(s, n) "
     "ELSE system.main.lpad(s, CAST(n AS INTEGER), p) END"},
    {"rpad",
     "(s, n) AS system.main.rpad(s, CAST(n AS INTEGER), ' '), "
     "(s, n, p) AS CASE WHEN p = '' THEN left(s, n) "
     "ELSE system.main.rpad(s, CAST(n AS INTEGER), p) END"},
    {"lcase", "(s) AS lower(s)"},
    {"upper", "(s) AS system.main.upper(replace(s, 'ß', 'ss'))"},
    {"ucase", "(s) AS upper(s)"},
    {"initcap",
     "(s) AS array_to_string(list_transform(string_split(lower(s), ' '), "
     "lambda w: upper(w[1]) || w[2:]), ' ')"},
    {"levenshtein", "(a, b) AS pt_levenshtein(a, b)"},
    {"btrim", "(s) AS trim(s), (s, letters) AS trim(s, letters)"},
    {"regexp_count", "(s, p) AS len(system.main.regexp_extract_all(s, p))"},
    {"space", "(n) AS repeat(' ', n)"},
    {"startswith", "(s, t) AS starts_with(s, t)"},
    {"endswith", "(s, t) AS ends_with(s, t)"},
    {"char_length", "(s) AS length(s)"},
    {"character_length", "(s) AS length(s)"},
    {"octet_length", "(s) AS strlen(s)"},
    {"substring_index",
     "(s, d, n) AS CASE WHEN n > 0 THEN array_to_string(string_split(s, d)[1:n], d) "
     "WHEN n < 0 THEN array_to_string(string_split(s, d)[n:], d) "
     "WHEN s IS NOT NULL AND d IS NOT NULL AND n = 0 THEN '' END"},
    {"regexp_extract",
     "(s, p) AS system.main.regexp_extract(s, p, 1), "
     "(s, p, g) AS system.main.regexp_extract(s, p, g)"},
    {"regexp_extract_all",
     "(s, p) AS system.main.regexp_extract_all(s, p, 1), "
     "(s, p, g) AS system.main.regexp_extract_all(s, p, g)"},
    {"regexp_replace",
     "(s, p, r) AS system.main.regexp_replace(s, p, "
     "system.main.regexp_replace(r, '\\$([0-9])', '\\\\\\1', 'g'), 'g')"},
    {"regexp_like", "(s, p) AS regexp_matches(s, p)"},
    {"regexp", "(s, p) AS regexp_matches(s, p)"},
    {"rlike", "(s, p) AS regexp_matches(s, p)"},
    {"split", "(s, p) AS regexp_split_to_array(s, p)"},

    // Dates. Sunday is 1 for dayofweek, Monday is 0 for weekday; weeks are ISO weeks.
    {"datediff", "(a, b) AS CAST(CAST(a AS DATE) - CAST(b AS DATE) AS INTEGER)"},
    {"date_diff", "(a, b) AS CAST(CAST(a AS DATE) - CAST(b AS DATE) AS INTEGER)"},
    {"date_add", "(d, n) AS CAST(d AS DATE) + CAST(n AS INTEGER)"},
    {"dateadd", "(d, n) AS CAST(d AS DATE) + CAST(n AS INTEGER)"},
    {"date_sub", "(d, n) AS CAST(d AS DATE) - CAST(n AS INTEGER)"},
    {"add_months", "(d, n) AS CAST(CAST(d AS DATE) + to_months(CAST(n AS INTEGER)) AS DATE)"},
    {"dayofweek", "(d) AS system.main.dayofweek(d) + 1"},
    {"weekday", "(d) AS system.main.isodow(d) - 1"},
    {"weekofyear", "(d) AS system.main.weekofyear(d)"},
    // With one argument it stands in what DuckDB makes of INTERVAL 1 DAY.
    {"trunc",
     "(x) AS system.main.trunc(x), (d, f) AS CAST(date_trunc(CASE lower(f) WHEN 'yyyy' THEN 'year' "
     "WHEN 'yy' THEN "
     "'year' WHEN 'mon' THEN 'month' WHEN 'mm' THEN 'month' ELSE lower(f) END, "
     "CAST(d AS DATE)) AS DATE)"},
    {"date_trunc",
     "(f, t) AS CAST(system.main.date_trunc(lower(f), CAST(t AS TIMESTAMP)) AS TIMESTAMP)"},
    {"pt_isodow", "(d) AS system.main.isodow(d)"},
    {"dayname", "(d) AS system.main.left(system.main.dayname(CAST(d AS DATE)), 3)"},
    {"monthname", "(d) AS system.main.left(system.main.monthname(CAST(d AS DATE)), 3)"},
    {"next_day",
     "(d, n) AS CAST(d AS DATE) + CAST((CASE lower(system.main.left(trim(n), 2)) WHEN 'mo' THEN 1 "
     "WHEN 'tu' THEN 2 WHEN 'we' THEN 3 WHEN 'th' THEN 4 WHEN 'fr' THEN 5 WHEN 'sa' THEN 6 "
     "WHEN 'su' THEN 7 ELSE error('no day of the week: ' || n) END - system.main.isodow(d) + 6) % "
     "7 "
     "+ 1 AS INTEGER)"},
    {"pt_second_of_month",
     "(t) AS (day(t) - 1) * 86400 + hour(t) * 3600 + minute(t) * 60 + second(t)"},
    {"months_between",
     "(a, b) AS CASE WHEN day(a) = day(b) OR (CAST(a AS DATE) = last_day(a) AND "
     "CAST(b AS DATE) = last_day(b)) "
     "THEN CAST((year(a) - year(b)) * 12 + month(a) - month(b) AS DOUBLE) "
     "ELSE pt_round((year(a) - year(b)) * 12 + month(a) - month(b) + "
     "(pt_second_of_month(CAST(a AS TIMESTAMP)) - pt_second_of_month(CAST(b AS TIMESTAMP))) / "
     "CAST(2678400 AS DOUBLE), 8) END"},
    {"pt_date_text",
     "(s) AS CASE WHEN regexp_full_match(s, '[0-9]{4}') THEN s || '-01-01' "
     "WHEN regexp_full_match(s, '[0-9]{4}-[0-9]{1,2}') THEN s || '-01' "
     "ELSE system.main.regexp_replace(s, '^([0-9]{4}-[0-9]{1,2}-[0-9]{1,2})[ T].*$', '\\1') END"},
    {"pt_to_date",
     "(x) AS CASE WHEN typeof(x) = 'VARCHAR' "
     "THEN CAST(pt_date_text(trim(CAST(x AS VARCHAR))) AS DATE) ELSE CAST(x AS DATE) END"},
    {"pt_to_timestamp",
     "(x) AS CASE WHEN typeof(x) = 'VARCHAR' "
     "THEN CAST(CAST(trim(CAST(x AS VARCHAR)) AS TIMESTAMPTZ) AS TIMESTAMP) "
     "ELSE CAST(x AS TIMESTAMP) END"},
    {"to_date", "(s) AS pt_to_date(s)"},
    {"to_timestamp", "(s) AS pt_to_timestamp(s)"},
    {"pt_parse_time", "(s, f) AS strptime(s, f)"},
    {"pt_parse_date", "(s, f) AS CAST(strptime(s, f) AS DATE)"},
    {"pt_format_time", "(t, f) AS strftime(CAST(t AS TIMESTAMP), f)"},
    {"unix_timestamp",
     "(t) AS CAST(system.main.floor(system.main.epoch(CAST(t AS TIMESTAMP))) AS BIGINT)"},
    {"unix_date", "(d) AS CAST(CAST(d AS DATE) - DATE '1970-01-01' AS INTEGER)"},
    {"date_from_unix_date", "(n) AS DATE '1970-01-01' + CAST(n AS INTEGER)"},
    {"from_unixtime",
     "(n) AS strftime(make_timestamp(CAST(n AS BIGINT) * 1000000), '%Y-%m-%d %H:%M:%S')"},

    {"pt_to_double", "(x) AS CAST(x AS DOUBLE)"},
    {"pt_to_float", "(x) AS CAST(x AS FLOAT)"},
    // DuckDB's text of a number gives the number back, so nothing is lost on the way.
    {"pt_to_text",
     "(x) AS CASE WHEN typeof(x) = 'DOUBLE' THEN pt_double_text(CAST(CAST(x AS VARCHAR) AS "
     "DOUBLE)) "
     "WHEN typeof(x) = 'FLOAT' THEN pt_float_text(CAST(CAST(x AS VARCHAR) AS FLOAT)) "
     "ELSE CAST(x AS VARCHAR) END"},
    // DECIMAL(2, 2) leaves out the zero before the point.
    {"pt_fraction_text",
     "(x) AS system.main.regexp_replace(CAST(x AS VARCHAR), '^(-?)[.]', '\\10.')"},
    {"pt_finite_text", "(x) AS CASE WHEN isfinite(x) THEN pt_double_text(x) END"},
    {"pt_to_boolean",
     "(x) AS CASE WHEN typeof(x) = 'VARCHAR' THEN CASE WHEN lower(trim(CAST(x AS VARCHAR))) IN "
     "('t', 'true', 'y', 'yes', '1') THEN true WHEN lower(trim(CAST(x AS VARCHAR))) IN "
     "('f', 'false', 'n', 'no', '0') THEN false WHEN x IS NOT NULL "
     "THEN error('not a boolean: ' || CAST(x AS VARCHAR)) END ELSE CAST(x AS BOOLEAN) END"},
    // A sum that fits 64 bits.
    {"pt_narrow",
     "(x) AS CASE WHEN x BETWEEN -9223372036854775808 AND 9223372036854775807 "
     "THEN CAST(x AS BIGINT) WHEN x IS NOT NULL "
     "THEN error('overflow: ' || CAST(x AS VARCHAR) || ' does not fit 64 bits') END"},

    // Bits and lists. Positions in lists count from 0.
    {"shiftleft", "(a, b) AS a << b"},
    {"shiftright", "(a, b) AS a >> b"},
    {"array_position",
     "(l, x) AS CASE WHEN l IS NOT NULL AND x IS NOT NULL THEN coalesce(list_position(l, x), 0) "
     "END"},
    {"array_contains",
     "(l, x) AS CASE WHEN list_contains(l, x) THEN true "
     "WHEN len(list_filter(l, lambda y: y IS NULL)) > 0 THEN NULL ELSE list_contains(l, x) END"},
    {"size", "(l) AS len(l)"},
    {"cardinality", "(l) AS len(l)"},
    {"pt_element",
     "(l, i) AS CASE WHEN i < 0 OR i >= len(l) THEN error('index out of bounds: ' || i) "
     "ELSE l[i + 1] END"},
    {"pt_all",
     "(a, b) AS CASE WHEN a IS NOT NULL AND b IS NOT NULL THEN row(a, b) END, "
     "(a, b, c) AS CASE WHEN a IS NOT NULL AND b IS NOT NULL AND c IS NOT NULL THEN row(a, b, c) "
     "END, "
     "(a, b, c, d) AS CASE WHEN a IS NOT NULL AND b IS NOT NULL AND c IS NOT NULL AND d IS NOT "
     "NULL "
     "THEN row(a, b, c, d) END"},

    // Casts to whole numbers: fractions are cut off, text must be a whole number.
    {"pt_whole_text",
     "(s) AS CASE WHEN regexp_full_match(trim(s), '[+-]?[0-9]+') THEN ltrim(trim(s), '+') "
     "WHEN s IS NOT NULL THEN error('not a whole number: ' || s) END"},
    {"pt_try_whole_text",
     "(s) AS CASE WHEN regexp_full_match(trim(s), '[+-]?[0-9]+') THEN ltrim(trim(s), '+') END"},
    {"pt_to_bigint",
     "(x) AS CASE WHEN typeof(x) = 'VARCHAR' THEN CAST(pt_whole_text(CAST(x AS VARCHAR)) AS "
     "BIGINT) "
     "WHEN typeof(x) IN ('DOUBLE', 'FLOAT') OR typeof(x) LIKE 'DECIMAL%' "
     "THEN CAST(system.main.trunc(CAST(x AS DOUBLE)) AS BIGINT) ELSE CAST(x AS BIGINT) END"},
    {"pt_to_integer", "(x) AS CAST(pt_to_bigint(x) AS INTEGER)"},
    {"pt_to_smallint", "(x) AS CAST(pt_to_bigint(x) AS SMALLINT)"},
    {"pt_to_tinyint", "(x) AS CAST(pt_to_bigint(x) AS TINYINT)"},
    {"pt_try_bigint",
     "(x) AS CASE WHEN typeof(x) = 'VARCHAR' "
     "THEN TRY_CAST(pt_try_whole_text(CAST(x AS VARCHAR)) AS BIGINT) "
     "WHEN typeof(x) IN ('DOUBLE', 'FLOAT') OR typeof(x) LIKE 'DECIMAL%' "
     "THEN TRY_CAST(system.main.trunc(CAST(x AS DOUBLE)) AS BIGINT) "
     "ELSE TRY_CAST(x AS BIGINT) END"},
    {"pt_try_integer", "(x) AS TRY_CAST(pt_try_bigint(x) AS INTEGER)"},
    {"pt_try_smallint", "(x) AS TRY_CAST(pt_try_bigint(x) AS SMALLINT)"},
    {"pt_try_tinyint", "(x) AS TRY_CAST(pt_try_bigint(x) AS TINYINT)"},

    // Aggregates.
    {"mean", "(x) AS avg(x)"},
    {"std", "(x) AS stddev_samp(x)"},
    {"corr",
     "(x, y) AS CASE WHEN count(x + y) <= 1 THEN NULL WHEN regr_sxx(x, y) = 0 OR "
     "regr_syy(x, y) = 0 THEN error('division by zero') ELSE system.main.corr(x, y) END"},
    {"regr_slope", "(y, x) AS CASE WHEN regr_sxx(y, x) <> 0 THEN system.main.regr_slope(y, x) END"},
    {"regr_intercept",
     "(y, x) AS CASE WHEN regr_sxx(y, x) <> 0 THEN system.main.regr_intercept(y, x) END"},
    {"kurtosis", "(x) AS kurtosis_pop(x)"},
    {"percentile", "(x, p) AS quantile_cont(x, p)"},
    // Rows whose value is NULL count, too.
    {"max_by", "(x, y) AS arg_max_null(x, y)"},
    {"min_by", "(x, y) AS arg_min_null(x, y)"},
    {"array_agg", "(x) AS coalesce(list(x) FILTER (x IS NOT NULL), [])"},
    {"collect_list", "(x) AS coalesce(list(x) FILTER (x IS NOT NULL), [])"},
    {"collect_set", "(x) AS coalesce(list(DISTINCT x) FILTER (x IS NOT NULL), [])"},
    {"every", "(x) AS bool_and(x)"},
    {"some", "(x) AS bool_or(x)"},
};

}  // namespace

std::span<const std::string_view> DuckDbSettings() { return kSettings; }
std::span<const std::string_view> DuckDbConnectionSettings() { return kConnectionSettings; }
std::span<const Macro> DuckDbMacros() { return kMacros; }

}  // namespace protium
