// SPDX-License-Identifier: Apache-2.0
// The parts of macros. Names begin with pt_, which users must not call; those without a row here
// are functions in C++ (src/tables/functions). pt_to_<type> casts as Spark does in ANSI mode and
// pt_try_<type> as TRY_CAST, by the type of the argument: anything but text and, for whole numbers,
// numbers with a fraction, is left to DuckDB's own cast.
#include "sql/duckdb/macros.h"

namespace protium {
namespace {

constexpr Macro kPieces[] = {
    // A row of all arguments, or NULL if one of them is NULL: for count(DISTINCT a, b).
    {"pt_all",
     "(a, b) AS CASE WHEN a IS NOT NULL AND b IS NOT NULL THEN row(a, b) END, (a, b, c) AS "
     "CASE WHEN a IS NOT NULL AND b IS NOT NULL AND c IS NOT NULL THEN row(a, b, c) END, (a, "
     "b, c, d) AS CASE WHEN a IS NOT NULL AND b IS NOT NULL AND c IS NOT NULL AND d IS NOT "
     "NULL THEN row(a, b, c, d) END"},
    // AND and OR over a list of conditions, with SQL's three-valued logic.
    {"pt_all_true",
     "(l) AS CASE WHEN list_contains(l, false) THEN false WHEN list_position(l, NULL) > 0 "
     "THEN NULL WHEN l IS NOT NULL THEN true END"},
    {"pt_any_true",
     "(l) AS CASE WHEN list_contains(l, true) THEN true WHEN list_position(l, NULL) > 0 THEN "
     "NULL WHEN l IS NOT NULL THEN false END"},
    {"pt_bit",
     "(x, place) AS CASE WHEN place < 0 OR place > 63 THEN error('there is no bit ' || place) "
     "ELSE pt_shift_right(CAST(x AS BIGINT), CAST(place AS INTEGER)) & 1 END"},
    // The UTF-8 bytes of anything but a BLOB.
    {"pt_bytes",
     "(x) AS CASE WHEN typeof(x) = 'BLOB' THEN TRY_CAST(x AS BLOB) ELSE "
     "system.main.encode(CAST(x AS VARCHAR)) END"},
    // The steps in which sequence() counts: from a time to a time by days, by an interval of whole
    // days, by microseconds, by months.
    {"pt_date_steps",
     "(a, b, s) AS CASE WHEN epoch_us(s) % 86400000000 <> 0 THEN error('the step of a sequence "
     "of dates is not a number of whole days') ELSE pt_time_steps(a, b, s) END"},
    {"pt_day_steps",
     "(a, b) AS pt_time_steps(a, b, CASE WHEN a <= b THEN to_days(1) ELSE to_days(-1) END)"},
    // The days from a to b, downwards if b is earlier.
    {"pt_days",
     "(a, b) AS list_transform(CASE WHEN a <= b THEN generate_series(0, b - a) ELSE "
     "generate_series(0, b - a, -1) END, lambda i: a + CAST(i AS INTEGER))"},
    // Includes an element only where it first occurs.
    {"pt_distinct", "(l) AS list_filter(l, lambda x, i: list_position(l, x) = i)"},
    // Uses the macro "/", so that zero is an error.
    {"pt_divide", "(a, b) AS CAST(a AS DOUBLE) / CAST(b AS DOUBLE)"},
    // Spark's list[i]; out of range is an error in ANSI mode.
    {"pt_element",
     "(l, i) AS CASE WHEN i < 0 OR i >= len(l) THEN error('index out of bounds: ' || i) ELSE "
     "l[i + 1] END"},
    // For lists by position from 1, negative from the end; for maps by key, NULL for a missing one.
    {"pt_element_at",
     "(l, i) AS CASE WHEN TRY_CAST(i AS BIGINT) = 0 AND typeof(l) LIKE '%[]' THEN "
     "error('element_at counts from 1, "
     "not from 0') WHEN typeof(l) LIKE '%[]' AND abs(TRY_CAST(i AS BIGINT)) > pt_size(l) THEN "
     "error('index out of "
     "bounds: ' || i) ELSE l[i] END"},
    {"pt_finite",
     "(x) AS CASE WHEN isinf(CAST(x AS DOUBLE)) THEN 'NaN'::DOUBLE "
     "ELSE CAST(x AS DOUBLE) END"},
    // NULL for NaN and infinities, which no decimal can represent.
    {"pt_finite_text", "(x) AS CASE WHEN isfinite(x) THEN pt_double_text(x) END"},
    {"pt_format_seconds",
     "(n, f) AS pt_write_time(system.main.make_timestamp(CAST(n AS BIGINT) * 1000000), f)"},
    {"pt_format_time", "(t, f) AS pt_write_time(pt_to_timestamp(t), f)"},
    // DuckDB omits the zero before the point of a DECIMAL(2, 2).
    {"pt_fraction_text",
     "(x) AS system.main.regexp_replace(CAST(x AS VARCHAR), '^(-?)[.]', '\\10.')"},
    // The offset from 0 of a position of substring(), which counts from 1, or from the end if
    // negative.
    {"pt_from", "(s, p) AS CASE WHEN p > 0 THEN p - 1 WHEN p < 0 THEN length(s) + p ELSE 0 END"},
    {"pt_ilike", "(s, p, e) AS pt_like(pt_lower(s), pt_lower(p), e)"},
    // An interval of days and times as a number of one unit, cut off towards zero.
    {"pt_interval_days", "(x) AS system.main.\"//\"(pt_interval_micros(x), 86400000000)"},
    {"pt_interval_decimal",
     "(x) AS CAST(CAST(pt_interval_micros(x) AS DECIMAL(19, 0)) * CAST('0.000001' AS "
     "DECIMAL(6, 6)) AS DECIMAL(18, 6))"},
    {"pt_interval_hours", "(x) AS system.main.\"//\"(pt_interval_micros(x), 3600000000)"},
    {"pt_interval_minutes", "(x) AS system.main.\"//\"(pt_interval_micros(x), 60000000)"},
    {"pt_interval_months",
     "(x) AS pt_interval_part('year', x) * 12 + pt_interval_part('month', x)"},
    {"pt_interval_seconds", "(x) AS system.main.\"//\"(pt_interval_micros(x), 1000000)"},
    {"pt_interval_years", "(x) AS pt_interval_part('year', x)"},
    {"pt_isodow", "(d) AS system.main.isodow(d)"},
    {"pt_isoyear", "(d) AS system.main.isoyear(pt_to_date(d))"},
    // A lambda's second parameter: Spark counts in INT and from 0.
    {"pt_lambda_place", "(i) AS CAST(i - 1 AS INTEGER)"},
    // See TypedLiteralRule.
    {"pt_literal_bigint", "(x) AS CAST(x AS BIGINT)"},
    {"pt_literal_smallint", "(x) AS CAST(x AS SMALLINT)"},
    {"pt_make_interval",
     "(d, h, m, s) AS pt_interval_of_micros(CAST(CAST(d AS HUGEINT) * 86400000000 + CAST(h AS "
     "HUGEINT) * 3600000000 + CAST(m AS HUGEINT) * 60000000 + CAST(CAST(s AS DECIMAL(18, 6)) "
     "* 1000000 AS BIGINT) AS BIGINT))"},
    {"pt_make_timestamp",
     "(y, mo, d, h, mi, s) AS pt_make_time(CAST(y AS INTEGER), CAST(mo AS INTEGER), CAST(d AS "
     "INTEGER), CAST(h AS INTEGER), CAST(mi AS INTEGER), pt_micros_of_seconds(s))"},
    {"pt_map_of",
     "(s, p, k) AS map_from_entries(list_transform(pt_split(s, p, -1), lambda e: "
     "row(pt_split(e, k, 2)[1], pt_split(e, k, 2)[2])))"},
    {"pt_map_value", "(m, k) AS m[k]"},
    // A decimal as an argument of pt_decimal_n(), which makes DuckDB aware that the call may fail,
    // so that it leaves conditions in their order. C++ cannot declare this (src/tables/functions).
    {"pt_may_fail", "(x) AS system.main.\"+\"(x, CAST(0 AS DECIMAL(1, 0)))"},
    // A time of a result's column, by the column's name: tables have microseconds.
    {"pt_micros_column",
     "(t, c) AS CASE WHEN epoch_ns(t) = epoch_ns(CAST(CAST(t AS TIMESTAMP) AS TIMESTAMP_NS)) "
     "THEN CAST(t AS TIMESTAMP) WHEN t IS NOT NULL THEN error('column \"' || c || '\" holds ' "
     "|| CAST(t AS VARCHAR) || ', which has nanoseconds') END"},
    {"pt_micros_of_seconds", "(s) AS CAST(CAST(s AS DECIMAL(16, 6)) * 1000000 AS BIGINT)"},
    {"pt_month_steps",
     "(a, b, s) AS pt_months_apart(a, b, CAST(system.main.date_part('year', s) * 12 + "
     "system.main.date_part('month', s) AS INTEGER))"},
    // months_between(): whole months if both are the same day or both the last of a month,
    // otherwise with a fraction based on 31 days (2678400 s), rounded to eight digits by default.
    {"pt_months",
     "(a, b, rounded) AS CASE WHEN rounded IS NULL THEN NULL WHEN system.main.day(a) = "
     "system.main.day(b) OR (CAST(a AS DATE) = system.main.last_day(a) AND CAST(b AS DATE) = "
     "system.main.last_day(b)) THEN CAST(pt_whole_months(a, b) AS DOUBLE) WHEN rounded THEN "
     "pt_round(pt_whole_months(a, b) + system.main.\"/\"(pt_second_of_month(a) - "
     "pt_second_of_month(b), CAST(2678400 AS DOUBLE)), 8) ELSE pt_whole_months(a, b) + "
     "system.main.\"/\"(pt_second_of_month(a) - pt_second_of_month(b), CAST(2678400 AS "
     "DOUBLE)) END"},
    {"pt_months_apart",
     "(a, b, n) AS CASE WHEN a IS NULL OR b IS NULL OR n IS NULL THEN NULL WHEN (b > a AND n "
     "<= 0) OR (b < a AND n >= 0) THEN error('sequence never reaches its end with this step') "
     "WHEN a = b THEN [a] ELSE list_filter(list_transform(range(CAST(system.main.\"//\"("
     "pt_whole_months(b, a), n) AS BIGINT) + 1), lambda i: a + to_months(CAST(i * n AS "
     "INTEGER))), lambda t: CASE WHEN n > 0 THEN t <= b ELSE t >= b END) END"},
    // A sum of whole numbers: DuckDB adds them in 128 bits, and Spark fails beyond 64.
    {"pt_narrow",
     "(x) AS CASE WHEN x BETWEEN -9223372036854775808 AND 9223372036854775807 THEN CAST(x AS "
     "BIGINT) WHEN x IS NOT NULL THEN error('overflow: ' || CAST(x AS VARCHAR) || ' does not "
     "fit 64 bits') END"},
    // The same for a result's column of whole numbers, by its name.
    {"pt_narrow_column",
     "(x, c) AS CASE WHEN x BETWEEN -9223372036854775808 AND 9223372036854775807 THEN CAST(x "
     "AS BIGINT) WHEN x IS NOT NULL THEN error('column \"' || c || '\" holds ' || CAST(x AS "
     "VARCHAR) || ', an overflow of int64') END"},
    {"pt_not_ilike", "(s, p, e) AS NOT pt_ilike(s, p, e)"},
    {"pt_not_like", "(s, p, e) AS NOT pt_like(s, p, e)"},
    {"pt_or_empty", "(l) AS coalesce(l, [])"},
    // A list with a single NULL if there are no elements to make rows of.
    {"pt_or_null", "(l) AS CASE WHEN len(l) > 0 THEN l ELSE [NULL] END"},
    {"pt_pair_text", "(k, v) AS system.main.concat(k, ' -> ', v)"},
    {"pt_parse_date", "(s, f) AS CAST(pt_read_time(s, f) AS DATE)"},
    {"pt_parse_seconds",
     "(t, f) AS CASE WHEN typeof(t) = 'VARCHAR' THEN pt_unix_time(pt_read_time(CAST(t AS "
     "VARCHAR), f)) ELSE pt_unix_time(TRY_CAST(t AS TIMESTAMP)) END"},
    {"pt_parse_time", "(s, f) AS pt_read_time(s, f)"},
    {"pt_percentile",
     "(x, p) AS CASE WHEN count(x) > 10000 THEN error('percentile_approx is exact for up to "
     "10000 rows here; use percentile') ELSE quantile_disc(x, p) END"},
    // The positions of a list's elements, from 0.
    {"pt_places",
     "(l) AS list_transform(generate_series(0, len(l) - 1), lambda i: CAST(i AS INTEGER))"},
    // Seconds with their fraction, DECIMAL(8, 6) as Spark's extract(SECOND) returns.
    {"pt_second",
     "(t) AS CAST(system.main.date_part('microseconds', pt_to_timestamp(t)) / 1000000.0 AS "
     "DECIMAL(8, 6))"},
    {"pt_second_of_month",
     "(t) AS (system.main.day(t) - 1) * 86400 + system.main.hour(t) * 3600 + "
     "system.main.minute(t) * 60 + system.main.second(t)"},
    // Rounded down, also before 1970.
    {"pt_seconds",
     "(t) AS CAST(system.main.floor(system.main.\"/\"(epoch_us(t), 1000000)) AS BIGINT)"},
    {"pt_sqrt", "(x) AS sqrt(CAST(x AS DOUBLE))"},
    // The texts of the parts of a list, map or struct, as Spark's casts write them.
    {"pt_text_in_braces",
     "(l) AS CASE WHEN l IS NOT NULL THEN system.main.concat('{', array_to_string(l, ', '), "
     "'}') END"},
    {"pt_text_in_brackets",
     "(l) AS CASE WHEN l IS NOT NULL THEN system.main.concat('[', array_to_string(l, ', '), "
     "']') END"},
    {"pt_time_steps",
     "(a, b, s) AS CASE WHEN a IS NULL OR b IS NULL OR s IS NULL THEN NULL WHEN (b > a AND "
     "epoch_us(s) <= 0) OR (b < a AND epoch_us(s) >= 0) THEN error('sequence never reaches its "
     "end with this step') WHEN a = b THEN [a] ELSE list_transform(generate_series(0, "
     "epoch_us(b) - epoch_us(a), epoch_us(s)), lambda i: a + to_microseconds(i)) END"},
    {"pt_to_bigint",
     "(x) AS CASE WHEN typeof(x) = 'VARCHAR' THEN pt_text_to_whole(CAST(x AS VARCHAR)) WHEN "
     "typeof(x) IN ('DOUBLE', 'FLOAT') OR typeof(x) LIKE 'DECIMAL%' THEN "
     "CAST(system.main.trunc(CAST(x AS DOUBLE)) AS BIGINT) WHEN typeof(x) = 'TIMESTAMP' THEN "
     "pt_seconds(TRY_CAST(x AS TIMESTAMP)) ELSE CAST(x AS BIGINT) END"},
    {"pt_to_boolean",
     "(x) AS CASE WHEN typeof(x) = 'VARCHAR' THEN pt_text_to_boolean(CAST(x AS VARCHAR)) ELSE "
     "CAST(x AS BOOLEAN) END"},
    {"pt_to_date",
     "(x) AS CASE WHEN typeof(x) = 'VARCHAR' THEN pt_text_to_date(CAST(x AS VARCHAR)) ELSE "
     "CAST(x AS DATE) END"},
    {"pt_to_double",
     "(x) AS CASE WHEN typeof(x) = 'VARCHAR' THEN pt_text_to_double(CAST(x AS VARCHAR)) ELSE "
     "CAST(x AS DOUBLE) END"},
    {"pt_to_float",
     "(x) AS CASE WHEN typeof(x) = 'VARCHAR' THEN pt_text_to_float(CAST(x AS VARCHAR)) ELSE "
     "CAST(x AS FLOAT) END"},
    {"pt_to_integer", "(x) AS CAST(pt_to_bigint(x) AS INTEGER)"},
    // TIMESTAMP_NTZ: a zone in the text is ignored.
    {"pt_to_local_timestamp",
     "(x) AS CASE WHEN typeof(x) = 'VARCHAR' THEN pt_text_to_local_timestamp(CAST(x AS "
     "VARCHAR)) ELSE CAST(x AS TIMESTAMP) END"},
    {"pt_to_smallint", "(x) AS CAST(pt_to_bigint(x) AS SMALLINT)"},
    // DuckDB's text of a number reads back as the same number, so nothing is lost.
    {"pt_to_text",
     "(x) AS CASE WHEN typeof(x) = 'DOUBLE' THEN pt_double_text(CAST(CAST(x AS VARCHAR) AS "
     "DOUBLE)) WHEN typeof(x) = 'FLOAT' THEN pt_float_text(CAST(CAST(x AS VARCHAR) AS FLOAT)) "
     "ELSE CAST(x AS VARCHAR) END"},
    {"pt_to_timestamp",
     "(x) AS CASE WHEN typeof(x) = 'VARCHAR' THEN pt_text_to_timestamp(CAST(x AS VARCHAR)) "
     "ELSE CAST(x AS TIMESTAMP) END"},
    {"pt_to_tinyint", "(x) AS CAST(pt_to_bigint(x) AS TINYINT)"},
    {"pt_try_bigint",
     "(x) AS CASE WHEN typeof(x) = 'VARCHAR' THEN pt_try_text_to_whole(CAST(x AS VARCHAR)) "
     "WHEN typeof(x) IN ('DOUBLE', 'FLOAT') OR typeof(x) LIKE 'DECIMAL%' THEN "
     "TRY_CAST(system.main.trunc(CAST(x AS DOUBLE)) AS BIGINT) "
     "ELSE TRY_CAST(x AS BIGINT) END"},
    {"pt_try_boolean",
     "(x) AS CASE WHEN typeof(x) = 'VARCHAR' THEN pt_try_text_to_boolean(CAST(x AS VARCHAR)) "
     "ELSE TRY_CAST(x AS BOOLEAN) END"},
    {"pt_try_date",
     "(x) AS CASE WHEN typeof(x) = 'VARCHAR' THEN pt_try_text_to_date(CAST(x AS VARCHAR)) "
     "ELSE TRY_CAST(x AS DATE) END"},
    {"pt_try_double",
     "(x) AS CASE WHEN typeof(x) = 'VARCHAR' THEN pt_try_text_to_double(CAST(x AS VARCHAR)) "
     "ELSE TRY_CAST(x AS DOUBLE) END"},
    {"pt_try_float",
     "(x) AS CASE WHEN typeof(x) = 'VARCHAR' THEN pt_try_text_to_float(CAST(x AS VARCHAR)) "
     "ELSE TRY_CAST(x AS FLOAT) END"},
    {"pt_try_integer", "(x) AS TRY_CAST(pt_try_bigint(x) AS INTEGER)"},
    {"pt_try_local_timestamp",
     "(x) AS CASE WHEN typeof(x) = 'VARCHAR' THEN pt_try_text_to_local_timestamp(CAST(x AS "
     "VARCHAR)) ELSE TRY_CAST(x AS TIMESTAMP) END"},
    {"pt_try_make_timestamp",
     "(y, mo, d, h, mi, s) AS pt_try_make_time(CAST(y AS INTEGER), CAST(mo AS INTEGER), CAST(d "
     "AS INTEGER), CAST(h AS INTEGER), CAST(mi AS INTEGER), pt_micros_of_seconds(s))"},
    {"pt_try_parse_date", "(s, f) AS CAST(pt_try_read_time(s, f) AS DATE)"},
    {"pt_try_parse_time", "(s, f) AS pt_try_read_time(s, f)"},
    {"pt_try_smallint", "(x) AS TRY_CAST(pt_try_bigint(x) AS SMALLINT)"},
    {"pt_try_timestamp",
     "(x) AS CASE WHEN typeof(x) = 'VARCHAR' THEN pt_try_text_to_timestamp(CAST(x AS "
     "VARCHAR)) ELSE TRY_CAST(x AS TIMESTAMP) END"},
    {"pt_try_tinyint", "(x) AS TRY_CAST(pt_try_bigint(x) AS TINYINT)"},
    // Spark (java.util.Base64's MIME decoder) needs no "=" at the end, DuckDB does.
    {"pt_unbase64", "(s) AS system.main.from_base64(rpad(s, (length(s) + 3) // 4 * 4, '='))"},
    // Cut off towards zero, unlike pt_seconds(): Spark's unix_timestamp() divides without rounding
    // down.
    {"pt_unix_time", "(t) AS CAST(system.main.\"//\"(epoch_us(t), 1000000) AS BIGINT)"},
    {"pt_whole_months",
     "(a, b) AS (system.main.year(a) - system.main.year(b)) * 12 + system.main.month(a) - "
     "system.main.month(b)"},
    // A list of one element, or null.
    {"pt_within_list", "(x) AS CASE WHEN x IS NOT NULL THEN [x] END"},
    // Elements of two lists, and values of two maps, side by side; null where one side has none.
    {"pt_zip",
     "(a, b) AS CASE WHEN a IS NOT NULL AND b IS NOT NULL THEN list_transform(list_zip(a, b), "
     "lambda p: struct_pack(pt_first := p[1], pt_second := p[2])) END"},
    {"pt_zip_maps",
     "(a, b) AS CASE WHEN a IS NOT NULL AND b IS NOT NULL THEN "
     "list_transform(pt_distinct(list_concat(map_keys(a), map_keys(b))), lambda k: "
     "struct_pack(key := k, pt_first := a[k], pt_second := b[k])) END"},
};

}  // namespace

std::span<const Macro> macros::Pieces() { return kPieces; }

}  // namespace protium
