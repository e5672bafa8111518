// SPDX-License-Identifier: Apache-2.0
// Texts cut to words, as tokenizers cut them before they look for pieces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "subwords/characters.h"
#include "subwords/settings.h"

namespace protium {

// The text that BERT's normalizer makes, as `settings` say.
std::u32string Normalized(std::u32string_view text, const Characters& characters,
                          const TokenizerSettings& settings);

// The words of a text, without blanks between them, unless they are kBytes or kWhole. Valid as long
// as `text`.
std::vector<std::u32string_view> WordsOf(std::u32string_view text, const Characters& characters,
                                         TokenizerSettings::Words words);

}  // namespace protium
