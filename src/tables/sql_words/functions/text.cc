// SPDX-License-Identifier: Apache-2.0
// Text. Lengths and positions count code points.
#include "sql_words/functions/table.h"

namespace protium {
namespace {

using namespace functions;

constexpr SqlFunction kText[] = {
    Same("ascii").Typed("t", 'i'),
    Same("base64").Typed("o", 'T'),
    Same("bin").Typed("l", 'T'),
    // For binary, the typer turns these, and others, into different functions.
    Same("bit_length").Typed("t", 'i'),
    Same("btrim").Typed("t", 'T'),
    Same("char_length").Typed("t", 'i'),
    Same("character_length").Typed("t", 'i'),
    Same("chr").Typed("i", 'T'),
    Refused("collate", "the embedded engine compares text only by code points",
            "compare lower(text)"),
    Refused("collation", "the embedded engine compares text only by code points", ""),
    Same("concat"),
    // The typer turns it into pt_join_texts().
    Same("concat_ws"),
    Same("contains").Typed("t", 'B'),
    Same("conv").Typed("tii", 'T'),
    Same("crc32").Typed("o", 'L'),
    Same("decode"),
    Same("elt"),
    Same("encode").Typed("t", 'O'),
    Same("endswith").Typed("t", 'B'),
    Same("find_in_set").Typed("t", 'I'),
    Same("format_number"),
    // The typer turns it into pt_format_string(), and likewise printf().
    Same("format_string"),
    Same("hex"),
    Same("initcap").Typed("t", 'T'),
    Same("instr").Typed("t", 'i'),
    Same("is_valid_utf8").Typed("o", 'B'),
    Same("lcase").Typed("t", 'T'),
    Same("left").Typed("ti", 'T'),
    Same("len").Typed("t", 'i'),
    Same("length").Typed("t", 'i'),
    Same("levenshtein").Typed("tti", 'i'),
    Same("locate").Typed("tti", 'i'),
    Same("lower").Typed("t", 'T'),
    Same("lpad").Typed("tit", 'T'),
    Same("ltrim").Typed("t", 'T'),
    Same("luhn_check").Typed("t", 'B'),
    Same("make_valid_utf8").Typed("o", 'T'),
    Same("mask").Typed("e", 'T'),
    Same("md5").Typed("o", 'T'),
    Same("octet_length").Typed("t", 'i'),
    Same("overlay").Typed("ttii", 'T'),
    Same("parse_url").Typed("e", 'T'),
    Same("position").Typed("tti", 'i'),
    Same("printf"),
    Same("quote").Typed("t", 'T'),
    Refused("randstr", "its letters depend on Spark's partitions", ""),
    Same("repeat").Typed("ti", 'T'),
    Same("replace").Typed("t", 'T'),
    Same("reverse").Typed("t", '1'),
    Same("right").Typed("ti", 'T'),
    Same("rpad").Typed("tit", 'T'),
    Same("rtrim").Typed("t", 'T'),
    Refused("sentences", "the rules for sentences are Java's", "use split(text, pattern)"),
    Same("sha").Typed("o", 'T'),
    Same("sha1").Typed("o", 'T'),
    Same("sha2").Typed("oi", 'T'),
    Same("soundex").Typed("e", 'T'),
    Same("space").Typed("i", 'T'),
    Same("split_part").Typed("tti", 'T'),
    Same("startswith").Typed("t", 'B'),
    Same("str_to_map").Typed("t", '?'),
    Same("substr").Typed("tii", 'T'),
    Same("substring").Typed("tii", 'T'),
    Same("substring_index").Typed("tti", 'T'),
    Same("to_binary").Typed("t", 'O'),
    Same("to_char"),
    Same("to_number"),
    Same("to_varchar"),
    Same("translate").Typed("t", 'T'),
    Same("trim").Typed("t", 'T'),
    Same("try_parse_url").Typed("e", 'T'),
    Same("try_to_binary").Typed("t", 'O'),
    Same("try_to_number"),
    Same("try_url_decode").Typed("t", 'T'),
    Same("try_validate_utf8").Typed("o", 'T'),
    Same("ucase").Typed("t", 'T'),
    Same("unbase64").Typed("t", 'O'),
    Same("unhex").Typed("t", 'O'),
    Same("upper").Typed("t", 'T'),
    Same("url_decode").Typed("t", 'T'),
    Same("url_encode").Typed("t", 'T'),
    Same("validate_utf8").Typed("o", 'T'),
};
static_assert(AreInOrder(kText));

}  // namespace

std::span<const SqlFunction> functions::Text() { return kText; }

}  // namespace protium
