// SPDX-License-Identifier: Apache-2.0
// Dates, times and intervals. All times are without a zone, which is UTC. Arguments may be text,
// which pt_to_date() and pt_to_timestamp() read as Spark does; results of DuckDB that are BIGINT
// are cast to Spark's INT by their types ('i').
#include "sql_words/functions/table.h"

namespace protium {
namespace {

using namespace functions;

constexpr SqlFunction kDates[] = {
    Macro("add_months",
          "(d, n) AS CAST(pt_add_months(CAST(pt_to_date(d) AS TIMESTAMP), to_months(CAST(n AS "
          "INTEGER))) AS DATE)")
        .Typed("di", 'D'),
    NotExact("convert_timezone", "each engine's release has its own rules for time zones",
             "(zone, t) AS pt_from_utc(pt_to_timestamp(t), zone), (a, b, t) AS "
             "pt_from_utc(pt_to_utc(pt_to_timestamp(t), a), b)"),
    NotExact("curdate", kNow, "() AS current_date()"),
    NotExact("current_date", kNow),
    NotExact("current_timestamp", kNow, "() AS CAST(now() AS TIMESTAMP)").Typed("*", 'S'),
    Macro("current_timezone", "() AS 'UTC'"),
    Macro("date_add", "(d, n) AS pt_to_date(d) + CAST(n AS INTEGER)").Typed("dk", 'D'),
    Macro("date_diff", "(a, b) AS CAST(pt_to_date(a) - pt_to_date(b) AS INTEGER)").Typed("d", 'I'),
    Same("date_format"),
    Macro("date_from_unix_date", "(n) AS DATE '1970-01-01' + CAST(n AS INTEGER)").Typed("i", 'D'),
    Same("date_part").Typed("**", 'i'),
    Macro("date_sub", "(d, n) AS pt_to_date(d) - CAST(n AS INTEGER)").Typed("dk", 'D'),
    // The units that Spark knows: any other gives NULL, where DuckDB fails or knows more (decade).
    Macro("date_trunc",
          "(f, t) AS system.main.date_trunc(CASE lower(f) WHEN 'year' THEN 'year' WHEN 'yyyy' THEN "
          "'year' WHEN 'yy' THEN 'year' WHEN 'quarter' THEN 'quarter' WHEN 'month' THEN 'month' "
          "WHEN 'mon' THEN 'month' WHEN 'mm' THEN 'month' WHEN 'week' THEN 'week' WHEN 'day' THEN "
          "'day' WHEN 'dd' THEN 'day' WHEN 'hour' THEN 'hour' WHEN 'minute' THEN 'minute' WHEN "
          "'second' THEN 'second' WHEN 'millisecond' THEN 'millisecond' WHEN 'microsecond' THEN "
          "'microsecond' END, pt_to_timestamp(t))")
        .Typed("ts", 'S'),
    Macro("dateadd", "(d, n) AS pt_to_date(d) + CAST(n AS INTEGER)").Typed("dk", 'D'),
    Macro("datediff", "(a, b) AS CAST(pt_to_date(a) - pt_to_date(b) AS INTEGER)").Typed("d", 'I'),
    Same("datepart"),
    Macro("day", "(d) AS system.main.day(pt_to_date(d))").Typed("d", 'i'),
    // Three letters in Spark, the whole name in DuckDB.
    Macro("dayname", "(d) AS system.main.left(system.main.dayname(pt_to_date(d)), 3)")
        .Typed("d", 'T'),
    Macro("dayofmonth", "(d) AS system.main.day(pt_to_date(d))").Typed("d", 'i'),
    // Sunday is 1.
    Macro("dayofweek", "(d) AS system.main.dayofweek(pt_to_date(d)) + 1").Typed("d", 'i'),
    Macro("dayofyear", "(d) AS system.main.dayofyear(pt_to_date(d))").Typed("d", 'i'),
    Macro("from_unixtime",
          "(n) AS strftime(system.main.make_timestamp(CAST(n AS BIGINT) * 1000000), '%Y-%m-%d "
          "%H:%M:%S')"),
    NotExact("from_utc_timestamp", "each engine's release has its own rules for time zones",
             "(t, zone) AS pt_from_utc(pt_to_timestamp(t), zone)")
        .Typed("sx", 'S'),
    Macro("hour", "(t) AS system.main.hour(pt_to_timestamp(t))").Typed("s", 'i'),
    Macro("last_day", "(d) AS system.main.last_day(pt_to_date(d))").Typed("d", 'D'),
    NotExact("localtimestamp", kNow, "() AS CAST(now() AS TIMESTAMP)"),
    Same("make_date").Typed("i", 'D'),
    // Spark's fields are INT, and seconds a DECIMAL(18, 6).
    Macro(
        "make_dt_interval",
        "() AS pt_interval_of_micros(0), (d) AS pt_make_interval(d, 0, 0, 0), (d, h) AS "
        "pt_make_interval(d, h, 0, 0), (d, h, m) AS pt_make_interval(d, h, m, 0), (d, h, m, s) AS "
        "pt_make_interval(d, h, m, s)")
        .Typed("iiin", 'V'),
    Refused("make_interval",
            "the embedded engine counts months, days and seconds of an interval differently",
            "use INTERVAL n DAYS, HOURS, ..."),
    Refused("make_time", "times of day are no type of tables"),
    Macro("make_timestamp",
          "(y, mo, d, h, mi, s) AS pt_make_timestamp(y, mo, d, h, mi, s), (y, mo, d, h, mi, s, "
          "zone) AS pt_to_utc(pt_make_timestamp(y, mo, d, h, mi, s), zone)"),
    Macro("make_timestamp_ltz",
          "(y, mo, d, h, mi, s) AS pt_make_timestamp(y, mo, d, h, mi, s), (y, mo, d, h, mi, s, "
          "zone) AS pt_to_utc(pt_make_timestamp(y, mo, d, h, mi, s), zone)"),
    Macro("make_timestamp_ntz", "(y, mo, d, h, mi, s) AS pt_make_timestamp(y, mo, d, h, mi, s)"),
    Macro("make_ym_interval",
          "() AS to_months(0), (y) AS to_months(CAST(y * 12 AS INTEGER)), (y, m) AS "
          "to_months(CAST(y * 12 + m AS INTEGER))")
        .Typed("i", 'M'),
    Macro("minute", "(t) AS system.main.minute(pt_to_timestamp(t))").Typed("s", 'i'),
    Macro("month", "(d) AS system.main.month(pt_to_date(d))").Typed("d", 'i'),
    Macro("monthname", "(d) AS system.main.left(system.main.monthname(pt_to_date(d)), 3)")
        .Typed("d", 'T'),
    Macro("months_between",
          "(a, b) AS pt_months(pt_to_timestamp(a), pt_to_timestamp(b), true), (a, b, rounded) AS "
          "pt_months(pt_to_timestamp(a), pt_to_timestamp(b), rounded)")
        .Typed("ssb", 'N'),
    // Counts from Monday = 1 (ISO). Plus 6, modulo 7, plus 1: a day of the same name moves a whole
    // week.
    Macro("next_day",
          "(d, n) AS pt_to_date(d) + CAST((CASE lower(trim(n)) WHEN 'mo' THEN 1 WHEN 'mon' THEN 1 "
          "WHEN 'monday' THEN 1 WHEN 'tu' THEN 2 WHEN 'tue' THEN 2 WHEN 'tuesday' THEN 2 WHEN 'we' "
          "THEN 3 WHEN 'wed' THEN 3 WHEN 'wednesday' THEN 3 WHEN 'th' THEN 4 WHEN 'thu' THEN 4 "
          "WHEN 'thursday' THEN 4 WHEN 'fr' THEN 5 WHEN 'fri' THEN 5 WHEN 'friday' THEN 5 WHEN "
          "'sa' THEN 6 WHEN 'sat' THEN 6 WHEN 'saturday' THEN 6 WHEN 'su' THEN 7 WHEN 'sun' THEN 7 "
          "WHEN 'sunday' THEN 7 ELSE error('not a day of the week: ' || n) END - "
          "system.main.isodow(pt_to_date(d)) + 6) % 7 + 1 AS INTEGER)")
        .Typed("dt", 'D'),
    NotExact("now", kNow).Typed("*", 'S'),
    Macro("quarter", "(d) AS system.main.quarter(pt_to_date(d))").Typed("d", 'i'),
    Macro("second", "(t) AS system.main.second(pt_to_timestamp(t))").Typed("s", 'i'),
    Refused("session_window", "time windows exist only in Spark", "use date_trunc(unit, time)"),
    Refused("time_bucket", "time windows exist only in Spark", "use date_trunc(unit, time)"),
    Macro("timestamp_micros", "(n) AS system.main.make_timestamp(CAST(n AS BIGINT))")
        .Typed("*", 'S'),
    Macro("timestamp_millis", "(n) AS system.main.make_timestamp(CAST(n AS BIGINT) * 1000)")
        .Typed("*", 'S'),
    // A fraction beyond microseconds is cut off.
    Macro("timestamp_seconds",
          "(n) AS system.main.make_timestamp(CAST(system.main.trunc(n * 1000000) AS BIGINT))")
        .Typed("*", 'S'),
    // The unit is a word in Spark, of which the reader makes a text.
    Macro("timestampadd",
          "(unit, n, t) AS pt_add_units(unit, CAST(n AS BIGINT), pt_to_timestamp(t))")
        .Typed("tls", 'S'),
    Macro("timestampdiff",
          "(unit, a, b) AS pt_count_units(unit, pt_to_timestamp(a), pt_to_timestamp(b))")
        .Typed("tss", 'L'),
    Macro("to_date", "(s) AS pt_to_date(s)").Typed("d", 'D'),
    Parsed("to_days", "use INTERVAL 1 DAY * n").Typed("*", 'V'),
    Parsed("to_hours", "use INTERVAL 1 HOUR * n").Typed("*", 'V'),
    Parsed("to_microseconds", "use INTERVAL 1 MICROSECOND * n").Typed("*", 'V'),
    Parsed("to_milliseconds", "use INTERVAL 1 MILLISECOND * n").Typed("*", 'V'),
    Parsed("to_minutes", "use INTERVAL 1 MINUTE * n").Typed("*", 'V'),
    Parsed("to_months", "use INTERVAL 1 MONTH * n").Typed("*", 'M'),
    Parsed("to_seconds", "use INTERVAL 1 SECOND * n").Typed("*", 'V'),
    Macro("to_timestamp", "(s) AS pt_to_timestamp(s)").Typed("s", 'S'),
    Macro("to_timestamp_ltz", "(t) AS pt_to_timestamp(t)"),
    Macro("to_timestamp_ntz", "(t) AS pt_to_local_timestamp(t)"),
    Macro("to_unix_timestamp", "(t) AS pt_unix_time(pt_to_timestamp(t))"),
    NotExact("to_utc_timestamp", "each engine's release has its own rules for time zones",
             "(t, zone) AS pt_to_utc(pt_to_timestamp(t), zone)")
        .Typed("sx", 'S'),
    Parsed("to_weeks", "use INTERVAL 1 WEEK * n").Typed("*", 'V'),
    Parsed("to_years", "use INTERVAL 1 YEAR * n").Typed("*", 'M'),
    // DuckDB parses INTERVAL 1 DAY to to_days(CAST(trunc(CAST(1 AS DOUBLE)) AS INTEGER)): with one
    // argument trunc() is that one.
    Macro("trunc",
          "(x) AS system.main.trunc(x), (d, f) AS CAST(system.main.date_trunc(CASE lower(f) WHEN "
          "'year' THEN 'year' WHEN 'yyyy' THEN 'year' WHEN 'yy' THEN 'year' WHEN 'quarter' THEN "
          "'quarter' WHEN 'month' THEN 'month' WHEN 'mon' THEN 'month' WHEN 'mm' THEN 'month' WHEN "
          "'week' THEN 'week' END, pt_to_date(d)) AS DATE)"),
    Refused("try_make_interval",
            "the embedded engine counts months, days and seconds of an interval differently",
            "use INTERVAL n DAYS, HOURS, ..."),
    Macro("try_make_timestamp",
          "(y, mo, d, h, mi, s) AS pt_try_make_timestamp(y, mo, d, h, mi, s), (y, mo, d, h, mi, s, "
          "zone) AS pt_to_utc(pt_try_make_timestamp(y, mo, d, h, mi, s), zone)"),
    Macro("try_make_timestamp_ltz",
          "(y, mo, d, h, mi, s) AS pt_try_make_timestamp(y, mo, d, h, mi, s), (y, mo, d, h, mi, s, "
          "zone) AS pt_to_utc(pt_try_make_timestamp(y, mo, d, h, mi, s), zone)"),
    Macro("try_make_timestamp_ntz",
          "(y, mo, d, h, mi, s) AS pt_try_make_timestamp(y, mo, d, h, mi, s)"),
    Macro("try_to_date", "(s) AS pt_try_date(s)"),
    Macro("try_to_timestamp", "(s) AS pt_try_timestamp(s)").Typed("*", 'S'),
    Macro("unix_date", "(d) AS CAST(pt_to_date(d) - DATE '1970-01-01' AS INTEGER)").Typed("d", 'I'),
    Macro("unix_micros", "(t) AS epoch_us(pt_to_timestamp(t))"),
    // Rounded down, also before 1970.
    Macro("unix_millis",
          "(t) AS CAST(system.main.floor(system.main.\"/\"(epoch_us(pt_to_timestamp(t)), 1000)) AS "
          "BIGINT)"),
    Macro("unix_seconds", "(t) AS pt_seconds(pt_to_timestamp(t))"),
    Macro("unix_timestamp", "(t) AS pt_unix_time(pt_to_timestamp(t))").Typed("s", 'L'),
    // Monday is 0.
    Macro("weekday", "(d) AS system.main.isodow(pt_to_date(d)) - 1").Typed("d", 'i'),
    Macro("weekofyear", "(d) AS system.main.weekofyear(pt_to_date(d))").Typed("d", 'i'),
    Refused("window", "time windows exist only in Spark", "use date_trunc(unit, time)"),
    Refused("window_time", "time windows exist only in Spark", "use date_trunc(unit, time)"),
    Macro("year", "(d) AS system.main.year(pt_to_date(d))").Typed("d", 'i'),
};
static_assert(AreInOrder(kDates));

}  // namespace

std::span<const SqlFunction> functions::Dates() { return kDates; }

}  // namespace protium
