// SPDX-License-Identifier: Apache-2.0
// Text. Macros with many overloads (concat, elt, decode) stand for functions with any number of
// arguments, up to as many as are listed.
#include "sql/duckdb/macros.h"

namespace protium {
namespace {

constexpr Macro kText[] = {
    {"base64", "(x) AS pt_base64(pt_bytes(x))"},
    {"bin", "(x) AS pt_bin(pt_to_bigint(x))"},
    {"btrim", "(s) AS trim(s), (s, letters) AS trim(s, letters)"},
    {"char_length", "(s) AS length(s)"},
    {"character_length", "(s) AS length(s)"},
    {"chr", "(n) AS pt_chr(CAST(n AS BIGINT))"},
    // NULL if one of the arguments is NULL; DuckDB's concat() skips nulls.
    {"concat",
     "() AS '', (a) AS CAST(a AS VARCHAR), (a, b) AS a || b, (a, b, c) AS a || b || c, (a, b, "
     "c, d) AS a || b || c || d, (a, b, c, d, e) AS a || b || c || d || e, (a, b, c, d, e, f) "
     "AS a || b || c || d || e || f, (a, b, c, d, e, f, g) AS a || b || c || d || e || f || "
     "g, (a, b, c, d, e, f, g, h) AS a || b || c || d || e || f || g || h, (a, b, c, d, e, f, "
     "g, h, i) AS a || b || c || d || e || f || g || h || i, (a, b, c, d, e, f, g, h, i, j) "
     "AS a || b || c || d || e || f || g || h || i || j"},
    {"conv", "(x, f, t) AS pt_conv(x, CAST(f AS INTEGER), CAST(t AS INTEGER))"},
    {"crc32", "(x) AS pt_crc32(pt_bytes(x))"},
    // With two arguments it reads bytes, with more it compares.
    {"decode",
     "(b, charset) AS pt_decode(pt_bytes(b), charset), (x, p1, p2) AS CASE WHEN x IS NOT "
     "DISTINCT FROM p1 THEN p2 END, (x, p1, p2, p3) AS CASE WHEN x IS NOT DISTINCT FROM p1 "
     "THEN p2 ELSE p3 END, (x, p1, p2, p3, p4) AS CASE WHEN x IS NOT DISTINCT FROM p1 THEN p2 "
     "WHEN x IS NOT DISTINCT FROM p3 THEN p4 END, (x, p1, p2, p3, p4, p5) AS CASE WHEN x IS "
     "NOT DISTINCT FROM p1 THEN p2 WHEN x IS NOT DISTINCT FROM p3 THEN p4 ELSE p5 END, (x, "
     "p1, p2, p3, p4, p5, p6) AS CASE WHEN x IS NOT DISTINCT FROM p1 THEN p2 WHEN x IS NOT "
     "DISTINCT FROM p3 THEN p4 WHEN x IS NOT DISTINCT FROM p5 THEN p6 END, (x, p1, p2, p3, "
     "p4, p5, p6, p7) AS CASE WHEN x IS NOT DISTINCT FROM p1 THEN p2 WHEN x IS NOT DISTINCT "
     "FROM p3 THEN p4 WHEN x IS NOT DISTINCT FROM p5 THEN p6 ELSE p7 END, (x, p1, p2, p3, p4, "
     "p5, p6, p7, p8) AS CASE WHEN x IS NOT DISTINCT FROM p1 THEN p2 WHEN x IS NOT DISTINCT "
     "FROM p3 THEN p4 WHEN x IS NOT DISTINCT FROM p5 THEN p6 WHEN x IS NOT DISTINCT FROM p7 "
     "THEN p8 END, (x, p1, p2, p3, p4, p5, p6, p7, p8, p9) AS CASE WHEN x IS NOT DISTINCT "
     "FROM p1 THEN p2 WHEN x IS NOT DISTINCT FROM p3 THEN p4 WHEN x IS NOT DISTINCT FROM p5 "
     "THEN p6 WHEN x IS NOT DISTINCT FROM p7 THEN p8 ELSE p9 END"},
    {"elt",
     "(n, a) AS CASE WHEN n = 1 THEN a WHEN n IS NOT NULL THEN error('index out of bounds: ' "
     "|| n) END, (n, a, b) AS CASE WHEN n = 1 THEN a WHEN n = 2 THEN b WHEN n IS NOT NULL "
     "THEN error('index out of bounds: ' || n) END, (n, a, b, c) AS CASE WHEN n = 1 THEN a "
     "WHEN n = 2 THEN b WHEN n = 3 THEN c WHEN n IS NOT NULL THEN error('index out of bounds: "
     "' || n) END, (n, a, b, c, d) AS CASE WHEN n = 1 THEN a WHEN n = 2 THEN b WHEN n = 3 "
     "THEN c WHEN n = 4 THEN d WHEN n IS NOT NULL THEN error('index out of bounds: ' || n) "
     "END, (n, a, b, c, d, e) AS CASE WHEN n = 1 THEN a WHEN n = 2 THEN b WHEN n = 3 THEN c "
     "WHEN n = 4 THEN d WHEN n = 5 THEN e WHEN n IS NOT NULL THEN error('index out of bounds: "
     "' || n) END, (n, a, b, c, d, e, f) AS CASE WHEN n = 1 THEN a WHEN n = 2 THEN b WHEN n = "
     "3 THEN c WHEN n = 4 THEN d WHEN n = 5 THEN e WHEN n = 6 THEN f WHEN n IS NOT NULL THEN "
     "error('index out of bounds: ' || n) END, (n, a, b, c, d, e, f, g) AS CASE WHEN n = 1 "
     "THEN a WHEN n = 2 THEN b WHEN n = 3 THEN c WHEN n = 4 THEN d WHEN n = 5 THEN e WHEN n = "
     "6 THEN f WHEN n = 7 THEN g WHEN n IS NOT NULL THEN error('index out of bounds: ' || n) "
     "END, (n, a, b, c, d, e, f, g, h) AS CASE WHEN n = 1 THEN a WHEN n = 2 THEN b WHEN n = 3 "
     "THEN c WHEN n = 4 THEN d WHEN n = 5 THEN e WHEN n = 6 THEN f WHEN n = 7 THEN g WHEN n = "
     "8 THEN h WHEN n IS NOT NULL THEN error('index out of bounds: ' || n) END"},
    {"encode", "(s, charset) AS pt_encode(s, charset)"},
    // DuckDB spells it with an underscore, also startswith().
    {"endswith", "(s, t) AS ends_with(s, t)"},
    {"find_in_set", "(word, list) AS pt_find_in_set(word, list)"},
    {"format_number",
     "(x, d) AS CASE WHEN typeof(d) = 'VARCHAR' AND typeof(x) IN ('DOUBLE', 'FLOAT') THEN "
     "pt_format_by_pattern(TRY_CAST(x AS DOUBLE), CAST(d AS VARCHAR)) WHEN typeof(d) = "
     "'VARCHAR' THEN pt_format_decimal_by_pattern(CAST(x AS VARCHAR), CAST(d AS VARCHAR)) WHEN "
     "typeof(x) IN ('DOUBLE', 'FLOAT') THEN pt_format_number(TRY_CAST(x AS DOUBLE), TRY_CAST(d "
     "AS INTEGER)) ELSE pt_format_decimal(CAST(x AS VARCHAR), TRY_CAST(d AS INTEGER)) END"},
    {"hex",
     "(x) AS CASE WHEN typeof(x) = 'BLOB' THEN system.main.hex(TRY_CAST(x AS BLOB)) WHEN "
     "typeof(x) = 'VARCHAR' THEN system.main.hex(CAST(x AS VARCHAR)) ELSE pt_hex(TRY_CAST(x "
     "AS BIGINT)) END"},
    {"initcap", "(s) AS pt_initcap(s)"},
    {"instr", "(s, t) AS system.main.instr(s, t)"},
    {"is_valid_utf8", "(s) AS pt_is_utf8(pt_bytes(s))"},
    {"lcase", "(s) AS pt_lower(s)"},
    // A negative length gives an empty text; in DuckDB it counts from the other end. The same for
    // right().
    {"left",
     "(s, n) AS CASE WHEN s IS NOT NULL AND n <= 0 THEN '' ELSE system.main.left(s, n) END"},
    {"len", "(s) AS length(s)"},
    // With a limit: -1 for distances beyond it.
    {"levenshtein",
     "(a, b) AS pt_levenshtein(a, b), (a, b, most) AS CASE WHEN most < 0 OR pt_levenshtein(a, "
     "b) > most THEN -1 WHEN most IS NOT NULL THEN pt_levenshtein(a, b) END"},
    {"locate",
     "(t, s) AS system.main.instr(s, t), (t, s, p) AS CASE WHEN t IS NULL OR s IS NULL THEN "
     "NULL WHEN p > 0 AND t = '' THEN 1 WHEN p > 0 AND system.main.instr(substring(s, p), t) "
     "> 0 THEN system.main.instr(substring(s, p), t) + p - 1 ELSE 0 END"},
    // Uses ICU, as Java's: the capitals of ß are SS, which DuckDB's letter-by-letter mapping cannot
    // produce.
    {"lower", "(s) AS pt_lower(s)"},
    // An empty padding leaves the text as it is, or cuts it; DuckDB fails.
    {"lpad",
     "(s, n) AS lpad(s, n, ' '), (s, n, p) AS CASE WHEN p = '' OR n <= 0 THEN left(s, n) ELSE "
     "system.main.lpad(s, CAST(n AS INTEGER), p) END"},
    // Only blanks, not all of Unicode's spaces.
    {"ltrim", "(s) AS system.main.ltrim(s, ' '), (s, letters) AS system.main.ltrim(s, letters)"},
    {"luhn_check", "(s) AS pt_luhn_check(s)"},
    {"make_valid_utf8", "(s) AS pt_make_utf8(pt_bytes(s))"},
    {"mask",
     "(s) AS pt_mask(s, 'X', 'x', 'n', ''), (s, u) AS pt_mask(s, coalesce(u, ''), 'x', 'n', "
     "''), (s, u, l) AS pt_mask(s, coalesce(u, ''), coalesce(l, ''), 'n', ''), (s, u, l, d) "
     "AS pt_mask(s, coalesce(u, ''), coalesce(l, ''), coalesce(d, ''), ''), (s, u, l, d, o) "
     "AS pt_mask(s, coalesce(u, ''), coalesce(l, ''), coalesce(d, ''), coalesce(o, ''))"},
    {"md5", "(x) AS system.main.md5(pt_bytes(x))"},
    // DuckDB has it only for BLOBs.
    {"octet_length",
     "(s) AS CASE WHEN typeof(s) = 'BLOB' THEN system.main.octet_length(TRY_CAST(s AS BLOB)) "
     "ELSE strlen(CAST(s AS VARCHAR)) END"},
    {"overlay",
     "(s, t, p) AS pt_overlay(s, t, CAST(p AS INTEGER), -1), (s, t, p, n) AS pt_overlay(s, t, "
     "CAST(p AS INTEGER), CAST(n AS INTEGER))"},
    {"parse_url",
     "(url, part) AS pt_parse_url(url, part), (url, part, key) AS pt_parse_url_key(url, part, "
     "key)"},
    {"quote", "(s) AS pt_quote(s)"},
    {"repeat", "(s, n) AS CASE WHEN n IS NOT NULL THEN system.main.repeat(s, greatest(n, 0)) END"},
    // Without a third argument the parts are removed.
    {"replace",
     "(s, t) AS replace(s, t, ''), (s, t, r) AS CASE WHEN t = '' AND r IS NOT NULL THEN s "
     "ELSE system.main.replace(s, t, r) END"},
    {"reverse", "(s) AS pt_reverse(s)"},
    {"right",
     "(s, n) AS CASE WHEN s IS NOT NULL AND n <= 0 THEN '' ELSE system.main.right(s, n) END"},
    {"rpad",
     "(s, n) AS rpad(s, n, ' '), (s, n, p) AS CASE WHEN p = '' OR n <= 0 THEN left(s, n) ELSE "
     "system.main.rpad(s, CAST(n AS INTEGER), p) END"},
    {"rtrim", "(s) AS system.main.rtrim(s, ' '), (s, letters) AS system.main.rtrim(s, letters)"},
    {"sha", "(x) AS system.main.sha1(pt_bytes(x))"},
    {"sha1", "(x) AS system.main.sha1(pt_bytes(x))"},
    {"sha2", "(x, bits) AS pt_sha2(pt_bytes(x), CAST(bits AS INTEGER))"},
    {"soundex", "(s) AS pt_soundex(s)"},
    {"space", "(n) AS repeat(' ', n)"},
    // A negative number counts from the end; 0 is an error in Spark and an empty text in DuckDB.
    {"split_part",
     "(s, d, n) AS CASE WHEN n = 0 THEN error('split_part has no part 0: parts count from 1 "
     "or -1') WHEN d = '' AND n IS NOT NULL THEN CASE WHEN abs(n) = 1 THEN s WHEN s IS NOT "
     "NULL THEN '' END ELSE system.main.split_part(s, d, n) END"},
    {"startswith", "(s, t) AS starts_with(s, t)"},
    {"str_to_map",
     "(s) AS pt_map_of(s, ',', ':'), (s, p) AS pt_map_of(s, p, ':'), (s, p, k) AS "
     "pt_map_of(s, p, k)"},
    {"substr", "(s, p) AS substring(s, p), (s, p, n) AS substring(s, p, n)"},
    // Positions count from 1, 0 is treated as 1, negative ones count from the end.
    {"substring",
     "(s, p) AS CASE WHEN p IS NOT NULL THEN system.main.substring(s, CAST(greatest(pt_from(s, "
     "p), 0) + 1 AS BIGINT)) END, (s, p, n) AS CASE WHEN p IS NOT NULL AND n IS NOT NULL THEN "
     "system.main.substring(s, CAST(greatest(pt_from(s, p), 0) + 1 AS BIGINT), "
     "CAST(greatest(pt_from(s, p) + n - greatest(pt_from(s, p), 0), 0) AS BIGINT)) END"},
    {"substring_index", "(s, d, n) AS pt_substring_index(s, d, CAST(n AS INTEGER))"},
    // Malformed text is an error; NULL in try_to_binary().
    {"to_binary",
     "(s) AS CASE WHEN s IS NOT NULL AND unhex(s) IS NULL THEN error('not hexadecimal: ' || s) "
     "ELSE unhex(s) END, (s, f) AS CASE WHEN s IS NOT NULL AND f IS NOT NULL AND "
     "try_to_binary(s, f) IS NULL THEN error('not ' || f || ': ' || s) ELSE try_to_binary(s, "
     "f) END"},
    // See sql_types/number_patterns.cc, also for the three below.
    {"to_char", "(x, f) AS pt_write_number(CAST(x AS VARCHAR), f)"},
    {"to_number", "(s, f) AS pt_read_number(s, f)"},
    {"to_varchar", "(x, f) AS pt_write_number(CAST(x AS VARCHAR), f)"},
    {"trim", "(s) AS system.main.trim(s, ' '), (s, letters) AS system.main.trim(s, letters)"},
    {"try_parse_url",
     "(url, part) AS pt_try_parse_url(url, part), (url, part, key) AS "
     "pt_try_parse_url_key(url, part, key)"},
    {"try_to_binary",
     "(s) AS unhex(s), (s, f) AS CASE lower(f) WHEN 'hex' THEN unhex(s) WHEN 'utf-8' THEN "
     "system.main.encode(s) WHEN 'utf8' THEN system.main.encode(s) WHEN 'base64' THEN "
     "pt_base64_bytes(s) ELSE CASE WHEN f IS NOT NULL THEN error('the format of to_binary is "
     "hex, utf-8 or base64, not ' || f) END END"},
    {"try_to_number", "(s, f) AS pt_try_read_number(s, f)"},
    {"try_url_decode", "(s) AS pt_try_url_decode(s)"},
    {"try_validate_utf8", "(s) AS pt_try_utf8(pt_bytes(s))"},
    {"ucase", "(s) AS pt_upper(s)"},
    {"unbase64", "(s) AS pt_unbase64(system.main.regexp_replace(s, '[^A-Za-z0-9+/]', '', 'g'))"},
    // NULL for anything but hexadecimal digits; an odd number of them gets a leading zero.
    {"unhex",
     "(s) AS CASE WHEN system.main.regexp_full_match(s, '[0-9A-Fa-f]*') THEN "
     "system.main.unhex(CASE WHEN length(s) % 2 = 1 THEN '0' || s ELSE s END) END"},
    {"upper", "(s) AS pt_upper(s)"},
    {"url_decode", "(s) AS pt_url_decode(s)"},
    {"url_encode", "(s) AS pt_url_encode(s)"},
    {"validate_utf8", "(s) AS pt_utf8(pt_bytes(s))"},
};

}  // namespace

std::span<const Macro> macros::Text() { return kText; }

}  // namespace protium
