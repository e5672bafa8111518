// SPDX-License-Identifier: Apache-2.0
// The file of a tokenizer, and then a text: what follows the first byte 0.
#include "subwords/tokenizer.h"

#include <algorithm>

#include "base/fault.h"
#include "base/json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace protium;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t cut = std::min(bytes.find('\0'), size);
  const auto tokenizer = SubwordTokenizer::OfText(bytes.substr(0, cut), true);
  if (!tokenizer.ok()) {
    PT_CHECK(FaultOf(tokenizer.status()).exit != Exit::kBug);
    return 0;
  }
  // Texts of tables are valid; what is not gets replacement characters.
  const std::string text =
      Json::parse(Dump(Json(std::string(bytes.substr(cut))))).get<std::string>();
  const int64_t length = tokenizer->SmallestLength() + 7;
  PT_CHECK(int64_t(tokenizer->Encode(text, length).size()) <= length);
  return 0;
}
