// SPDX-License-Identifier: Apache-2.0
// Dates, times and intervals. Arguments may be text, which pt_to_date() and pt_to_timestamp() read
// as Spark does; results that are BIGINT are cast to Spark's INT by their types ('i').
#include "sql/duckdb/macros.h"

namespace protium {
namespace {

constexpr Macro kDates[] = {
    {"add_months",
     "(d, n) AS CAST(pt_add_months(CAST(pt_to_date(d) AS TIMESTAMP), to_months(CAST(n AS "
     "INTEGER))) AS DATE)"},
    {"convert_timezone",
     "(zone, t) AS pt_from_utc(pt_to_timestamp(t), zone), (a, b, t) AS "
     "pt_from_utc(pt_to_utc(pt_to_timestamp(t), a), b)"},
    {"curdate", "() AS current_date()"},
    {"current_timestamp", "() AS CAST(now() AS TIMESTAMP)"},
    {"current_timezone", "() AS 'UTC'"},
    {"date_add", "(d, n) AS pt_to_date(d) + CAST(n AS INTEGER)"},
    {"date_diff", "(a, b) AS CAST(pt_to_date(a) - pt_to_date(b) AS INTEGER)"},
    {"date_from_unix_date", "(n) AS DATE '1970-01-01' + CAST(n AS INTEGER)"},
    {"date_sub", "(d, n) AS pt_to_date(d) - CAST(n AS INTEGER)"},
    // The units that Spark knows: any other returns NULL, where DuckDB fails or knows more
    // (decade).
    {"date_trunc",
     "(f, t) AS system.main.date_trunc(CASE lower(f) WHEN 'year' THEN 'year' WHEN 'yyyy' THEN "
     "'year' WHEN 'yy' THEN 'year' WHEN 'quarter' THEN 'quarter' WHEN 'month' THEN 'month' "
     "WHEN 'mon' THEN 'month' WHEN 'mm' THEN 'month' WHEN 'week' THEN 'week' WHEN 'day' THEN "
     "'day' WHEN 'dd' THEN 'day' WHEN 'hour' THEN 'hour' WHEN 'minute' THEN 'minute' WHEN "
     "'second' THEN 'second' WHEN 'millisecond' THEN 'millisecond' WHEN 'microsecond' THEN "
     "'microsecond' END, pt_to_timestamp(t))"},
    {"dateadd", "(d, n) AS pt_to_date(d) + CAST(n AS INTEGER)"},
    {"datediff", "(a, b) AS CAST(pt_to_date(a) - pt_to_date(b) AS INTEGER)"},
    {"day", "(d) AS system.main.day(pt_to_date(d))"},
    // Three letters in Spark, the whole name in DuckDB.
    {"dayname", "(d) AS system.main.left(system.main.dayname(pt_to_date(d)), 3)"},
    {"dayofmonth", "(d) AS system.main.day(pt_to_date(d))"},
    // Sunday is 1.
    {"dayofweek", "(d) AS system.main.dayofweek(pt_to_date(d)) + 1"},
    {"dayofyear", "(d) AS system.main.dayofyear(pt_to_date(d))"},
    {"from_unixtime",
     "(n) AS strftime(system.main.make_timestamp(CAST(n AS BIGINT) * 1000000), '%Y-%m-%d "
     "%H:%M:%S')"},
    {"from_utc_timestamp", "(t, zone) AS pt_from_utc(pt_to_timestamp(t), zone)"},
    {"hour", "(t) AS system.main.hour(pt_to_timestamp(t))"},
    {"last_day", "(d) AS system.main.last_day(pt_to_date(d))"},
    {"localtimestamp", "() AS CAST(now() AS TIMESTAMP)"},
    // Spark's fields are INT, and seconds a DECIMAL(18, 6).
    {"make_dt_interval",
     "() AS pt_interval_of_micros(0), (d) AS pt_make_interval(d, 0, 0, 0), (d, h) AS "
     "pt_make_interval(d, h, 0, 0), (d, h, m) AS pt_make_interval(d, h, m, 0), (d, h, m, s) AS "
     "pt_make_interval(d, h, m, s)"},
    {"make_timestamp",
     "(y, mo, d, h, mi, s) AS pt_make_timestamp(y, mo, d, h, mi, s), (y, mo, d, h, mi, s, "
     "zone) AS pt_to_utc(pt_make_timestamp(y, mo, d, h, mi, s), zone)"},
    {"make_timestamp_ltz",
     "(y, mo, d, h, mi, s) AS pt_make_timestamp(y, mo, d, h, mi, s), (y, mo, d, h, mi, s, "
     "zone) AS pt_to_utc(pt_make_timestamp(y, mo, d, h, mi, s), zone)"},
    {"make_timestamp_ntz", "(y, mo, d, h, mi, s) AS pt_make_timestamp(y, mo, d, h, mi, s)"},
    {"make_ym_interval",
     "() AS to_months(0), (y) AS to_months(CAST(y * 12 AS INTEGER)), (y, m) AS "
     "to_months(CAST(y * 12 + m AS INTEGER))"},
    {"minute", "(t) AS system.main.minute(pt_to_timestamp(t))"},
    {"month", "(d) AS system.main.month(pt_to_date(d))"},
    {"monthname", "(d) AS system.main.left(system.main.monthname(pt_to_date(d)), 3)"},
    {"months_between",
     "(a, b) AS pt_months(pt_to_timestamp(a), pt_to_timestamp(b), true), (a, b, rounded) AS "
     "pt_months(pt_to_timestamp(a), pt_to_timestamp(b), rounded)"},
    // Counts from Monday = 1 (ISO). Plus 6, modulo 7, plus 1: a day of the same name moves a whole
    // week.
    {"next_day",
     "(d, n) AS pt_to_date(d) + CAST((CASE lower(trim(n)) WHEN 'mo' THEN 1 WHEN 'mon' THEN 1 "
     "WHEN 'monday' THEN 1 WHEN 'tu' THEN 2 WHEN 'tue' THEN 2 WHEN 'tuesday' THEN 2 WHEN 'we' "
     "THEN 3 WHEN 'wed' THEN 3 WHEN 'wednesday' THEN 3 WHEN 'th' THEN 4 WHEN 'thu' THEN 4 "
     "WHEN 'thursday' THEN 4 WHEN 'fr' THEN 5 WHEN 'fri' THEN 5 WHEN 'friday' THEN 5 WHEN "
     "'sa' THEN 6 WHEN 'sat' THEN 6 WHEN 'saturday' THEN 6 WHEN 'su' THEN 7 WHEN 'sun' THEN 7 "
     "WHEN 'sunday' THEN 7 ELSE error('not a day of the week: ' || n) END - "
     "system.main.isodow(pt_to_date(d)) + 6) % 7 + 1 AS INTEGER)"},
    {"quarter", "(d) AS system.main.quarter(pt_to_date(d))"},
    {"second", "(t) AS system.main.second(pt_to_timestamp(t))"},
    {"timestamp_micros", "(n) AS system.main.make_timestamp(CAST(n AS BIGINT))"},
    {"timestamp_millis", "(n) AS system.main.make_timestamp(CAST(n AS BIGINT) * 1000)"},
    // A fraction beyond microseconds is cut off.
    {"timestamp_seconds",
     "(n) AS system.main.make_timestamp(CAST(system.main.trunc(n * 1000000) AS BIGINT))"},
    // The unit is a word in Spark, which the reader turns into a text.
    {"timestampadd", "(unit, n, t) AS pt_add_units(unit, CAST(n AS BIGINT), pt_to_timestamp(t))"},
    {"timestampdiff",
     "(unit, a, b) AS pt_count_units(unit, pt_to_timestamp(a), pt_to_timestamp(b))"},
    {"to_date", "(s) AS pt_to_date(s)"},
    {"to_timestamp", "(s) AS pt_to_timestamp(s)"},
    {"to_timestamp_ltz", "(t) AS pt_to_timestamp(t)"},
    {"to_timestamp_ntz", "(t) AS pt_to_local_timestamp(t)"},
    {"to_unix_timestamp", "(t) AS pt_unix_time(pt_to_timestamp(t))"},
    {"to_utc_timestamp", "(t, zone) AS pt_to_utc(pt_to_timestamp(t), zone)"},
    // DuckDB parses INTERVAL 1 DAY to to_days(CAST(trunc(CAST(1 AS DOUBLE)) AS INTEGER)): trunc()
    // with one argument is that function.
    {"trunc",
     "(x) AS system.main.trunc(x), (d, f) AS CAST(system.main.date_trunc(CASE lower(f) WHEN "
     "'year' THEN 'year' WHEN 'yyyy' THEN 'year' WHEN 'yy' THEN 'year' WHEN 'quarter' THEN "
     "'quarter' WHEN 'month' THEN 'month' WHEN 'mon' THEN 'month' WHEN 'mm' THEN 'month' WHEN "
     "'week' THEN 'week' END, pt_to_date(d)) AS DATE)"},
    {"try_make_timestamp",
     "(y, mo, d, h, mi, s) AS pt_try_make_timestamp(y, mo, d, h, mi, s), (y, mo, d, h, mi, s, "
     "zone) AS pt_to_utc(pt_try_make_timestamp(y, mo, d, h, mi, s), zone)"},
    {"try_make_timestamp_ltz",
     "(y, mo, d, h, mi, s) AS pt_try_make_timestamp(y, mo, d, h, mi, s), (y, mo, d, h, mi, s, "
     "zone) AS pt_to_utc(pt_try_make_timestamp(y, mo, d, h, mi, s), zone)"},
    {"try_make_timestamp_ntz", "(y, mo, d, h, mi, s) AS pt_try_make_timestamp(y, mo, d, h, mi, s)"},
    {"try_to_date", "(s) AS pt_try_date(s)"},
    {"try_to_timestamp", "(s) AS pt_try_timestamp(s)"},
    {"unix_date", "(d) AS CAST(pt_to_date(d) - DATE '1970-01-01' AS INTEGER)"},
    {"unix_micros", "(t) AS epoch_us(pt_to_timestamp(t))"},
    // Rounded down, also before 1970.
    {"unix_millis",
     "(t) AS CAST(system.main.floor(system.main.\"/\"(epoch_us(pt_to_timestamp(t)), 1000)) AS "
     "BIGINT)"},
    {"unix_seconds", "(t) AS pt_seconds(pt_to_timestamp(t))"},
    {"unix_timestamp", "(t) AS pt_unix_time(pt_to_timestamp(t))"},
    // Monday is 0.
    {"weekday", "(d) AS system.main.isodow(pt_to_date(d)) - 1"},
    {"weekofyear", "(d) AS system.main.weekofyear(pt_to_date(d))"},
    {"year", "(d) AS system.main.year(pt_to_date(d))"},
};

}  // namespace

std::span<const Macro> macros::Dates() { return kDates; }

}  // namespace protium
